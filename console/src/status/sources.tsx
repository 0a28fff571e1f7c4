/** The sources of events. Only the operator sees them. */
import type { Status } from '../data/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
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
  const { name, kind, state, events_per_minute, lag_seconds, last_event_at, last_error } = source;
  const { words, tone, about } = SOURCE_STATES[state];
  const pace = SOURCE_PACES[source.pace];
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
      <Td className="tabular">
        {figure(events_per_minute)}
        <span className="block text-xs text-faint" title={pace.about}>
          {pace.words}
        </span>
      </Td>
      <Td className="tabular whitespace-nowrap">{lag_seconds === null ? '–' : lasting(lag_seconds * 1_000)}</Td>
      <Td className="tabular whitespace-nowrap">{last_event_at === null ? 'none yet' : <Time at={last_event_at} />}</Td>
    </tr>
  );
}
