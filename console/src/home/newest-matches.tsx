/** The newest matches, one row an event. */
import { Link } from '@tanstack/react-router';
import { useNewestMatches } from '../data/queries.ts';
import { EventExcerpt } from '../event/event-body.tsx';
import { readEvent } from '../event/reading.ts';
import { byEvent, type EventRow } from '../matches/by-event.ts';
import { RowFace } from '../matches/row-face.tsx';
import { Card } from '../ui/card.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { ErrorState } from '../ui/states.tsx';

const ASKED = 20;
const SHOWN = 8;

export function NewestMatches() {
  const { data, error, refetch } = useNewestMatches(ASKED);
  return (
    <Card
      title="Newest matches"
      flush
      aside={
        <Link to="/matches/{-$matchId}" className="link">
          All matches
        </Link>
      }
    >
      {error !== null && data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonRows rows={5} />
      ) : data.length === 0 ? (
        <p className="px-3 py-4 text-soft">No rule has matched anything yet.</p>
      ) : (
        <ul className="divide-y">
          {byEvent(data)
            .slice(0, SHOWN)
            .map((row) => (
              <NewestRow key={row.lead.event_id} row={row} />
            ))}
        </ul>
      )}
    </Card>
  );
}

function NewestRow({ row: { lead, matches } }: { row: EventRow }) {
  const event = readEvent(lead.platform, lead.payload, lead.highlights, lead.demo);
  const names = matches.map(({ rule_name }) => rule_name);
  return (
    <li className="@container relative px-3 py-2.5 hover:bg-hover">
      <RowFace match={lead} event={event} at={lead.created_at} density="comfortable" rules={names}>
        <EventExcerpt event={event} />
      </RowFace>
      <Link
        to="/matches/{-$matchId}"
        params={{ matchId: lead.id }}
        aria-label={`Open the match of ${names.join(', ')}`}
        className="absolute inset-0 outline-offset-[-2px]"
      />
    </li>
  );
}
