/** The newest matches, one row an event. */
import { Link } from '@tanstack/react-router';
import { useNewestMatches } from '../data/queries.ts';
import { EventExcerpt, EventSource } from '../event/event-body.tsx';
import { readEvent } from '../event/reading.ts';
import { byEvent, type EventRow } from '../matches/by-event.ts';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { PlatformBadge } from '../ui/platform-badge.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { ErrorState } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';

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
  const names = matches.map(({ rule_name }) => rule_name).join(', ');
  return (
    <li className="relative px-3 py-2 hover:bg-hover">
      <div className="mb-0.5 flex min-w-0 items-center gap-2 text-xs">
        <PlatformBadge platform={lead.platform} short />
        <EventSource event={event} />
        {event.isDemo && <Badge>demo</Badge>}
        <Link
          to="/matches/{-$matchId}"
          params={{ matchId: lead.id }}
          className="ml-auto max-w-40 truncate text-soft outline-offset-[-2px] after:absolute after:inset-0"
        >
          <span className="sr-only">Open the match of </span>
          {names}
        </Link>
        <Time at={lead.created_at} className="tabular shrink-0 text-faint" />
      </div>
      <EventExcerpt event={event} />
    </li>
  );
}
