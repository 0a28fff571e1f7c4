/** Matches told as stories: what several posts and pages tell is one row, with who had it first and how many followed. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight, Radio } from 'lucide-react';
import { type RefObject, useEffect, useMemo, useRef } from 'react';
import type { Answer, Input } from '../../../packages/client/src/index.ts';
import { client } from '../data/client.ts';
import { type Match, useRules } from '../data/queries.ts';
import { EventExcerpt, StoryExcerpt } from '../event/event-body.tsx';
import { Avatar, EventSource } from '../event/face.tsx';
import { readEvent } from '../event/reading.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/classes.ts';
import { counted } from '../ui/moment.ts';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { byEvent, type EventRow } from './by-event.ts';
import { useDensity } from './density.ts';
import type { Act } from './match-dialogs.tsx';
import { RowActions } from './row-actions.tsx';
import { RowFace } from './row-face.tsx';
import { ROW_PADDING } from './row-height.ts';

export type Story = Answer<'listStories'>['stories'][number];
export type StoryFilter = Pick<Input<'listStories'>, 'rule_id' | 'platform' | 'since' | 'until'>;

const PAGE = 30;
const EVERY = 5_000;

export function useStories(filter: StoryFilter, { enabled = true, limit = PAGE } = {}) {
  const { data, ...query } = useInfiniteQuery({
    queryKey: ['matches', 'stories', filter, limit],
    queryFn: ({ signal, pageParam }) =>
      client.stories({ ...filter, limit, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    // A reader who has loaded more is reading there.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : EVERY),
    enabled,
  });
  // A story that got a match meanwhile is on two pages; it is shown once, where it is now.
  const stories = useMemo(
    () => data && [...new Map(data.pages.flatMap((page) => page.stories).map((story) => [story.id, story])).values()],
    [data],
  );
  return { stories, ...query };
}

/** What an unfolded story shows: its newest matches but the first, which stands above them. */
const UNFOLDED = 50;

export interface Unfolded {
  readonly storyId: string;
  /** Undefined until they are loaded. */
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
        rows: data && byEvent(data.matches.filter(({ event_id }) => event_id !== story.first_match.event_id)),
      },
    [story, data],
  );
}

interface RowDeps {
  readonly openId?: string | undefined;
  readonly unfolded?: Unfolded | undefined;
  /** The match that the keyboard has selected. */
  readonly currentId?: string | undefined;
  onOpen(match: Match): void;
  onUnfold?(story: Story): void;
  onAct?(act: Act, match: Match): void;
}

export interface StoriesProps extends RowDeps {
  readonly found: ReturnType<typeof useStories>;
}

export function Stories({ found, ...rows }: StoriesProps) {
  const { stories, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = found;
  const { currentId } = rows;
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
      <StoryList ref={list} stories={stories} {...rows} />
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

export interface StoryListProps extends RowDeps {
  readonly stories: readonly Story[];
  readonly ref?: RefObject<HTMLUListElement | null>;
}

export function StoryList({ stories, ref, ...rows }: StoryListProps) {
  const { data: rules } = useRules();
  const names = useMemo(() => new Map(rules?.map(({ id, name }) => [id, name])), [rules]);
  return (
    <ul ref={ref} aria-label="Stories" className="divide-y">
      {stories.map((story) => (
        <StoryRow key={story.id} story={story} names={names} {...rows} />
      ))}
    </ul>
  );
}

interface StoryRowProps extends RowDeps {
  readonly story: Story;
  readonly names: ReadonlyMap<string, string>;
}

const ROW = 'group @container relative px-3';

function StoryRow({ story, names, ...deps }: StoryRowProps) {
  const { unfolded, currentId, openId, onOpen, onAct } = deps;
  const { first_match: first, title, rule_ids, last_at } = story;
  const density = useDensity();
  const event = readEvent(first.platform, first.payload, first.highlights, first.demo);
  const rules = rule_ids.map((id) => names.get(id) ?? first.rule_name);
  const isUnfolded = unfolded?.storyId === story.id;
  const isOpen = first.id === openId;
  return (
    <li>
      <div className={cx(ROW, ROW_PADDING[density], isOpen ? 'bg-accent-soft' : 'hover:bg-hover')}>
        <RowFace
          match={first}
          event={event}
          at={last_at}
          density={density}
          rules={rules}
          story={<Size story={story} isUnfolded={isUnfolded} {...deps} />}
        >
          <StoryExcerpt title={title} event={event} isOneLine={density !== 'comfortable'} />
        </RowFace>
        <button
          type="button"
          data-match={first.id}
          aria-label={`Open the story: ${title.slice(0, 80)}`}
          aria-current={isOpen || undefined}
          onClick={() => onOpen(first)}
          className="absolute inset-0 outline-offset-[-2px]"
        />
        {onAct !== undefined && <RowActions match={first} isCurrent={first.id === currentId} onAct={onAct} />}
      </div>
      {isUnfolded && <Followers unfolded={unfolded} openId={openId} onOpen={onOpen} title={title} />}
    </li>
  );
}

/** How many tell the story. Where the page can show them in place, it is the button that does. */
function Size({ story, isUnfolded, onUnfold }: { story: Story; isUnfolded: boolean } & Pick<RowDeps, 'onUnfold'>) {
  if (story.size === 1) return null;
  const words = `${counted(story.size, 'match', 'matches')}, this was the first`;
  if (onUnfold === undefined) return <span className="shrink-0 text-xs">{words}</span>;
  return (
    <button
      type="button"
      aria-expanded={isUnfolded}
      onClick={() => onUnfold(story)}
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

/** Who told the story after the first, the newest first. */
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
    <li className={cx(ROW, 'flex items-center gap-2 py-1 pl-14', isOpen ? 'bg-accent-soft' : 'hover:bg-hover')}>
      <Avatar event={event} isSmall />
      <span className="w-28 shrink-0 truncate @2xl:w-40">
        <EventSource event={event} />
      </span>
      <div className="min-w-0 flex-1">
        <EventExcerpt event={event} isOneLine />
      </div>
      <Time at={match.created_at} className="tabular shrink-0 text-xs text-faint" />
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
