/** Silences something for a time: its matches are stored and listed, and wake nobody until then. */
import { useState } from 'react';
import type { Input as InputOf } from '../../../packages/client/src/index.ts';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { issueAt } from '../data/problems.ts';
import type { Match } from '../data/queries.ts';
import { readEvent } from '../event/reading.ts';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Input } from '../ui/input.tsx';
import { exactly } from '../ui/moment.ts';
import { Radio } from '../ui/radio.tsx';
import { serverNow } from '../ui/server-now.ts';
import { toast } from '../ui/toast.tsx';

type Terms = Omit<InputOf<'createSilence'>, 'until' | 'reason'>;

export interface Silenced {
  readonly label: string;
  readonly terms: Terms;
}

/** The silences that a match offers: of its story, its author and its rule, the least first. */
export function silencedBy(match: Match): Silenced[] {
  const { author, host } = readEvent(match.platform, match.payload, [], match.demo);
  const who = author === undefined ? host : `@${author.username}`;
  return [
    ...(match.story_id === null ? [] : [{ label: 'This story', terms: { story_id: match.story_id } }]),
    ...(who === undefined ? [] : [{ label: `All by ${who}`, terms: { author: who } }]),
    { label: `Rule “${match.rule_name}”`, terms: { rule_ids: [match.rule_id] } },
  ];
}

const HOUR = 3_600_000;

/** Eight in the morning, in the reader's zone. */
function tomorrow(now: number): number {
  const morning = new Date(now);
  morning.setDate(morning.getDate() + 1);
  return morning.setHours(8, 0, 0, 0);
}

const TIMES = [
  { label: 'For 1 hour', until: (now: number) => now + HOUR },
  { label: 'Until tomorrow 8:00', until: tomorrow },
  { label: 'For 7 days', until: (now: number) => now + 168 * HOUR },
] as const;

export function SilenceDialog({ choices, onClose }: { choices: readonly Silenced[]; onClose(): void }) {
  const create = useChange(client.silences.create, ['silences', 'changes']);
  const [chosen, setChosen] = useState(0);
  const [time, setTime] = useState(0);
  const [reason, setReason] = useState('Not needed for now.');
  async function submit() {
    const until = new Date(TIMES[time]!.until(serverNow())).toISOString();
    const { label, terms } = choices[chosen]!;
    await create.mutateAsync({ ...terms, until, reason });
    toast(`${label} is muted until ${exactly(until)}. It is listed under Connect, Muted.`);
    onClose();
  }
  return (
    <FormDialog
      title="Mute"
      about="Matches are still stored and listed. What webhooks would have sent is sent together when it ends."
      action="Mute"
      busy={create.isPending}
      error={create.error}
      obstacle={reason.trim() === '' ? 'Say why, for others who see it.' : undefined}
      onSubmit={() => void submit().catch(() => {})}
      onClose={onClose}
    >
      <Choice
        legend="What"
        name="what"
        options={choices.map(({ label, terms }) => ({ key: terms.rule_ids?.join() ?? label, label }))}
        value={chosen}
        onChange={setChosen}
      />
      <Choice
        legend="How long"
        name="time"
        options={TIMES.map(({ label }) => ({ key: label, label }))}
        value={time}
        onChange={setTime}
      />
      <Field label="Why" error={issueAt(create.error, 'reason') ?? issueAt(create.error, 'until')}>
        {(control) => <Input {...control} value={reason} onChange={({ target }) => setReason(target.value)} />}
      </Field>
    </FormDialog>
  );
}

interface ChoiceProps {
  readonly legend: string;
  readonly name: string;
  /** Two rules may have one name, and so one label. */
  readonly options: readonly { readonly key: string; readonly label: string }[];
  readonly value: number;
  onChange(at: number): void;
}

function Choice({ legend, name, options, value, onChange }: ChoiceProps) {
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1 text-xs font-medium text-soft">{legend}</legend>
      {options.map(({ key, label }, at) => (
        <Radio key={key} name={name} label={label} checked={at === value} onChange={() => onChange(at)} />
      ))}
    </fieldset>
  );
}
