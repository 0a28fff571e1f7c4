/** One post or page in the feed, with the rules that matched it. Its height is known before it is drawn. */
import { memo } from 'react';
import type { Match } from '../data/queries.ts';
import { EventExcerpt, EventSource } from '../event/event-body.tsx';
import { readEvent } from '../event/reading.ts';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/classes.ts';
import { PlatformBadge } from '../ui/platform-badge.tsx';
import { Time } from '../ui/time.tsx';

export interface MatchRowProps {
  readonly height: number;
  readonly match: Match;
  /** The names of the rules that matched the event. */
  readonly rules: string;
  /** Whether it says which rules they were. */
  readonly hasChips: boolean;
  /** Marked in the text beside what matched. */
  readonly searched?: string | undefined;
  readonly isCurrent: boolean;
  readonly isOpen: boolean;
  onOpen(match: Match): void;
}

export const MatchRow = memo(function MatchRow({
  height,
  match,
  rules,
  hasChips,
  searched,
  isCurrent,
  isOpen,
  onOpen,
}: MatchRowProps) {
  const event = readEvent(match.platform, match.payload, match.highlights, match.demo);
  const names = rules.split('\n');
  return (
    <div
      style={{ height }}
      className={cx(
        '@container relative flex flex-col contain-strict gap-0.5 overflow-hidden border-b px-3 py-2',
        isOpen ? 'bg-accent-soft' : 'hover:bg-hover',
      )}
    >
      <div className="flex min-w-0 items-center gap-2">
        <PlatformBadge platform={match.platform} short />
        {/* Who said it comes before which rule found it: the rules take the room that is left. */}
        <span className="flex max-w-[46%] min-w-0 shrink-0 @xl:max-w-[60%]">
          <EventSource event={event} />
        </span>
        {event.isDemo && <Badge>demo</Badge>}
        <span className="ml-auto flex min-w-0 items-center gap-2 text-xs">
          {hasChips && <Rules names={names} />}
          <Time at={match.created_at} className="tabular relative z-10 shrink-0 text-right text-faint @xl:w-14" />
        </span>
      </div>
      <div className="min-h-0 overflow-hidden">
        <EventExcerpt event={event} searched={searched} />
      </div>
      <button
        type="button"
        data-match={match.id}
        tabIndex={isCurrent ? 0 : -1}
        aria-label={`Open the match of ${names.join(', ')}`}
        aria-current={isOpen || undefined}
        onClick={() => onOpen(match)}
        className="absolute inset-0 scroll-mt-20 scroll-mb-4 outline-offset-[-2px]"
      />
    </div>
  );
});

/** The first rule as a chip, in a wide row the second, too, and how many more there are. */
function Rules({ names }: { names: readonly string[] }) {
  const more = names.length - 2;
  return (
    <span className="flex min-w-0 gap-1" title={names.join(', ')}>
      {names.slice(0, 2).map((name, at) => (
        <span
          key={name}
          className={cx(
            'max-w-44 min-w-0 truncate rounded-sm bg-hover px-1.5 leading-5 text-soft',
            at > 0 && 'hidden @2xl:inline',
          )}
        >
          {name}
        </span>
      ))}
      {names.length > 1 && <span className="leading-5 text-faint @2xl:hidden">+{names.length - 1}</span>}
      {more > 0 && <span className="hidden leading-5 text-faint @2xl:inline">+{more}</span>}
    </span>
  );
}
