/** The terms of a wake contract that are about time: quiet hours, when what waits is told, and what several matches must do. */
import { useRules } from '../data/queries.ts';
import { Checkbox } from '../ui/checkbox.tsx';
import { Field } from '../ui/field.tsx';
import { Input, Select } from '../ui/input.tsx';
import { DISTINCT } from '../words/delivery.ts';
import { QuietHours, TimeOfDay, Zone } from './quiet-hours.tsx';
import {
  type DigestChange,
  ownZone,
  type TimeTerm,
  termOf,
  type Wake,
  type WakeChange,
  withDigest,
  withOwn,
  withTerm,
} from './wake-terms.ts';

interface OverTimeProps {
  readonly wake: Wake;
  onChange(part: WakeChange): void;
}

export function WakeOverTime({ wake, onChange }: OverTimeProps) {
  const isUsed = [wake.quiet, wake.digest, wake.when, wake.unless].some((term) => term !== undefined);
  return (
    <details className="rounded-md border" open={isUsed}>
      <summary className="cursor-pointer px-3 py-2 text-sm font-medium">
        Quiet hours, summaries and rules over time
      </summary>
      <div className="grid gap-4 border-t p-3">
        <QuietHours
          quiet={wake.quiet}
          hint="Nothing is sent in them; what matches waits for the next summary."
          onChange={(quiet) => onChange({ quiet })}
        />
        <Digest wake={wake} onChange={onChange} />
        <When wake={wake} onChange={onChange} />
        <OtherRule
          label="Not while this rule is matching"
          none="no other rule"
          value={wake.unless}
          onChange={(unless) => onChange({ unless })}
        />
      </div>
    </details>
  );
}

function Digest({ wake: { digest }, onChange }: OverTimeProps) {
  const change = (part: DigestChange) => onChange({ digest: withDigest(digest, part) });
  return (
    <div className="grid gap-2">
      <Checkbox
        label="Send the summary at a time of day"
        hint="Without it, at the end of the hour or of the day of UTC."
        checked={digest?.at !== undefined}
        onChange={({ target }) =>
          change(target.checked ? { at: '08:00', zone: ownZone() } : { at: undefined, zone: undefined })
        }
      />
      {digest?.at !== undefined && (
        <div className="grid grid-cols-2 gap-2 sm:grid-cols-3">
          <TimeOfDay label="At" value={digest.at} onChange={(at) => change({ at })} />
          <Zone value={digest.zone ?? 'UTC'} onChange={(zone) => change({ zone })} />
        </div>
      )}
      <Checkbox
        label="Send the summary as soon as many wait"
        checked={digest?.when_waiting !== undefined}
        onChange={({ target }) => change({ when_waiting: target.checked ? 20 : undefined })}
      />
      {digest?.when_waiting !== undefined && (
        <NumberField
          label="Matches that wait"
          least={1}
          most={10_000}
          value={digest.when_waiting}
          onChange={(when_waiting) => change({ when_waiting })}
        />
      )}
    </div>
  );
}

const TERMS: Readonly<Record<TimeTerm, string>> = {
  any: 'one match is enough',
  count: 'there are several within a time',
  after: 'another rule matched shortly before',
  without: 'another rule does not follow',
  quiet_for: 'nothing matched for a while',
};

function When({ wake: { when }, onChange }: OverTimeProps) {
  const term = termOf(when);
  return (
    <div className="grid gap-2 sm:grid-cols-2">
      <Field label="Only when">
        {(control) => (
          <Select
            {...control}
            value={term}
            onChange={({ target }) => onChange({ when: withTerm(target.value as TimeTerm) })}
          >
            {Object.entries(TERMS).map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {when !== undefined && (
        <Span
          label={term === 'quiet_for' ? 'For' : 'Within'}
          value={when.quiet_for ?? when.within ?? '1h'}
          onChange={(span) =>
            onChange({ when: term === 'quiet_for' ? { quiet_for: span } : { ...when, within: span } })
          }
        />
      )}
      {when?.count !== undefined && <Count when={when} onChange={(next) => onChange({ when: next })} />}
      {(term === 'after' || term === 'without') && (
        <OtherRule
          label="The other rule"
          none="choose one"
          value={when?.[term]}
          onChange={(id = '') => onChange({ when: { ...when, [term]: id } })}
        />
      )}
    </div>
  );
}

type Terms = NonNullable<Wake['when']>;

function Count({ when, onChange }: { when: Terms; onChange(when: Terms): void }) {
  return (
    <>
      <NumberField
        label="How many"
        least={2}
        most={100}
        value={when.count ?? 2}
        onChange={(count) => onChange({ ...when, count })}
      />
      <Field label="Of what">
        {(control) => (
          <Select
            {...control}
            value={when.distinct ?? ''}
            onChange={({ target }) => onChange(counting(when, target.value))}
          >
            <option value="">matches</option>
            {Object.entries(DISTINCT).map(([name, { words }]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </>
  );
}

/** Different authors, sites or sources are counted, or matches as they are. */
function counting(when: Terms, name: string): Terms {
  const { distinct: _, ...plain } = when;
  const distinct = (['author', 'site', 'source'] as const).find((one) => one === name);
  return distinct === undefined ? plain : { ...plain, distinct };
}

interface NumberFieldProps {
  readonly label: string;
  readonly least: number;
  readonly most: number;
  readonly value: number;
  onChange(value: number): void;
}

function NumberField({ label, least, most, value, onChange }: NumberFieldProps) {
  return (
    <Field label={label}>
      {(control) => (
        <Input
          {...control}
          type="number"
          required
          min={least}
          max={most}
          value={value}
          onChange={({ target }) => onChange(Number(target.value))}
        />
      )}
    </Field>
  );
}

interface TextProps {
  readonly label: string;
  readonly value: string;
  onChange(value: string): void;
}

function Span({ label, value, onChange }: TextProps) {
  return (
    <Field label={label}>
      {(control) => (
        <Select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
          {Object.entries(withOwn(value)).map(([span, words]) => (
            <option key={span} value={span}>
              {words}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

interface OtherRuleProps {
  readonly label: string;
  readonly none: string;
  readonly value: string | undefined;
  onChange(ruleId: string | undefined): void;
}

function OtherRule({ label, none, value, onChange }: OtherRuleProps) {
  const { data: rules = [] } = useRules();
  return (
    <Field label={label}>
      {(control) => (
        <Select {...control} value={value ?? ''} onChange={({ target }) => onChange(target.value || undefined)}>
          <option value="">{none}</option>
          {rules.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
