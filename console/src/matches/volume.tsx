/** The number of filtered matches over time. Dragging over a span filters by it. */
import { useMemo } from 'react';
import { Chart, type Span } from '../chart/chart.tsx';
import { type Counts, type CountsInput, type Match, useMatchCounts } from '../data/queries.ts';
import { Card } from '../ui/card.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { countsOfFound } from './filter.ts';

const HEIGHT = 96;

export interface VolumeProps {
  readonly input: CountsInput;
  /** With a text filter: what was found, and whether that is all. The server counts without searching texts. */
  readonly found?: { readonly matches: readonly Match[]; readonly isAll: boolean };
  /** Times in which matches may be missing, and marked ones. */
  readonly shaded?: readonly Span[];
  /** New versions of the rule. */
  readonly ticks?: readonly number[];
  onSelect(from: string, to: string): void;
}

export function Volume({ input, found, shaded = [], ticks = [], onSelect }: VolumeProps) {
  const { data } = useMatchCounts(input, { enabled: found === undefined });
  const shown: Counts | undefined = useMemo(
    () => (found === undefined ? data : countsOfFound(input, found.matches, Date.now())),
    [data, found, input],
  );
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
    <Card className="mb-3">
      {shown === undefined ? (
        <Skeleton className="h-[7.25rem] w-full" />
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
      {found?.isAll === false && (
        <p className="mt-1 text-xs text-soft">
          The chart counts the {found.matches.length} matches found so far. Older ones are found as you scroll down.
        </p>
      )}
      {inView.some(({ isMark }) => isMark !== true) && (
        <p className="mt-1 text-xs text-bad">Matches may be missing from the shaded times: Sluice could not listen.</p>
      )}
    </Card>
  );
}
