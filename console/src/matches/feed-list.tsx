/** The feed. Only the visible rows are rendered. */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { FeedView } from '../data/feed.ts';
import type { Match } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { MEDIUM, TOUCHED, useMedia } from '../ui/use-media.ts';
import { type EventRow, rowOf } from './by-event.ts';
import { useDensity } from './density.ts';
import type { Act } from './match-dialogs.tsx';
import { MatchRow } from './match-row.tsx';
import { isNarrow, measuredSmallWidth, measuredWidth, type RowShape, rowHeight } from './row-height.ts';

export interface FeedListProps {
  readonly rows: readonly EventRow[];
  readonly older: FeedView['older'];
  readonly searched?: string | undefined;
  /** All of one rule, which the page names already. */
  readonly isOfOne?: boolean;
  /** The match that the keyboard has selected. */
  readonly currentId: string | undefined;
  readonly openId: string | undefined;
  onOpen(match: Match): void;
  onAct(act: Act, match: Match): void;
  onOlder(): void;
}

/** Rendered anew when the width changes, because the heights of the rows follow from it. */
export function FeedList(props: FeedListProps) {
  const box = useRef<HTMLDivElement>(null);
  const isWide = useMedia(MEDIUM);
  const isTouched = useMedia(TOUCHED);
  const width = useWidth(box);
  const density = useDensity();
  return (
    <div ref={box}>
      {width !== undefined && (
        <Rows
          key={`${isWide} ${isTouched} ${width} ${density}`}
          shape={{ width, isWide, isTouched, density }}
          {...props}
        />
      )}
    </div>
  );
}

function Rows(props: FeedListProps & { shape: Pick<RowShape, 'width' | 'isWide' | 'isTouched' | 'density'> }) {
  const { rows, older, searched, isOfOne = false, currentId, openId, onOpen, onAct } = props;
  const { onOlder } = props;
  const shape = { ...props.shape, hasRules: !isOfOne, widthOf: measuredWidth, smallWidthOf: measuredSmallWidth };
  const list = useRef<HTMLDivElement>(null);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (at) => rowHeight(rows[at]!.lead, shape),
    getItemKey: (at) => rows[at]!.lead.event_id,
    scrollMargin: useTop(list),
    overscan: 3,
  });
  const items = virtual.getVirtualItems();
  const chosen = rowOf(rows, currentId);
  const opened = rowOf(rows, openId);
  const last = items.at(-1)?.index ?? 0;
  const isNearEnd = rows.length > 0 && last >= rows.length - 10;

  useEffect(() => {
    if (isNearEnd && older === 'more') onOlder();
  }, [isNearEnd, older, onOlder]);

  // The focus moves once for each keyboard move; after that the reader controls it.
  const reached = useRef<string>(undefined);
  useEffect(() => {
    if (currentId === reached.current) return;
    const at = rowOf(rows, currentId);
    const place = at === -1 ? undefined : elementOf(list.current, rows[at]!.lead.id);
    if (at !== -1 && place === undefined) return virtual.scrollToIndex(at);
    place?.focus({ preventScroll: true });
    place?.scrollIntoView({ block: 'nearest' });
    reached.current = currentId;
  });

  return (
    <>
      <div ref={list} role="feed" aria-label="Matches" aria-busy={older === 'loading'}>
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ key, index, start, size }) => (
            <article
              key={key}
              aria-posinset={index + 1}
              aria-setsize={older === 'none' ? rows.length : -1}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
            >
              <MatchRow
                height={size}
                isNarrow={isNarrow(shape.width)}
                match={rows[index]!.lead}
                rules={rows[index]!.matches.map(({ rule_name }) => rule_name).join('\n')}
                searched={searched}
                hasRules={!isOfOne}
                density={shape.density}
                isCurrent={chosen === -1 ? index === 0 : index === chosen}
                isOpen={index === opened}
                onOpen={onOpen}
                onAct={onAct}
              />
            </article>
          ))}
        </div>
      </div>
      {older !== 'none' && <Older state={older} onOlder={onOlder} />}
    </>
  );
}

const elementOf = (list: HTMLElement | null, id: string): HTMLElement | undefined =>
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

/** The width of the list, measured when it changes. Undefined before the first time. */
function useWidth(box: RefObject<HTMLElement | null>): number | undefined {
  const [width, setWidth] = useState<number>();
  useLayoutEffect(() => {
    const measured = new ResizeObserver(() => setWidth(box.current?.clientWidth));
    setWidth(box.current?.clientWidth);
    measured.observe(box.current!);
    return () => measured.disconnect();
  }, [box]);
  return width;
}
