/** A row shows a match in three steps of weight: who says it and when, the passage that matched, and why it is here. */
import { ThumbsDown, ThumbsUp } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Match } from '../data/queries.ts';
import { Avatar, EventSource } from '../event/face.tsx';
import type { ReadEvent } from '../event/reading.ts';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/classes.ts';
import { Time } from '../ui/time.tsx';
import { RATINGS } from '../words/rules.ts';
import type { Density } from './density.ts';
import { ratingOf, useRatings } from './rating.tsx';
import { rowReason } from './relevance-words.ts';

export interface RowFaceProps {
  readonly match: Match;
  readonly event: ReadEvent;
  readonly at: string;
  readonly density: Density;
  /** The rules that matched. None where the page names the rule already. */
  readonly rules: readonly string[];
  /** How many matches a story has, with the button that shows them. */
  readonly story?: ReactNode;
  /** The passage, or the title of the story. */
  readonly children: ReactNode;
}

export function RowFace({ match, event, at, density, rules, story, children }: RowFaceProps) {
  if (density === 'quiet')
    return (
      <div className="flex min-w-0 items-baseline gap-3">
        <span className="w-28 shrink-0 truncate @xl:w-44">
          <EventSource event={event} />
        </span>
        <div className="min-w-0 flex-1">{children}</div>
        {story}
        <Moment match={match} at={at} />
      </div>
    );
  const isDense = density === 'dense';
  const meta = (
    <>
      {rules.length > 0 && <RuleNames names={rules} isDense={isDense} />}
      {story}
    </>
  );
  return (
    <div className={cx('flex min-w-0', isDense ? 'gap-2' : 'gap-3')}>
      <Avatar event={event} isSmall={isDense} />
      <div className="min-w-0 flex-1">
        <div className="flex min-w-0 items-center gap-2">
          {/* Who said it comes before which rule found it: the rules take the room that is left. */}
          <span className={cx('flex min-w-0 shrink-0', isDense ? 'max-w-[46%] @xl:max-w-[60%]' : 'max-w-[80%]')}>
            <EventSource event={event} />
          </span>
          {event.isDemo && <Badge>demo</Badge>}
          <span className="ml-auto flex min-w-0 items-center gap-2 text-xs">
            {isDense && meta}
            <Moment match={match} at={at} />
          </span>
        </div>
        <div className="min-w-0 overflow-hidden">{children}</div>
        {!isDense && <Foot reason={rowReason(match)}>{(rules.length > 0 || story != null) && meta}</Foot>}
      </div>
    </div>
  );
}

/** The rules and the reason of the relevance: beside each other in a wide row; in a narrow one the reason has lines of its own. */
function Foot({ reason, children }: { reason: string | undefined; children: ReactNode }) {
  return (
    <div className="mt-0.5 grid grid-cols-[minmax(0,1fr)] text-xs text-soft empty:hidden @xl:grid-cols-[auto_minmax(0,1fr)] @xl:items-center @xl:gap-x-2">
      {reason !== undefined && (
        <p className="line-clamp-2 @xl:order-last @xl:line-clamp-1 @xl:pointer-coarse:mr-24" title={reason}>
          {reason}
        </p>
      )}
      {children !== false && (
        <div className="flex h-5 min-w-0 items-center gap-2 pointer-coarse:h-8 pointer-coarse:pr-24 @xl:pr-0">
          {children}
        </div>
      )}
    </div>
  );
}

const MARKS = {
  relevant: <ThumbsUp role="img" aria-label={RATINGS.relevant.about} className="size-3.5 text-ok" />,
  irrelevant: <ThumbsDown role="img" aria-label={RATINGS.irrelevant.about} className="size-3.5 text-bad" />,
};

const TWO_LINES =
  'pointer-coarse:max-w-full pointer-coarse:leading-4 pointer-coarse:whitespace-normal pointer-coarse:line-clamp-2';

/** When it came, and how it was rated. */
function Moment({ match, at }: { match: Match; at: string }) {
  const rating = ratingOf(match, useRatings());
  return (
    <span className="flex shrink-0 items-center gap-2 text-xs">
      {rating !== null && MARKS[rating]}
      <Time at={at} className="tabular relative z-10 text-right text-faint @xl:w-14" />
    </span>
  );
}

/**
 * The first rule as a chip, in a wide row the second, too, and how many more there are. On a phone the foot of a row is as
 * high as its buttons, so that a name has two lines there.
 */
function RuleNames({ names, isDense }: { names: readonly string[]; isDense: boolean }) {
  const more = names.length - 2;
  return (
    <span className="flex min-w-0 shrink-0 gap-1 pointer-coarse:shrink" title={names.join(', ')}>
      {names.slice(0, 2).map((name, at) => (
        <span
          key={name}
          className={cx(
            'max-w-36 min-w-0 truncate rounded-sm bg-hover px-1.5 leading-5 text-soft @xl:max-w-44',
            at > 0 ? 'hidden @2xl:inline' : !isDense && TWO_LINES,
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
