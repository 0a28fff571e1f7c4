/** The terms of matches that wake a receiver: how many come within a time, and what other rules do. */
import { useRules } from '../data/queries.ts';
import { Field } from '../ui/field.tsx';
import { Select } from '../ui/input.tsx';
import { NumberField } from '../ui/number-field.tsx';
import { DISTINCT } from '../words/delivery.ts';
import { type TimeTerm, termOf, type Wake, type WakeChange, withOwn, withTerm } from './wake-terms.ts';

export interface OverTimeProps {
  readonly wake: Wake;
  onChange(part: WakeChange): void;
}

const TERMS: Readonly<Record<TimeTerm, string>> = {
  any: 'one match is enough',
  count: 'there are several within a time',
  after: 'another rule matched shortly before',
  without: 'another rule does not follow',
  quiet_for: 'nothing matched for a while',
};

export function WakeWhen({ wake: { when }, onChange }: OverTimeProps) {
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

interface SpanProps {
  readonly label: string;
  readonly value: string;
  onChange(value: string): void;
}

function Span({ label, value, onChange }: SpanProps) {
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

export function OtherRule({ label, none, value, onChange }: OtherRuleProps) {
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
