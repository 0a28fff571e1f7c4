/**
 * Numbers over time. The drawing code loads with the first chart; a placeholder keeps its space until then. Screen
 * readers get the figures in words.
 */
import { lazy, Suspense, useState } from 'react';
import { cx } from '../ui/classes.ts';
import { figure } from '../ui/moment.ts';
import { Skeleton } from '../ui/skeleton.tsx';

const Plot = lazy(() => import('./plot.tsx').then(({ Plot: loaded }) => ({ default: loaded })));

export interface Series {
  readonly name: string;
  /** Null where the number is unknown. */
  readonly values: readonly (number | null)[];
  readonly colour: 'accent' | 'soft';
}

export interface ChartProps {
  /** What is counted, for instance "Events per minute". */
  readonly label: string;
  /** Milliseconds, the start of each interval, oldest first. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly look: 'line' | 'columns';
  readonly height?: number;
  /** Called with the start and end of the span that the reader has dragged over. */
  onSelect?(from: number, to: number): void;
}

const SWATCHES = { accent: 'bg-accent', soft: 'bg-faint' };

export function Chart({ height = 140, ...chart }: ChartProps) {
  const { label, times, series } = chart;
  const [at, setAt] = useState<number>();
  const shown = at === undefined || at >= times.length ? times.length - 1 : at;
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 flex flex-wrap items-baseline justify-between gap-x-4 text-xs text-soft">
        <span className="flex flex-wrap gap-x-3">
          {series.map(({ name, colour, values }) => (
            <span key={name} className="inline-flex items-center gap-1.5">
              <span aria-hidden className={cx('size-2 rounded-[2px]', SWATCHES[colour])} />
              {name}
              <span className="tabular text-ink">{figure(values[shown] ?? 0)}</span>
            </span>
          ))}
        </span>
        <span className="tabular text-faint">{times[shown] === undefined ? '' : spoken(times[shown])}</span>
      </figcaption>
      <div role="img" aria-label={summaryOf(label, series)} className="relative" style={{ height }}>
        <Suspense fallback={<Skeleton className="h-full w-full" />}>
          <Plot {...chart} height={height} onPoint={setAt} />
        </Suspense>
      </div>
    </figure>
  );
}

const moment = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const spoken = (at: number): string => moment.format(at);

function summaryOf(label: string, series: readonly Series[]): string {
  const parts = series.map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    const total = known.reduce((sum, value) => sum + value, 0);
    return `${name}: ${figure(total)} in total, at most ${figure(Math.max(0, ...known))}`;
  });
  return `${label}. ${parts.join('; ')}.`;
}
