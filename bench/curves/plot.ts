/** Draws the growth curves: for each thing that grows a panel of CPU and one of memory, by powers of ten. */
import { COLOURS, type Line, legend, logPanel, PANEL, type Point, scalesFor } from '../log-panel.ts';
import { CURVES, type CurveName, type CurvePoint } from './point.ts';

const LEGEND_LINE = 18;
/** A panel with what stands under it: sizes, and the names of up to two lines. */
const HEIGHT = PANEL.height + PANEL.top + 4 * LEGEND_LINE;
const LEFT = PANEL.left + 8;
const SPACE = PANEL.width + LEFT;

export const TITLES: Readonly<Record<CurveName, string>> = {
  rules: 'rules',
  matches: 'stored matches',
  webhooks: 'webhooks',
  streams: 'open streams',
};

/** The lines that are drawn of a curve: each piece of work, and the memory, by name. */
export function linesOf(points: readonly CurvePoint[]): { cpu: Map<string, Point[]>; memory: Point[] } {
  const cpu = new Map<string, Point[]>();
  for (const { size, cpu_micros } of points)
    for (const [name, value] of Object.entries(cpu_micros)) cpu.set(name, [...(cpu.get(name) ?? []), { size, value }]);
  return { cpu, memory: points.map(({ size, resident_mb }) => ({ size, value: resident_mb })) };
}

export function plotCurves(points: readonly CurvePoint[]): string {
  const rows = CURVES.map((name) => [name, points.filter(({ curve }) => curve === name)] as const).filter(
    ([, own]) => own.length > 0,
  );
  const [width, height] = [2 * SPACE + PANEL.gap, rows.length * HEIGHT];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    '<title>CPU and memory of a server against rules, stored matches, webhooks and open streams</title>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...rows.flatMap(([name, own], row) => {
      const { cpu, memory } = linesOf(own);
      return [
        placed(`µs of CPU against ${TITLES[name]}`, cpu, { left: LEFT, top: row * HEIGHT + PANEL.top }),
        placed(`MB of memory against ${TITLES[name]}`, new Map([['resident', memory]]), {
          left: LEFT + SPACE,
          top: row * HEIGHT + PANEL.top,
        }),
      ];
    }),
    '</svg>\n',
  ].join('\n');
}

function placed(
  title: string,
  lines: ReadonlyMap<string, readonly Point[]>,
  { left, top }: { left: number; top: number },
): string {
  // Nothing is drawn at zero, which has no logarithm.
  const drawn = [...lines].map(([name, points], index): Line & { name: string } => ({
    name,
    colour: COLOURS[index]!,
    points: points.filter(({ value }) => value > 0),
  }));
  const panel = logPanel(title, drawn, scalesFor(drawn.flatMap(({ points }) => points)));
  const names = drawn.map(({ name, colour }, index) =>
    legend(name, colour, { x: 4, y: PANEL.height + 20 + (index + 1) * LEGEND_LINE }),
  );
  return `<g transform="translate(${left} ${top})">${panel}${names.join('')}</g>`;
}
