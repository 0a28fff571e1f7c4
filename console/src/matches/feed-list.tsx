/** The feed. Only the visible rows are rendered. */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { FeedView } from '../data/feed.ts';
import type { Match } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { MEDIUM, useMedia } from '../ui/use-media.ts';
import { MatchRow, ROW_HEIGHTS } from './match-row.tsx';

export interface FeedListProps {
  readonly view: FeedView;
  /** The match that the keyboard has selected. */
  readonly currentId: string | undefined;
  readonly openId: string | undefined;
  onOpen(match: Match): void;
  onOlder(): void;
}

/** Rendered anew when the row height changes with the width of the window. */
export function FeedList(props: FeedListProps) {
  const height = useMedia(MEDIUM) ? ROW_HEIGHTS.wide : ROW_HEIGHTS.narrow;
  return <Rows key={height} height={height} {...props} />;
}

function Rows({ height, view, currentId, openId, onOpen, onOlder }: FeedListProps & { height: number }) {
  const { matches, older } = view;
  const list = useRef<HTMLDivElement>(null);
  const virtual = useWindowVirtualizer({
    count: matches.length,
    estimateSize: () => height,
    getItemKey: (at) => matches[at]!.id,
    scrollMargin: useTop(list),
    overscan: 3,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const isNearEnd = matches.length > 0 && last >= matches.length - 10;

  useEffect(() => {
    if (isNearEnd && older === 'more') onOlder();
  }, [isNearEnd, older, onOlder]);

  // The focus moves once for each keyboard move; after that the reader controls it.
  const reached = useRef<string>(undefined);
  useEffect(() => {
    if (currentId === reached.current) return;
    const place = currentId === undefined ? undefined : rowOf(list.current, currentId);
    if (currentId !== undefined && place === undefined) {
      const at = matches.findIndex(({ id }) => id === currentId);
      if (at >= 0) virtual.scrollToIndex(at);
      return;
    }
    place?.focus({ preventScroll: true });
    place?.scrollIntoView({ block: 'nearest' });
    reached.current = currentId;
  });

  return (
    <>
      <div ref={list} role="feed" aria-label="Matches" aria-busy={older === 'loading'}>
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ key, index, start }) => (
            <article
              key={key}
              aria-posinset={index + 1}
              aria-setsize={older === 'none' ? matches.length : -1}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
            >
              <MatchRow
                match={matches[index]!}
                isCurrent={currentId === undefined ? index === 0 : matches[index]!.id === currentId}
                isOpen={matches[index]!.id === openId}
                onOpen={onOpen}
              />
            </article>
          ))}
        </div>
      </div>
      {older !== 'none' && <Older state={older} onOlder={onOlder} />}
    </>
  );
}

const rowOf = (list: HTMLElement | null, id: string): HTMLElement | undefined =>
  list?.querySelector<HTMLElement>(`[data-match="${CSS.escape(id)}"]`) ?? undefined;

function Older({ state, onOlder }: { state: FeedView['older']; onOlder(): void }) {
  return (
    <div className="flex h-12 items-center justify-center">
      {state === 'loading' ? (
        <Skeleton className="h-4 w-40" />
      ) : (
        <Button look="quiet" size="small" onClick={onOlder}>
          Load older matches
        </Button>
      )}
    </div>
  );
}

/**
 * The distance from the top of the page to the list. It is measured once and when the window is resized, not on every
 * arrival. It need not be exact, because a few more rows are rendered than are visible.
 */
function useTop(list: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setTop(Math.round(list.current!.getBoundingClientRect().top + window.scrollY));
    measure();
    window.addEventListener('resize', measure);
    return () => window.removeEventListener('resize', measure);
  }, [list]);
  return top;
}
