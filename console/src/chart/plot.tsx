/** Draws the chart on a canvas, in the colours of the page. */
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { figure } from '../ui/moment.ts';
import type { ChartProps, Series } from './chart.tsx';
import { type Colours, readColours, watchTheme } from './colours.ts';
import { isolated, scaleOf, selected, stacked, topOf } from './columns.ts';

export interface PlotProps extends Omit<ChartProps, 'label'> {
  readonly height: number;
  /** The index under the pointer; undefined when the pointer has left. */
  onPoint(index: number | undefined): void;
}

export function Plot(props: PlotProps) {
  const { times, series, look, height } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const shape = JSON.stringify([look, series.map(({ name, colour }) => [name, colour])]);

  // The plot is made anew only when its series or the theme change; new numbers go to the existing plot.
  useEffect(() => {
    const box = place.current!;
    const draw = () => {
      plot.current?.destroy();
      plot.current = new UPlot(optionsOf(latest, box, height, shape), dataOf(latest.current), box);
    };
    // A task of its own: a page with its charts would be busy for longer than 50 ms when it opens.
    const later = setTimeout(draw);
    const unwatch = watchTheme(draw);
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: box.clientWidth, height }));
    resized.observe(box);
    return () => {
      clearTimeout(later);
      unwatch();
      resized.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [shape, height]);

  useEffect(() => plot.current?.setData(dataOf({ times, series, look })), [times, series, look]);

  return <div ref={place} className="absolute inset-0 overflow-hidden" />;
}

/** The tallest columns come first, so that the shorter ones are painted over them. */
const dataOf = ({ times, series, look }: Pick<PlotProps, 'times' | 'series' | 'look'>): UPlot.AlignedData => [
  times.map((at) => at / 1_000),
  ...(look === 'columns' ? stacked(series).toReversed() : series.map(({ values }) => [...values])),
];

function optionsOf(latest: { current: PlotProps }, box: HTMLElement, height: number, shape: string): UPlot.Options {
  const [look, names] = JSON.parse(shape) as [PlotProps['look'], [string, Series['colour']][]];
  const colours = readColours(box);
  const drawn = look === 'columns' ? names.toReversed() : names;
  return {
    width: box.clientWidth,
    height,
    padding: [8, 20, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: latest.current.onSelect !== undefined, y: false, setScale: false },
      ...(look === 'columns' && { dataIdx: (self) => columnAt(self, latest.current) }),
    },
    scales: {
      x: { range: (_, from, to) => (look === 'columns' ? secondsOf(latest.current.times) : [from, to]) },
      y: { range: (_, __, most) => [0, topOf(most)] },
    },
    axes: axesOf(colours),
    series: [{}, ...drawn.map(([, colour]) => seriesOf(look, colour, colours))],
    hooks: {
      drawClear: [(self) => shade(self, latest.current, colours)],
      setCursor: [(self) => latest.current.onPoint(self.cursor.idx ?? undefined)],
      setSelect: [(self) => select(self, latest.current)],
    },
  };
}

function secondsOf(times: readonly number[]): [number, number] {
  const { from, to } = scaleOf(times);
  return [from / 1_000, to / 1_000];
}

/** The column under the pointer, which begins at its time; uPlot itself would take the nearest start. */
function columnAt(self: UPlot, { times }: PlotProps): number {
  const at = self.posToVal(self.cursor.left ?? 0, 'x') * 1_000;
  const { from } = selected(times, at, at);
  return Math.max(
    0,
    times.findLastIndex((time) => time <= from + 1),
  );
}

function axesOf(colours: Colours): UPlot.Axis[] {
  const axis = { stroke: colours.faint, ticks: { show: false }, font: `11px ${colours.font}` };
  return [
    { ...axis, size: 22, gap: 4, grid: { show: false }, space: 72, incrs: STEPS, values: (_, at) => timeLabels(at) },
    {
      ...axis,
      size: 40,
      gap: 4,
      space: 22,
      grid: { stroke: colours.line, width: 1 },
      values: (_, at) => at.map((value) => (Number.isInteger(value) ? figure(value) : '')),
    },
  ];
}

function seriesOf(look: PlotProps['look'], colour: Series['colour'], colours: Colours): UPlot.Series {
  const stroke = colours[colour];
  if (look === 'columns')
    return {
      stroke,
      width: 0,
      points: { show: false },
      fill: stroke,
      paths: UPlot.paths.bars!({ size: [0.8, 32], align: 1, gap: 1 }),
    };
  const points = { show: true, size: 5, filter: (self: UPlot, at: number) => isolated([...self.data[at]!]) };
  return { stroke, width: 1.5, points, ...(colour === 'accent' && { fill: colours.accentSoft }) };
}

/** Gaps as a tint behind the columns, and moments as thin lines. */
function shade(self: UPlot, { shaded = [], ticks = [] }: PlotProps, colours: Colours): void {
  const { ctx, bbox } = self;
  const place = (at: number) =>
    Math.max(bbox.left, Math.min(bbox.left + bbox.width, self.valToPos(at / 1_000, 'x', true)));
  ctx.save();
  for (const { from, to, isMark = false } of shaded) {
    ctx.fillStyle = isMark ? colours.mark : colours.gap;
    const [left, right] = [place(from), place(to)];
    ctx.fillRect(Math.min(left, bbox.left + bbox.width - 2), bbox.top, Math.max(2, right - left), bbox.height);
  }
  ctx.fillStyle = colours.faint;
  const { from, to } = { from: self.scales['x']!.min! * 1_000, to: self.scales['x']!.max! * 1_000 };
  for (const at of ticks) if (at >= from && at <= to) ctx.fillRect(place(at), bbox.top, devicePixelRatio, bbox.height);
  ctx.restore();
}

function select(self: UPlot, { onSelect, times }: PlotProps): void {
  const { left, width } = self.select;
  // A click without a drag selects nothing.
  if (width < 4) return;
  const span = selected(times, self.posToVal(left, 'x') * 1_000, self.posToVal(left + width, 'x') * 1_000);
  self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  onSelect?.(span.from, span.to);
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Whole minutes at least: shorter steps would repeat a label. */
const STEPS = [1, 2, 5, 10, 15, 30]
  .map((minutes) => minutes * MINUTE)
  .concat([1, 2, 3, 6, 12].map((hours) => hours * HOUR))
  .concat([1, 2, 4, 7, 14, 28].map((days) => days * DAY));
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

/** The time of day, or the date if labels are a day or more apart. */
function timeLabels(at: readonly number[]): string[] {
  const format = (at[1] ?? 0) - (at[0] ?? 0) >= DAY ? date : clock;
  return at.map((value) => format.format(new Date(value * 1_000)));
}
