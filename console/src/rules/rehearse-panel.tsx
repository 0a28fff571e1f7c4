/** Beside the editor: the rule is tried on history, on the server, as a job that can be left and cancelled. */
import { History } from 'lucide-react';
import { useState } from 'react';
import { Chart } from '../chart/chart.tsx';
import { type Platform, useReadOnly } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Input } from '../ui/input.tsx';
import { Meter } from '../ui/meter.tsx';
import { counted, figure } from '../ui/moment.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { type Flags, PLATFORMS } from './draft.ts';
import { columnsOfRehearsal, type Rehearsed, type RehearsedPlatform } from './rehearsal-columns.ts';
import { type RehearsalHistory, useRehearsal } from './use-rehearsal.ts';

export interface RehearsePanelProps {
  /** The valid texts. */
  readonly texts: Partial<Record<Platform, string>>;
  readonly flags: Flags;
}

export function RehearsePanel({ texts, flags }: RehearsePanelProps) {
  const { rehearsal, start, cancel, canStart } = useRehearsal(texts, flags);
  const readOnly = useReadOnly();
  const [file, setFile] = useState('');
  const isUnderWay = rehearsal?.ended_at === null;
  const history: RehearsalHistory = file.trim() === '' ? { kind: 'recent' } : { kind: 'file', file: file.trim() };
  const error = start.error ?? cancel.error;
  return (
    <Card title="Try it on the past" aside={<span role="status">{rehearsal && STATES[rehearsal.status]}</span>}>
      <div className="flex flex-wrap items-center gap-2">
        <Input
          aria-label="File in the folder of history"
          className="min-w-0 flex-1"
          placeholder="Recent events, or a file"
          value={file}
          disabled={isUnderWay}
          onChange={(event) => setFile(event.target.value)}
        />
        {isUnderWay ? (
          <Button busy={cancel.isPending} onClick={() => cancel.mutate(rehearsal.id)}>
            Cancel
          </Button>
        ) : (
          <Button
            icon={<History aria-hidden className="size-3.5" />}
            busy={start.isPending}
            obstacle={obstacleTo(readOnly, canStart)}
            onClick={() => start.mutate(history)}
          >
            Try it
          </Button>
        )}
      </div>
      {error !== null && (
        <p role="alert" className="mt-2 text-sm text-bad">
          {error.message}
        </p>
      )}
      {rehearsal !== undefined && <Result rehearsal={rehearsal} />}
    </Card>
  );
}

const STATES: Readonly<Record<Rehearsed['status'], string>> = {
  waiting: 'Waiting',
  running: 'Running',
  done: 'Done',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

function obstacleTo(readOnly: boolean, canStart: boolean): string | undefined {
  if (readOnly) return 'This key can only read.';
  return canStart ? undefined : 'Write a valid rule first.';
}

function Result({ rehearsal }: { rehearsal: Rehearsed }) {
  const { progress, events, error, result } = rehearsal;
  return (
    <div className="mt-3 grid gap-3 text-sm">
      {rehearsal.ended_at === null && progress !== null && (
        <Meter label="Share of the history that was read" value={progress} limit={1} />
      )}
      {error !== undefined && <p className="text-bad">{error}</p>}
      <p className="text-soft">{counted(events, 'event')} read</p>
      {PLATFORMS.map((platform) => {
        const found = result.platforms[platform];
        return found && <Found key={platform} platform={platform} found={found} />;
      })}
    </div>
  );
}

function Found({ platform, found }: { platform: Platform; found: RehearsedPlatform }) {
  const { times, values } = columnsOfRehearsal(found.timeline);
  const { month, stories, languages } = found;
  const missed = found.near_misses.filter((one) => one.missed > 0);
  return (
    <section aria-label={PLATFORM_NAMES[platform]} className="grid gap-2">
      <p>
        {PLATFORM_NAMES[platform]}: {counted(found.matched, 'match', 'matches')} in{' '}
        {counted(stories.count, 'story', 'stories')}. {expectation(month)}
      </p>
      {times.length > 0 && (
        <Chart
          label="Matches in the past"
          times={times}
          series={[{ name: 'Matches', values, colour: 'accent' }]}
          look="columns"
          height={96}
        />
      )}
      {languages.length > 0 && (
        <p className="text-soft">
          Languages:{' '}
          {languages
            .slice(0, 5)
            .map(({ language, matched }) => `${language} ${figure(matched)}`)
            .join(', ')}
        </p>
      )}
      {stories.largest.length > 0 && (
        <ul aria-label="Largest stories" className="space-y-1">
          {stories.largest.slice(0, 3).map(({ title, matches, from }) => (
            <li key={`${from} ${title}`} className="flex justify-between gap-3">
              <span className="min-w-0 truncate">{title ?? 'An erased post'}</span>
              <span className="tabular text-faint">{figure(matches)}</span>
            </li>
          ))}
        </ul>
      )}
      {missed.length > 0 && (
        <ul aria-label="Near misses in the past" className="space-y-1">
          {missed.slice(0, 5).map(({ text, span, missed: count }) => (
            <li key={span.start} className="flex justify-between gap-3">
              <span className="min-w-0 truncate">
                Kept out only by <code>{text}</code>
              </span>
              <span className="tabular text-faint">{figure(count)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const BASES: Readonly<Record<RehearsedPlatform['month']['basis'], string>> = {
  whole_stream: 'judged by all recent events',
  file: 'if the file is the whole stream',
  archive: 'judged by the archive',
  existing_rules: 'No estimate: this platform only delivers events that existing rules match.',
  demo: 'No estimate: the demo feed invented these events.',
  too_short: 'No estimate: the events span less than ten minutes, or matched in a few bursts.',
};

function expectation({ matches, cost, currency, basis }: RehearsedPlatform['month']): string {
  if (matches === null) return BASES[basis];
  const price = cost === null ? '' : `, which the platform would sell for ${priceOf(cost, currency)}`;
  return `In a month ${figure(matches)}${price} (${BASES[basis]}).`;
}

/** A number alone could be of any currency: where none is set, that is said. */
const priceOf = (cost: number, currency: string | null): string =>
  currency === null ? `${figure(cost)}, in the currency of its price` : `${currency} ${figure(cost)}`;
