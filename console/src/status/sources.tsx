/** The sources of events. Only the operator sees them. */
import type { Status } from '../data/queries.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/classes.ts';
import { figure } from '../ui/moment.ts';
import { Table, Td, Th } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { SOURCE_PACES, SOURCE_STATES } from '../words/platform-states.ts';
import { lasting, type Source } from './health.ts';

export function Sources({ status: { sources = [] } }: { status: Status }) {
  if (sources.length === 0) return null;
  return (
    <Card title="Sources" flush>
      <Table label="Sources">
        <thead>
          <tr>
            <Th>Source</Th>
            <Th>State</Th>
            <Th>Events per minute</Th>
            <Th>Lag</Th>
            <Th>Errors</Th>
            <Th>Last good</Th>
            <Th>Last event</Th>
          </tr>
        </thead>
        <tbody>
          {sources.map((source) => (
            <SourceRow key={source.name} source={source} />
          ))}
        </tbody>
      </Table>
    </Card>
  );
}

function SourceRow({ source }: { source: Source }) {
  const { name, kind, state, lag_seconds, last_event_at, last_good_at, errors, last_error } = source;
  const { words, tone, about } = SOURCE_STATES[state];
  return (
    <tr className="last:[&>td]:border-0">
      <Td className="min-w-32 break-words">
        <span className="font-medium">{name}</span> <span className="text-faint">{kind}</span>
        {last_error !== null && (
          <span className="block text-xs break-words text-bad">
            {last_error.message} (<Time at={last_error.at} />)
          </span>
        )}
      </Td>
      <Td>
        <Badge tone={tone} dot>
          {words}
        </Badge>
        <span className="block text-xs text-faint">{about}</span>
      </Td>
      <Td className="tabular whitespace-nowrap">
        <Rate source={source} />
      </Td>
      <Td className="tabular whitespace-nowrap">{lag_seconds === null ? '–' : lasting(lag_seconds * 1_000)}</Td>
      <Td className={cx('tabular', errors > 0 && 'text-bad')} title="Since the server started">
        {figure(errors)}
      </Td>
      <Td className="tabular whitespace-nowrap">{last_good_at === null ? 'not yet' : <Time at={last_good_at} />}</Td>
      <Td className="tabular whitespace-nowrap">{last_event_at === null ? 'none yet' : <Time at={last_event_at} />}</Td>
    </tr>
  );
}

const TONES: Readonly<Record<Tone, string>> = {
  neutral: 'text-faint',
  accent: 'text-accent',
  ok: 'text-faint',
  warn: 'text-warn',
  bad: 'text-bad',
};

/** The rate against what is usual for this source. */
function Rate({ source: { events_per_minute, usual_events_per_minute, pace } }: { source: Source }) {
  const { words, tone, about } = SOURCE_PACES[pace];
  return (
    <>
      {figure(events_per_minute)}
      <span title={about} className={cx('block text-xs', TONES[tone])}>
        {words}
        {usual_events_per_minute !== null && `, usually ${figure(usual_events_per_minute)}`}
      </span>
    </>
  );
}
