/** Matches told as stories: what several posts and pages tell is one row, with who had it first and how many followed. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Radio } from 'lucide-react';
import { type RefObject, useEffect, useMemo, useRef } from 'react';
import type { Answer, Input } from '../../../packages/client/src/index.ts';
import { client } from '../data/client.ts';
import { useRules } from '../data/queries.ts';
import { EventSource } from '../event/event-body.tsx';
import { readEvent } from '../event/reading.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/classes.ts';
import { counted } from '../ui/moment.ts';
import { PlatformBadge } from '../ui/platform-badge.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';

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

export interface StoriesProps {
  readonly found: ReturnType<typeof useStories>;
  readonly openId: string | undefined;
  /** The first match of the story that the keyboard has selected. */
  readonly currentId: string | undefined;
  onOpen(story: Story): void;
}

export function Stories({ found, openId, currentId, onOpen }: StoriesProps) {
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
      <StoryList ref={list} stories={stories} openId={openId} onOpen={onOpen} />
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

export interface StoryListProps {
  readonly stories: readonly Story[];
  readonly openId?: string | undefined;
  readonly ref?: RefObject<HTMLUListElement | null>;
  onOpen(story: Story): void;
}

export function StoryList({ stories, openId, ref, onOpen }: StoryListProps) {
  const { data: rules } = useRules();
  const names = useMemo(() => new Map(rules?.map(({ id, name }) => [id, name])), [rules]);
  return (
    <ul ref={ref} aria-label="Stories" className="divide-y">
      {stories.map((story) => (
        <StoryRow key={story.id} story={story} names={names} isOpen={story.id === openId} onOpen={onOpen} />
      ))}
    </ul>
  );
}

interface StoryRowProps {
  readonly story: Story;
  readonly names: ReadonlyMap<string, string>;
  readonly isOpen: boolean;
  onOpen(story: Story): void;
}

function StoryRow({ story, names, isOpen, onOpen }: StoryRowProps) {
  const { first_match: first, title, size, platforms, rule_ids, last_at } = story;
  const event = readEvent(first.platform, first.payload, first.highlights, first.demo);
  const rules = rule_ids.map((id) => names.get(id) ?? first.rule_name);
  return (
    <li className={cx('@container relative grid gap-0.5 px-3 py-2', isOpen ? 'bg-accent-soft' : 'hover:bg-hover')}>
      <div className="flex min-w-0 items-center gap-2 text-xs">
        {platforms.map((platform) => (
          <PlatformBadge key={platform} platform={platform} short />
        ))}
        <span className="flex max-w-[46%] min-w-0 shrink-0 @xl:max-w-[60%]">
          <EventSource event={event} />
        </span>
        {event.isDemo && <Badge>demo</Badge>}
        <span className="ml-auto max-w-64 min-w-0 truncate text-soft" title={rules.join(', ')}>
          {rules.join(', ')}
        </span>
        <Time at={last_at} className="tabular shrink-0 text-right text-faint @xl:w-14" />
      </div>
      <p dir="auto" className="line-clamp-2 font-medium break-words">
        {title}
      </p>
      <p className="text-xs text-soft">
        {size === 1 ? 'told once' : `${counted(size, 'match', 'matches')}, this was the first`}
        {story.relevance !== null && `, ${Math.round(story.relevance * 100)} % relevant`}
      </p>
      <button
        type="button"
        data-match={first.id}
        aria-label={`Open the story: ${title.slice(0, 80)}`}
        aria-current={isOpen || undefined}
        onClick={() => onOpen(story)}
        className="absolute inset-0 outline-offset-[-2px]"
      />
    </li>
  );
}
