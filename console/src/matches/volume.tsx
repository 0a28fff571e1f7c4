/** The number of filtered matches over time. Dragging over a span filters by it, and so do the buttons to zoom. */
import { ChevronDown } from 'lucide-react';
import { useMemo } from 'react';
import { Chart, type Span } from '../chart/chart.tsx';
import { type CountsInput, useMatchCounts } from '../data/queries.ts';
import type { Range } from '../timeline/range.ts';
import { ZoomButtons } from '../timeline/zoom-buttons.tsx';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/classes.ts';
import { exactly } from '../ui/moment.ts';
import { serverNow } from '../ui/server-now.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { Sparkline } from '../ui/sparkline.tsx';

const HEIGHT = 96;
/** As many as there is room for beside the other choices. */
const COLUMNS = 32;

/** The chart as small as a word, and the button that opens it. */
export function VolumeFold({ input, isOpen, onToggle }: { input: CountsInput; isOpen: boolean; onToggle(): void }) {
  const { data } = useMatchCounts(input);
  const counts = useMemo(() => inColumns(data?.counts.map(({ count }) => count) ?? [], COLUMNS), [data]);
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      className="flex h-7 items-center gap-2 rounded-md px-2 text-xs text-soft hover:bg-hover hover:text-ink"
    >
      {!isOpen && counts.length > 0 && (
        <span className="max-lg:hidden">
          <Sparkline counts={counts} label="Shown time" />
        </span>
      )}
      {isOpen ? 'Hide chart' : 'Chart'}
      <ChevronDown aria-hidden className={cx('size-3.5', isOpen && 'rotate-180')} />
    </button>
  );
}

/** Neighbours put together, so that there are at most so many. */
export function inColumns(counts: readonly number[], most: number): number[] {
  const each = Math.ceil(counts.length / most);
  return counts.reduce<number[]>((sums, count, at) => {
    const column = Math.floor(at / each);
    sums[column] = (sums[column] ?? 0) + count;
    return sums;
  }, []);
}

/** A time that ends within this long of now goes on, and so does the feed. */
const SOON = 60_000;

/** The time that was asked for, or that of the answer. */
const rangeOf = ({ from, to }: CountsInput, times: readonly number[]): Range => ({
  from: from === undefined ? (times[0] ?? 0) : Date.parse(from),
  to: to === undefined ? serverNow() : Date.parse(to),
});

export interface VolumeProps {
  readonly input: CountsInput;
  /** Times in which matches may be missing, and marked ones. */
  readonly shaded?: readonly Span[];
  /** New versions of the rule. */
  readonly ticks?: readonly number[];
  /** Without an end it goes on until now. */
  onSelect(from: string, to: string | undefined): void;
}

export function Volume({ input, shaded = [], ticks = [], onSelect }: VolumeProps) {
  const { data: shown, error, isPlaceholderData } = useMatchCounts(input);
  const drawn = useMemo(
    () => ({
      times: (shown?.counts ?? []).map(({ at }) => Date.parse(at)),
      series: [
        {
          name: `Matches per ${shown?.interval ?? 'hour'}`,
          colour: 'accent' as const,
          values: (shown?.counts ?? []).map(({ count }) => count),
        },
      ],
    }),
    [shown],
  );
  const inView = shaded.filter(({ from, to }) => drawn.times.length > 0 && to > drawn.times[0]! && from < serverNow());
  const show = ({ from, to }: Range) =>
    onSelect(new Date(from).toISOString(), to > serverNow() - SOON ? undefined : new Date(to).toISOString());
  return (
    <Card
      title="Over time"
      aside={shown !== undefined && <ZoomButtons range={rangeOf(input, drawn.times)} onShow={show} />}
      className={cx('mb-3', isPlaceholderData && 'grayscale')}
    >
      {error !== null && <p className="text-bad">The chart could not be loaded: {error.message}</p>}
      {shown === undefined ? (
        error === null && <Skeleton className="h-[7.25rem] w-full" />
      ) : (
        <Chart
          label={`Matches per ${shown.interval}`}
          look="columns"
          height={HEIGHT}
          {...drawn}
          shaded={inView}
          ticks={ticks}
          onSelect={(from, to) => show({ from, to })}
        />
      )}
      {shown?.complete === false && shown.counted_from !== null && (
        <p className="mt-1 text-xs text-warn">
          There are too many matches to count all of them under this filter. The chart begins at{' '}
          {exactly(shown.counted_from)}.
        </p>
      )}
      {inView.some(({ isMark }) => isMark !== true) && (
        <p className="mt-1 text-xs text-bad">Matches may be missing from the shaded times.</p>
      )}
    </Card>
  );
}
