/** The rules and the platforms whose matches and alerts a webhook gets. */
import { type Platform, useRules } from '../data/queries.ts';
import { Checkbox } from '../ui/checkbox.tsx';
import { Field } from '../ui/field.tsx';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { RulesPicker } from '../ui/rule-picker.tsx';

const PLATFORMS: readonly Platform[] = ['x', 'firehose'];

interface RulesProps {
  readonly chosen: readonly string[] | null;
  readonly error: string | undefined;
  onChange(ids: string[] | null): void;
}

export function Rules({ chosen, error, onChange }: RulesProps) {
  const { data: rules = [] } = useRules();
  const names = new Map(rules.map(({ id, name }) => [id, name]));
  const value = (chosen ?? []).map((id) => ({ id, name: names.get(id) ?? id }));
  return (
    <Field label="Rules" hint="Leave empty for all rules, including future ones." error={error}>
      {({ id }) => (
        <RulesPicker
          id={id}
          rules={rules}
          value={value}
          onChange={(picked) => onChange(picked.length === 0 ? null : picked.map((rule) => rule.id))}
        />
      )}
    </Field>
  );
}

export function Platforms({
  chosen,
  onChange,
}: {
  chosen: readonly Platform[] | null;
  onChange(names: Platform[] | null): void;
}) {
  const isChosen = (name: Platform) => chosen?.includes(name) ?? true;
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1 text-xs font-medium text-soft">Platforms</legend>
      {PLATFORMS.map((name) => (
        <Checkbox
          key={name}
          label={PLATFORM_NAMES[name]}
          checked={isChosen(name)}
          onChange={({ target }) => {
            const names = PLATFORMS.filter((one) => (one === name ? target.checked : isChosen(one)));
            // A webhook without platforms would receive nothing, so the other platform is checked instead.
            if (names.length === 0) onChange(PLATFORMS.filter((one) => one !== name));
            else onChange(names.length === PLATFORMS.length ? null : names);
          }}
        />
      ))}
    </fieldset>
  );
}
