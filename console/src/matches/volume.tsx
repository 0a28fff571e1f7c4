/** The number of filtered matches over time. Dragging over a span filters by it. */
import { useMemo } from 'react';
import { Chart, type Span } from '../chart/chart.tsx';
import { type CountsInput, useMatchCounts } from '../data/queries.ts';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/classes.ts';
import { exactly } from '../ui/moment.ts';
import { Skeleton } from '../ui/skeleton.tsx';

const HEIGHT = 96;

export interface VolumeProps {
  readonly input: CountsInput;
  /** Times in which matches may be missing, and marked ones. */
  readonly shaded?: readonly Span[];
  /** New versions of the rule. */
  readonly ticks?: readonly number[];
  onSelect(from: string, to: string): void;
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
  const inView = shaded.filter(({ from, to }) => drawn.times.length > 0 && to > drawn.times[0]! && from < Date.now());
  return (
    <Card className={cx('mb-3', isPlaceholderData && 'grayscale')}>
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
          onSelect={(from, to) => onSelect(new Date(from).toISOString(), new Date(to).toISOString())}
        />
      )}
      {shown?.complete === false && shown.counted_from !== null && (
        <p className="mt-1 text-xs text-warn">
          There are too many matches to count all of them under this filter. The chart begins at{' '}
          {exactly(shown.counted_from)}.
        </p>
      )}
      {inView.some(({ isMark }) => isMark !== true) && (
        <p className="mt-1 text-xs text-bad">Matches may be missing from the shaded times: Sluice could not listen.</p>
      )}
    </Card>
  );
}
