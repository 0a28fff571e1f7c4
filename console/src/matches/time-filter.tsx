/** Filters by time: a span that ends now, or any two moments within the time that matches are kept. */
import { useState } from 'react';
import { useStatus } from '../data/queries.ts';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Input, Select } from '../ui/input.tsx';
import { counted, localTime } from '../ui/moment.ts';
import { serverNow } from '../ui/server-now.ts';
import { type FilterChange, keptSince, type MatchesSearch, spansWithin, spanWords } from './filter.ts';

export interface TimeFilterProps {
  readonly search: MatchesSearch;
  onChange(change: FilterChange): void;
}

export function TimeFilter({ search, onChange }: TimeFilterProps) {
  const [isChoosing, setChoosing] = useState(false);
  const { data: status } = useStatus();
  const own = spanWords(search);
  return (
    <>
      <Select
        aria-label="Time"
        className="lg:w-40 xl:w-56"
        title={own}
        value={own === undefined ? (search.since ?? '') : 'own'}
        onChange={({ target }) =>
          target.value === 'choose'
            ? setChoosing(true)
            : onChange({ since: target.value || undefined, until: undefined })
        }
      >
        <option value="">Any time</option>
        {spansWithin(status?.retention_days).map(([name, { label }]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
        {own !== undefined && <option value="own">{own}</option>}
        <option value="choose">Choose dates …</option>
      </Select>
      {isChoosing && (
        <DatesDialog
          search={search}
          retentionDays={status?.retention_days}
          onClose={() => setChoosing(false)}
          onChoose={(since, until) => {
            setChoosing(false);
            onChange({ since, until });
          }}
        />
      )}
    </>
  );
}

interface DatesDialogProps {
  readonly search: MatchesSearch;
  readonly retentionDays: number | undefined;
  onClose(): void;
  onChoose(since: string, until: string | undefined): void;
}

const DAY = 86_400_000;
const isTime = (text: string | undefined): boolean => text !== undefined && !Number.isNaN(Date.parse(text));

function DatesDialog({ search, retentionDays, onClose, onChoose }: DatesDialogProps) {
  const [from, setFrom] = useState(() =>
    localTime(isTime(search.since) ? Date.parse(search.since!) : serverNow() - DAY),
  );
  const [to, setTo] = useState(() => (isTime(search.until) ? localTime(Date.parse(search.until!)) : ''));
  const earliest = keptSince(retentionDays, serverNow());
  const bounds = { max: localTime(serverNow()), ...(earliest !== undefined && { min: localTime(earliest) }) };
  const isBackwards = to !== '' && Date.parse(to) <= Date.parse(from);
  return (
    <FormDialog
      title="Matches of a time"
      about={`In your time zone.${retentionDays === undefined ? '' : ` Matches are kept for ${counted(retentionDays, 'day')}.`}`}
      action="Show"
      busy={false}
      onClose={onClose}
      onSubmit={() =>
        isBackwards || onChoose(new Date(from).toISOString(), to === '' ? undefined : new Date(to).toISOString())
      }
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="From">
          {(control) => (
            <Input
              {...control}
              required
              type="datetime-local"
              {...bounds}
              value={from}
              onChange={({ target }) => setFrom(target.value)}
            />
          )}
        </Field>
        <Field
          label="To"
          hint="Leave empty for “until now”."
          {...(isBackwards && { error: 'The end must be after the beginning.' })}
        >
          {(control) => (
            <Input {...control} type="datetime-local" value={to} onChange={({ target }) => setTo(target.value)} />
          )}
        </Field>
      </div>
    </FormDialog>
  );
}
