/** The terms of a wake contract that are about time: quiet hours, when what waits is told, and what several matches must do. */
import { useId } from 'react';
import { useRules } from '../data/queries.ts';
import { Checkbox } from '../ui/checkbox.tsx';
import { Field } from '../ui/field.tsx';
import { Input, Select } from '../ui/input.tsx';
import { DISTINCT } from '../words/delivery.ts';
import { ownZone, type TimeTerm, termOf, type Wake, type WakeChange, withOwn, withTerm } from './wake-terms.ts';

interface OverTimeProps {
  readonly wake: Wake;
  onChange(part: WakeChange): void;
}

export function WakeOverTime({ wake, onChange }: OverTimeProps) {
  const isUsed = [wake.quiet, wake.digest, wake.when, wake.unless].some((term) => term !== undefined);
  return (
    <details className="rounded-md border" open={isUsed}>
      <summary className="cursor-pointer px-3 py-2 text-sm font-medium">
        Quiet hours, digests and rules over time
      </summary>
      <div className="grid gap-4 border-t p-3">
        <Quiet wake={wake} onChange={onChange} />
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

function Quiet({ wake: { quiet }, onChange }: OverTimeProps) {
  return (
    <div className="grid gap-2">
      <Checkbox
        label="Quiet hours"
        hint="Nothing wakes in them; what matches is held."
        checked={quiet !== undefined}
        onChange={({ target }) =>
          onChange({ quiet: target.checked ? { from: '22:00', to: '07:00', zone: ownZone() } : undefined })
        }
      />
      {quiet !== undefined && (
        <div className="grid grid-cols-2 gap-2 sm:grid-cols-3">
          <Time label="From" value={quiet.from} onChange={(from) => onChange({ quiet: { ...quiet, from } })} />
          <Time label="To" value={quiet.to} onChange={(to) => onChange({ quiet: { ...quiet, to } })} />
          <Zone value={quiet.zone} onChange={(zone) => onChange({ quiet: { ...quiet, zone } })} />
        </div>
      )}
    </div>
  );
}

function Digest({ wake: { digest }, onChange }: OverTimeProps) {
  return (
    <div className="grid gap-2">
      <Checkbox
        label="Tell what was held at a time of day"
        hint="Without it, at the end of the hour or of the day of UTC."
        checked={digest?.at !== undefined}
        onChange={({ target }) =>
          onChange({ digest: target.checked ? { ...digest, at: '08:00', zone: ownZone() } : undefined })
        }
      />
      {digest?.at !== undefined && (
        <div className="grid grid-cols-2 gap-2 sm:grid-cols-3">
          <Time label="At" value={digest.at} onChange={(at) => onChange({ digest: { ...digest, at } })} />
          <Zone value={digest.zone ?? 'UTC'} onChange={(zone) => onChange({ digest: { ...digest, zone } })} />
        </div>
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
      <Field label="How many">
        {(control) => (
          <Input
            {...control}
            type="number"
            min={2}
            max={100}
            value={when.count ?? 2}
            onChange={({ target }) => onChange({ ...when, count: Number(target.value) })}
          />
        )}
      </Field>
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

interface TextProps {
  readonly label: string;
  readonly value: string;
  onChange(value: string): void;
}

function Time({ label, value, onChange }: TextProps) {
  return (
    <Field label={label}>
      {(control) => (
        <Input {...control} type="time" required value={value} onChange={({ target }) => onChange(target.value)} />
      )}
    </Field>
  );
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

function Zone({ value, onChange }: Omit<TextProps, 'label'>) {
  const list = useId();
  return (
    <Field label="Time zone">
      {(control) => (
        <>
          <Input {...control} list={list} required value={value} onChange={({ target }) => onChange(target.value)} />
          <datalist id={list}>
            {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </>
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
