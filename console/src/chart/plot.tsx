/** Draws the chart on a canvas, in the colours of the page. */
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { figure } from '../ui/moment.ts';
import type { ChartProps, Series } from './chart.tsx';
import { readColours, watchTheme } from './colours.ts';

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
    draw();
    const unwatch = watchTheme(draw);
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: box.clientWidth, height }));
    resized.observe(box);
    return () => {
      unwatch();
      resized.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [shape, height]);

  useEffect(() => plot.current?.setData(dataOf({ times, series })), [times, series]);

  return <div ref={place} className="absolute inset-0 overflow-hidden" />;
}

const dataOf = ({ times, series }: Pick<PlotProps, 'times' | 'series'>): UPlot.AlignedData => [
  times.map((at) => at / 1_000),
  ...series.map(({ values }) => [...values]),
];

function optionsOf(latest: { current: PlotProps }, box: HTMLElement, height: number, shape: string): UPlot.Options {
  const [look, series] = JSON.parse(shape) as [PlotProps['look'], [string, Series['colour']][]];
  const colours = readColours(box);
  const canSelect = latest.current.onSelect !== undefined;
  const axis = { stroke: colours.faint, ticks: { show: false }, font: `11px ${colours.font}` };
  return {
    width: box.clientWidth,
    height,
    padding: [8, 20, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: canSelect, y: false, setScale: false } },
    scales: { y: { range: (_, __, most) => [0, Math.max(most * 1.1, 4)] } },
    axes: [
      { ...axis, size: 22, gap: 4, grid: { show: false }, space: 72, values: (_, at) => at.map(timeLabels(at)) },
      {
        ...axis,
        size: 40,
        gap: 4,
        space: 22,
        grid: { stroke: colours.line, width: 1 },
        values: (_, at) => at.map((value) => (Number.isInteger(value) ? figure(value) : '')),
      },
    ],
    series: [
      {},
      ...series.map(([, colour]) => ({
        stroke: colours[colour],
        width: look === 'line' ? 1.5 : 0,
        points: { show: false },
        ...(look === 'line' && colour === 'accent' && { fill: colours.accentSoft }),
        ...(look === 'columns' && { fill: colours[colour], paths: UPlot.paths.bars!({ size: [0.8, 32], gap: 1 }) }),
      })),
    ],
    hooks: {
      setCursor: [(self) => latest.current.onPoint(self.cursor.idx ?? undefined)],
      setSelect: [(self) => select(self, latest.current)],
    },
  };
}

function select(self: UPlot, { onSelect }: PlotProps): void {
  const { left, width } = self.select;
  // A click without a drag selects nothing.
  if (width < 4) return;
  const [from, to] = [self.posToVal(left, 'x'), self.posToVal(left + width, 'x')];
  self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  onSelect?.(from * 1_000, to * 1_000);
}

const DAY = 86_400;
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

/** The time of day, or the date if labels are a day or more apart. */
function timeLabels(at: readonly number[]): (value: number) => string {
  const format = (at[1] ?? 0) - (at[0] ?? 0) >= DAY ? date : clock;
  return (value) => format.format(new Date(value * 1_000));
}
