/** The stories of a filter, with what can be done with them: unfold one in place, rate it, and load older ones. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight, Radio } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { client } from '../data/client.ts';
import type { Match } from '../data/queries.ts';
import { EventExcerpt } from '../event/event-body.tsx';
import { Avatar, EventSource } from '../event/face.tsx';
import { readEvent } from '../event/reading.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/classes.ts';
import { counted } from '../ui/moment.ts';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { byEvent, type EventRow } from './by-event.ts';
import type { Act } from './match-dialogs.tsx';
import { RowActions } from './row-actions.tsx';
import { EVERY, type Story, StoryList, type useStories } from './stories.tsx';

/** An unfolded story is read from its newest matches but the first, which stands above them. Several may be of one post. */
const UNFOLDED = 50;
/** More would push the other stories away; a link leads to all. */
const MOST_SHOWN = 10;

export interface Unfolded {
  readonly storyId: string;
  /** They are undefined until they are loaded. */
  readonly rows: readonly EventRow[] | undefined;
}

export function useUnfolded(story: Story | undefined, ruleId: string | undefined): Unfolded | undefined {
  const input = { story_id: story?.id ?? '', ...(ruleId !== undefined && { rule_id: ruleId }), limit: UNFOLDED };
  const { data } = useQuery({
    queryKey: ['matches', 'story', input, story?.size],
    queryFn: ({ signal }) => client.matches.list(input, { signal }),
    enabled: story !== undefined,
    staleTime: EVERY,
  });
  return useMemo(
    () =>
      story && {
        storyId: story.id,
        rows:
          data &&
          byEvent(data.matches.filter(({ event_id }) => event_id !== story.first_match.event_id)).slice(0, MOST_SHOWN),
      },
    [story, data],
  );
}

export interface StoriesProps {
  readonly found: ReturnType<typeof useStories>;
  /** The list is filtered by a rule. */
  readonly isOfOneRule: boolean;
  readonly openId: string | undefined;
  readonly unfolded: Unfolded | undefined;
  /** The match that the keyboard has selected. */
  readonly currentId: string | undefined;
  onOpen(match: Match): void;
  onUnfold(story: Story): void;
  onAct(act: Act, match: Match): void;
}

export function Stories({ found, isOfOneRule, openId, unfolded, currentId, onOpen, onUnfold, onAct }: StoriesProps) {
  const { stories, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = found;
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    if (currentId !== undefined)
      list.current?.querySelector<HTMLElement>(`[data-match="${CSS.escape(currentId)}"]`)?.focus();
  }, [currentId]);
  if (error !== null && stories === undefined) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (stories === undefined) return <SkeletonRows rows={8} />;
  if (stories.length === 0)
    return (
      <EmptyState icon={<Radio aria-hidden className="size-5" />} title="No stories yet">
        Posts and pages that match your rules appear here as they arrive, one row for each thing that they tell. Matches
        that are older than stories are under Single matches.
      </EmptyState>
    );
  return (
    <>
      <StoryList
        ref={list}
        stories={stories}
        openId={openId}
        onOpen={onOpen}
        size={(story, words) => (
          <Unfold
            words={isOfOneRule && story.rule_ids.length > 1 ? sizeOfAll(story) : words}
            isUnfolded={unfolded?.storyId === story.id}
            onUnfold={() => onUnfold(story)}
          />
        )}
        actions={({ first_match }) => (
          <RowActions match={first_match} isCurrent={first_match.id === currentId} onAct={onAct} />
        )}
        below={({ id, title }) =>
          unfolded?.storyId === id && <Followers unfolded={unfolded} openId={openId} onOpen={onOpen} title={title} />
        }
      />
      {hasNextPage && (
        <div className="flex justify-center border-t py-2">
          <Button look="quiet" size="small" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Load older stories
          </Button>
        </div>
      )}
    </>
  );
}

/** Other rules count too, so that more are said than one rule has. */
const sizeOfAll = ({ size, rule_ids }: Story): string =>
  `${counted(size, 'match', 'matches')} of ${counted(rule_ids.length, 'rule')}`;

/** How many tell the story, and the button that shows them in place. */
function Unfold({ words, isUnfolded, onUnfold }: { words: ReactNode; isUnfolded: boolean; onUnfold(): void }) {
  return (
    <button
      type="button"
      aria-expanded={isUnfolded}
      onClick={onUnfold}
      className="relative z-10 inline-flex h-6 shrink-0 items-center gap-0.5 rounded-sm pr-1.5 text-xs font-medium text-accent hover:bg-accent-soft"
    >
      <ChevronRight aria-hidden className={cx('size-3.5 transition-transform', isUnfolded && 'rotate-90')} />
      {words}
    </button>
  );
}

interface FollowersProps {
  readonly unfolded: Unfolded;
  readonly openId: string | undefined;
  readonly title: string;
  onOpen(match: Match): void;
}

/** The matches that told the story after the first, the newest first. */
function Followers({ unfolded: { storyId, rows }, openId, title, onOpen }: FollowersProps) {
  if (rows === undefined) return <SkeletonRows rows={2} />;
  return (
    <ul aria-label={`Matches of the story: ${title.slice(0, 80)}`} className="border-t bg-sunken py-1">
      {rows.map(({ lead }) => (
        <Follower key={lead.event_id} match={lead} isOpen={lead.id === openId} onOpen={onOpen} />
      ))}
      <li className="py-1 pl-14 text-xs">
        <Link to="/matches/{-$matchId}" params={{}} search={{ story: storyId }} className="link">
          {rows.length === 0 ? 'Further rules matched the same post or page' : 'All matches of this story'}
        </Link>
      </li>
    </ul>
  );
}

function Follower({ match, isOpen, onOpen }: { match: Match; isOpen: boolean; onOpen(match: Match): void }) {
  const event = readEvent(match.platform, match.payload, match.highlights, match.demo);
  return (
    <li className={cx('@container relative px-3 py-1 pl-14', isOpen ? 'bg-accent-soft' : 'hover:bg-hover')}>
      {/* In a narrow row the passage has a line of its own: beside the author a word of it would be left. */}
      <div className="flex flex-wrap items-center gap-x-2 @lg:flex-nowrap">
        <Avatar event={event} isSmall />
        <span className="min-w-0 flex-1 truncate @lg:w-28 @lg:flex-none @2xl:w-40">
          <EventSource event={event} />
        </span>
        <div className="min-w-0 max-@lg:order-last max-@lg:basis-full @lg:flex-1">
          <EventExcerpt event={event} isOneLine />
        </div>
        <Time at={match.created_at} className="tabular shrink-0 text-xs text-faint" />
      </div>
      <button
        type="button"
        data-match={match.id}
        aria-label={`Open the match of ${match.rule_name}`}
        aria-current={isOpen || undefined}
        onClick={() => onOpen(match)}
        className="absolute inset-0 outline-offset-[-2px]"
      />
    </li>
  );
}
