/** When a webhook wakes its receiver. What does not wake is kept for the next summary; no match is lost. */
import type { Webhook } from '../data/queries.ts';
import { Field } from '../ui/field.tsx';
import { Select } from '../ui/input.tsx';
import { WakeOverTime } from './wake-over-time.tsx';
import { WakeRehearsal } from './wake-rehearsal.tsx';
import type { Wake, WakeChange } from './wake-terms.ts';

export interface WakeFieldsProps {
  readonly wake: Webhook['wake'];
  readonly error: string | undefined;
  /** The rules whose matches they are about, or null for all rules. */
  readonly ruleIds: readonly string[] | null;
  onChange(wake: Webhook['wake']): void;
}

const LIMITS = ['5/hour', '20/hour', '100/hour', '5/day', '20/day'];
const LEAST = [0.3, 0.5, 0.7, 0.9];
const EVERY: Wake = { per: 'match', at_most: null, min_relevance: null };

/** A program may have chosen a value that the list does not have. */
const withOwn = <Value,>(listed: readonly Value[], own: Value | null): readonly Value[] =>
  own === null || listed.includes(own) ? listed : [...listed, own];

export function WakeFields({ wake, error, ruleIds, onChange }: WakeFieldsProps) {
  const held = wake ?? EVERY;
  const change = (part: WakeChange) => {
    const next = Object.fromEntries(
      Object.entries({ ...held, ...part }).filter(([, term]) => term !== undefined),
    ) as Wake;
    const { per, at_most, min_relevance, ...others } = next;
    const isEvery = per === 'match' && at_most === null && min_relevance === null;
    onChange(isEvery && Object.keys(others).length === 0 ? null : next);
  };
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <Field label="Of matches" error={error}>
        {(control) => (
          <Select {...control} value={held.per} onChange={({ target }) => change({ per: target.value as Wake['per'] })}>
            <option value="match">every match</option>
            <option value="story">each story once</option>
          </Select>
        )}
      </Field>
      <Field label="At most">
        {(control) => (
          <Select
            {...control}
            value={held.at_most ?? ''}
            onChange={({ target }) => change({ at_most: target.value || null })}
          >
            <option value="">no limit</option>
            {withOwn(LIMITS, held.at_most).map((limit) => (
              <option key={limit} value={limit}>
                {limit.replace('/', ' in an ').replace('an day', 'a day')}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Relevance">
        {(control) => (
          <Select
            {...control}
            value={held.min_relevance ?? ''}
            onChange={({ target }) => change({ min_relevance: target.value === '' ? null : Number(target.value) })}
          >
            <option value="">any</option>
            {withOwn(LEAST, held.min_relevance).map((least) => (
              <option key={least} value={least}>
                {Math.round(least * 100)} % or more
              </option>
            ))}
          </Select>
        )}
      </Field>
      <p className="-mt-2 text-xs text-faint sm:col-span-3">
        What is not sent at once comes in the next summary. No match is lost.
      </p>
      <div className="grid gap-3 sm:col-span-3">
        <WakeOverTime wake={held} onChange={change} />
        <WakeRehearsal wake={held} ruleIds={ruleIds} />
      </div>
    </div>
  );
}
