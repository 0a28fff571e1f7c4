/** One match in the feed. All rows have the same height, so that nothing jumps when others arrive. */
import { memo } from 'react';
import type { Match } from '../data/queries.ts';
import { EventExcerpt, EventSource } from '../event/event-body.tsx';
import { readEvent } from '../event/reading.ts';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/classes.ts';
import { PlatformBadge } from '../ui/platform-badge.tsx';
import { Time } from '../ui/time.tsx';

/** Two lines of text on wide screens, three on narrow ones. */
export const ROW_HEIGHTS = { wide: 80, narrow: 100 };

export interface MatchRowProps {
  readonly match: Match;
  readonly isCurrent: boolean;
  readonly isOpen: boolean;
  onOpen(match: Match): void;
}

export const MatchRow = memo(function MatchRow({ match, isCurrent, isOpen, onOpen }: MatchRowProps) {
  const event = readEvent(match.platform, match.payload, match.highlights, match.demo);
  return (
    <div
      className={cx(
        'relative flex h-[100px] flex-col contain-strict gap-0.5 overflow-hidden border-b px-3 py-2 md:h-[80px]',
        isOpen ? 'bg-accent-soft' : 'hover:bg-hover',
      )}
    >
      <div className="flex min-w-0 items-center gap-2">
        <PlatformBadge platform={match.platform} short />
        <EventSource event={event} />
        {event.isDemo && <Badge>demo</Badge>}
        <span className="ml-auto flex min-w-0 shrink-0 items-center gap-2 text-xs">
          <span className="max-w-28 truncate text-soft sm:max-w-48">{match.rule_name}</span>
          <Time at={match.created_at} className="tabular relative z-10 w-14 text-right text-faint" />
        </span>
      </div>
      <div className="min-h-0 overflow-hidden">
        <EventExcerpt event={event} />
      </div>
      <button
        type="button"
        data-match={match.id}
        tabIndex={isCurrent ? 0 : -1}
        aria-label={`Open the match of ${match.rule_name}`}
        aria-current={isOpen || undefined}
        onClick={() => onOpen(match)}
        className="absolute inset-0 scroll-mt-20 scroll-mb-4 outline-offset-[-2px]"
      />
    </div>
  );
});
