/** The list of rules. Only the visible ones are rendered; the page itself scrolls. */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import { type Rule, useStatus } from '../data/queries.ts';
import { useMedia, WIDE } from '../ui/use-media.ts';
import { COLUMNS, ROW_HEIGHT, RuleRow } from './rule-row.tsx';
import { useSparklines } from './use-sparklines.ts';

export interface RuleListProps {
  readonly rules: readonly Rule[];
  readonly selected: ReadonlySet<string>;
  /** It is undefined where rules cannot be changed. */
  readonly onSelect: ((id: string, isRange: boolean) => void) | undefined;
  onSelectAll(isWanted: boolean): void;
}

export function RuleList(props: RuleListProps) {
  const shape = useMedia(WIDE) ? 'wide' : 'narrow';
  return <Rows key={shape} shape={shape} {...props} />;
}

function Rows({ shape, rules, selected, onSelect, onSelectAll }: RuleListProps & { shape: keyof typeof ROW_HEIGHT }) {
  const height = ROW_HEIGHT[shape];
  const list = useRef<HTMLUListElement>(null);
  const { data: status } = useStatus();
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  const rows = useWindowVirtualizer({
    count: rules.length,
    // Both stay the same from one scroll to the next: with a new one, all rows would be measured again.
    estimateSize: useCallback(() => height, [height]),
    getItemKey: useCallback((index: number) => rules[index]!.id, [rules]),
    overscan: 6,
    scrollMargin: top,
    // The rows are drawn in a task of their own, after that of the scrolling.
    useFlushSync: false,
  });

  const shown = rows.getVirtualItems();
  const sparklines = useSettled(rules, shown[0]?.index ?? 0, shown.at(-1)?.index ?? 0, rows.isScrolling);
  return (
    <>
      <div className={`grid h-8 items-center gap-4 border-b px-3 text-xs font-medium text-faint ${COLUMNS}`}>
        <span className="flex items-center gap-4">
          {onSelect !== undefined && (
            <input
              type="checkbox"
              aria-label="Select all rules in the list"
              checked={selected.size > 0 && rules.every(({ id }) => selected.has(id))}
              onChange={({ target }) => onSelectAll(target.checked)}
              className="size-4 accent-accent"
            />
          )}
          <span aria-hidden>Rule</span>
        </span>
        {['Platforms', 'State', 'Last 24 hours', 'Last match'].map((name) => (
          <span key={name} aria-hidden className="hidden last:text-right lg:block">
            {name}
          </span>
        ))}
      </div>
      <ul
        ref={list}
        aria-label="Rules"
        className="relative [&>li:last-child>*]:border-b-0"
        style={{ height: rows.getTotalSize() }}
      >
        {shown.map(({ index, key, start }) => (
          <li
            key={key}
            aria-setsize={rules.length}
            aria-posinset={index + 1}
            // The content of a row changes nothing outside of it.
            className="absolute inset-x-0 top-0 contain-strict"
            style={{ height, transform: `translateY(${start - top}px)` }}
          >
            <RuleRow
              rule={rules[index]!}
              shape={shape}
              status={status}
              counts={sparklines.get(rules[index]!.id)}
              isSelected={selected.has(rules[index]!.id)}
              onSelect={onSelect}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

/** The sparklines of the visible rules, loaded when scrolling stops. */
function useSettled(rules: readonly Rule[], first: number, last: number, isScrolling: boolean) {
  const rest = useRef({ first, last });
  if (!isScrolling) rest.current = { first, last };
  return useSparklines(rules, rest.current.first, rest.current.last);
}
