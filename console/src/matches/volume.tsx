/** The number of filtered matches over time. Dragging over a span filters by it. */
import { useMemo } from 'react';
import { Chart } from '../chart/chart.tsx';
import { type CountsInput, useMatchCounts } from '../data/queries.ts';
import { Card } from '../ui/card.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

const HEIGHT = 96;
const STEP = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

export interface VolumeProps {
  readonly input: CountsInput;
  onSelect(from: string, to: string): void;
}

export function Volume({ input, onSelect }: VolumeProps) {
  const { data } = useMatchCounts(input);
  const interval = data?.interval ?? 'hour';
  const drawn = useMemo(() => {
    const counts = data?.counts ?? [];
    return {
      times: counts.map(({ at }) => Date.parse(at)),
      series: [
        { name: `Matches per ${interval}`, colour: 'accent' as const, values: counts.map(({ count }) => count) },
      ],
    };
  }, [data, interval]);
  return (
    <Card className="mb-3">
      {data === undefined ? (
        <Skeleton className="h-[7.25rem] w-full" />
      ) : (
        <Chart
          label={`Matches per ${interval}`}
          look="columns"
          height={HEIGHT}
          {...drawn}
          onSelect={(from, to) => {
            // Round to whole intervals: a column cannot be divided.
            const start = Math.floor(from / STEP[interval]) * STEP[interval];
            const end = Math.ceil(to / STEP[interval]) * STEP[interval];
            onSelect(new Date(start).toISOString(), new Date(end).toISOString());
          }}
        />
      )}
    </Card>
  );
}
