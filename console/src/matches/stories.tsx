/** Matches told as stories: what several posts and pages tell is one row, with who had it first and how many followed. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useMemo } from 'react';
import type { Answer, Input } from '../../../packages/client/src/index.ts';
import { client } from '../data/client.ts';
import { type Match, useRules } from '../data/queries.ts';
import { StoryExcerpt } from '../event/event-body.tsx';
import { readEvent } from '../event/reading.ts';
import { cx } from '../ui/classes.ts';
import { counted } from '../ui/moment.ts';
import { useDensity } from './density.ts';
import { RowFace } from './row-face.tsx';
import { ROW_PADDING } from './row-height.ts';

export type Story = Answer<'listStories'>['stories'][number];
export type StoryFilter = Pick<Input<'listStories'>, 'rule_id' | 'platform' | 'since' | 'until'>;

const PAGE = 30;
export const EVERY = 5_000;

/** `isHeld`: the reader wants the rows to stay where they are. What comes meanwhile is only counted. */
export function useStories(filter: StoryFilter, { enabled = true, limit = PAGE, isHeld = false } = {}) {
  const { data, ...query } = useInfiniteQuery({
    queryKey: ['matches', 'stories', filter, limit],
    queryFn: ({ signal, pageParam }) =>
      client.stories({ ...filter, limit, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    // A reader who has loaded more is reading there.
    refetchInterval: ({ state }) => (isHeld || isLong(state.data) ? false : EVERY),
    refetchOnWindowFocus: ({ state }) => !isHeld && !isLong(state.data),
    refetchOnReconnect: ({ state }) => !isHeld && !isLong(state.data),
    enabled,
  });
  // A story that got a match meanwhile is on two pages; it is shown once, where it is now.
  const stories = useMemo(
    () => data && [...new Map(data.pages.flatMap((page) => page.stories).map((story) => [story.id, story])).values()],
    [data],
  );
  const newest = useQuery({
    queryKey: ['matches', 'stories', 'newest', filter, limit],
    queryFn: ({ signal }) => client.stories({ ...filter, limit }, { signal }),
    refetchInterval: EVERY,
    enabled: enabled && data !== undefined && (isHeld || isLong(data)),
  });
  const isNewer = newest.data !== undefined && newest.dataUpdatedAt > query.dataUpdatedAt;
  return {
    stories,
    isLong: isLong(data),
    waiting: isNewer ? newsIn(newest.data.stories, stories ?? []) : 0,
    ...query,
  };
}

const isLong = (data: { pages: readonly unknown[] } | undefined): boolean => (data?.pages.length ?? 0) > 1;

/** How many stories are not in the list, or got a match since. */
function newsIn(newest: readonly Story[], shown: readonly Story[]): number {
  const last = new Map(shown.map(({ id, last_at }) => [id, last_at]));
  const oldest = shown.at(-1)?.last_at ?? '';
  return newest.filter(({ id, last_at }) => last_at > (last.get(id) ?? oldest)).length;
}

/** The parts that a page adds to its rows. */
export interface StoryParts {
  /** In place of the words that say how many tell the story. */
  size?(story: Story, words: ReactNode): ReactNode;
  actions?(story: Story): ReactNode;
  below?(story: Story): ReactNode;
}

export interface StoryListProps extends StoryParts {
  readonly stories: readonly Story[];
  readonly openId?: string | undefined;
  readonly ref?: RefObject<HTMLUListElement | null>;
  onOpen(match: Match): void;
}

export function StoryList({ stories, ref, ...row }: StoryListProps) {
  const { data: rules } = useRules();
  const names = useMemo(() => new Map(rules?.map(({ id, name }) => [id, name])), [rules]);
  return (
    <ul ref={ref} aria-label="Stories" className="divide-y">
      {stories.map((story) => (
        <StoryRow key={story.id} story={story} names={names} {...row} />
      ))}
    </ul>
  );
}

interface StoryRowProps extends Omit<StoryListProps, 'stories' | 'ref'> {
  readonly story: Story;
  readonly names: ReadonlyMap<string, string>;
}

function StoryRow({ story, names, openId, onOpen, size, actions, below }: StoryRowProps) {
  const { first_match: first, title, rule_ids, last_at } = story;
  const density = useDensity();
  const event = readEvent(first.platform, first.payload, first.highlights, first.demo);
  const rules = rule_ids.map((id) => names.get(id) ?? first.rule_name);
  const words = (
    <span>
      {counted(story.size, 'match', 'matches')}
      {!first.story_first && <span className="hidden @lg:inline">, this was not the first</span>}
    </span>
  );
  const isOpen = first.id === openId;
  return (
    <li>
      <div
        className={cx(
          'group @container relative px-3',
          ROW_PADDING[density],
          isOpen ? 'bg-accent-soft' : 'hover:bg-hover',
        )}
      >
        <RowFace
          match={first}
          event={event}
          at={last_at}
          density={density}
          rules={rules}
          story={story.size > 1 && (size?.(story, words) ?? <span className="shrink-0 text-xs">{words}</span>)}
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
        {actions?.(story)}
      </div>
      {below?.(story)}
    </li>
  );
}
