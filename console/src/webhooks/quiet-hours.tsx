/** Hours in which nobody is told: from when to when, where, and on which days. */
import { useId } from 'react';
import { Checkbox } from '../ui/checkbox.tsx';
import { Field } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';
import { WEEKDAYS } from '../words/delivery.ts';
import { type Hours, ownZone, withDay } from './wake-terms.ts';

export interface QuietHoursProps {
  readonly quiet: Hours | undefined;
  /** Says what becomes of that which comes in these hours. */
  readonly hint: string;
  onChange(quiet: Hours | undefined): void;
}

export function QuietHours({ quiet, hint, onChange }: QuietHoursProps) {
  return (
    <div className="grid gap-2">
      <Checkbox
        label="Quiet hours"
        hint={hint}
        checked={quiet !== undefined}
        onChange={({ target }) =>
          onChange(target.checked ? { from: '22:00', to: '07:00', zone: ownZone() } : undefined)
        }
      />
      {quiet !== undefined && (
        <>
          <div className="grid grid-cols-2 gap-2 sm:grid-cols-3">
            <TimeOfDay label="From" value={quiet.from} onChange={(from) => onChange({ ...quiet, from })} />
            <TimeOfDay label="To" value={quiet.to} onChange={(to) => onChange({ ...quiet, to })} />
            <Zone value={quiet.zone} onChange={(zone) => onChange({ ...quiet, zone })} />
          </div>
          <fieldset>
            <legend className="mb-1 text-xs font-medium text-soft">They begin on</legend>
            <div className="flex flex-wrap gap-x-3 gap-y-1">
              {DAYS.map((day) => (
                <Checkbox
                  key={day}
                  label={WEEKDAYS[day].words.slice(0, 3)}
                  aria-label={WEEKDAYS[day].words}
                  checked={quiet.days?.includes(day) ?? true}
                  onChange={({ target }) => onChange(withDay(quiet, day, target.checked))}
                />
              ))}
            </div>
          </fieldset>
        </>
      )}
    </div>
  );
}

/** A week begins with Monday where most people live. */
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

interface TextProps {
  readonly label: string;
  readonly value: string;
  onChange(value: string): void;
}

/** The end of a day, 24:00, is none that the browser's own field for times knows. */
export function TimeOfDay({ label, value, onChange }: TextProps) {
  return (
    <Field label={label}>
      {(control) => (
        <Input
          {...control}
          type={value === '24:00' ? 'text' : 'time'}
          required
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

export function Zone({ value, onChange }: Omit<TextProps, 'label'>) {
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
