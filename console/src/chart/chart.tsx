/**
 * Numbers over time. The drawing code loads with the first chart; a placeholder keeps its space until then. Screen
 * readers get the figures in words.
 */
import { lazy, Suspense, useState } from 'react';
import { cx } from '../ui/classes.ts';
import { figure } from '../ui/moment.ts';
import { Skeleton } from '../ui/skeleton.tsx';

const Plot = lazy(() => import('./plot.tsx').then(({ Plot: loaded }) => ({ default: loaded })));

export type Colour = 'accent' | 'soft' | 'second' | 'third' | 'fourth' | 'fifth' | 'bad';

export interface Series {
  readonly name: string;
  /** Null where the number is unknown. */
  readonly values: readonly (number | null)[];
  readonly colour: Colour;
  /** What the numbers of a line were measured in, for instance "ms". */
  readonly unit?: string;
  /** The address that its name leads to. */
  readonly href?: string;
}

export interface Span {
  readonly from: number;
  readonly to: number;
  /** A time that is marked and not missing, for instance a surge. */
  readonly isMark?: boolean;
}

export interface ChartProps {
  /** The name of what is counted, for instance "Events per minute". */
  readonly label: string;
  /** Milliseconds, the start of each interval, oldest first. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** Columns stand on each other where there are several series. */
  readonly look: 'line' | 'columns';
  /** Spans to shade: times in which something may be missing. */
  readonly shaded?: readonly Span[];
  /** Moments to mark with a line, for instance a new version of a rule. */
  readonly ticks?: readonly number[];
  readonly height?: number;
  /** Called with the start and end of whole intervals, those that the reader has dragged over. */
  onSelect?(from: number, to: number): void;
}

export const SWATCHES: Readonly<Record<Colour, string>> = {
  accent: 'bg-accent',
  soft: 'bg-faint',
  second: 'bg-chart-2',
  third: 'bg-chart-3',
  fourth: 'bg-chart-4',
  fifth: 'bg-chart-5',
  bad: 'bg-bad',
};

export function Chart({ height = 140, ...chart }: ChartProps) {
  const { label, times, series, look } = chart;
  const [at, setAt] = useState<number>();
  const pointed = at === undefined || at >= times.length ? undefined : at;
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 flex flex-wrap items-baseline justify-between gap-x-4 text-xs text-soft">
        <span className="flex flex-wrap gap-x-3">
          {series.map(({ values, unit, ...one }) => (
            <span key={one.name} className="inline-flex min-h-6 items-center gap-1.5">
              <SeriesName {...one} />
              <span className="tabular text-ink">
                {legendOf(look, { values, unit }, pointed)}
                {/* Of several it is seen that they are totals. */}
                {isTotal(look, pointed) && series.length === 1 && ' in total'}
              </span>
            </span>
          ))}
        </span>
        <span className="tabular text-faint">{pointed === undefined ? '' : spoken(times[pointed]!)}</span>
      </figcaption>
      <div role="img" aria-label={summaryOf(label, look, series)} className="relative" style={{ height }}>
        <Suspense fallback={<Skeleton className="h-full w-full" />}>
          <Plot {...chart} height={height} onPoint={setAt} />
        </Suspense>
      </div>
    </figure>
  );
}

/** Under the pointer, the number of that interval. Otherwise the total of columns, and the latest number of a line. */
export function legendOf(
  look: ChartProps['look'],
  { values, unit }: { readonly values: Series['values']; readonly unit?: string | undefined },
  pointed: number | undefined,
): string {
  if (isTotal(look, pointed)) return figure(totalOf(values));
  // What is measured now and then was last measured a while ago.
  const last = unit === undefined ? values.at(-1) : values.findLast((value) => value !== null);
  const value = pointed === undefined ? last : values[pointed];
  if (value == null) return 'unknown';
  return unit === undefined ? figure(value) : `${figure(value)} ${unit}`;
}

const isTotal = (look: ChartProps['look'], pointed: number | undefined): boolean =>
  pointed === undefined && look === 'columns';

const totalOf = (values: Series['values']): number => values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

const moment = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const spoken = (at: number): string => moment.format(at);

/** Columns add up to a total; the numbers of a line do not. */
export function summaryOf(label: string, look: ChartProps['look'], series: readonly Series[]): string {
  const parts = series.map(({ name, values, unit }) => {
    const most = Math.max(0, ...values.map((value) => value ?? 0));
    const total = isTotal(look, undefined) ? ' in total' : '';
    return `${name}: ${legendOf(look, { values, unit }, undefined)}${total}, at most ${figure(most)}`;
  });
  return `${label}. ${parts.join('; ')}.`;
}

/** Its colour and its name, which leads to what it is about. */
export function SeriesName({ name, colour, href }: Pick<ChartProps['series'][number], 'name' | 'colour' | 'href'>) {
  return (
    <>
      <span aria-hidden className={cx('size-2 rounded-[2px]', SWATCHES[colour])} />
      {href === undefined ? (
        name
      ) : (
        <a href={href} className="link max-w-64 truncate py-1">
          {name}
        </a>
      )}
    </>
  );
}
