/** The growth curves as tables, and in words where each bends. */
import { bendOf, costAt, fitCurve, type Sized } from './fit.ts';
import { linesOf, TITLES } from './plot.ts';
import { CURVES, type CurvePoint } from './point.ts';

/** The sizes that the fit is asked for, beyond the measured ones. */
const BEYOND = { rules: 10_000_000, matches: 50_000_000, webhooks: 100_000, streams: 100_000 } as const;

export function tableOf(points: readonly CurvePoint[]): string {
  return CURVES.map((name) => points.filter(({ curve }) => curve === name))
    .filter((own) => own.length > 0)
    .map(oneTable)
    .join('\n\n');
}

function oneTable(points: readonly CurvePoint[]): string {
  const { curve } = points[0]!;
  const { cpu, memory } = linesOf(points);
  const works = [...cpu.keys()];
  const hasMatches = points.some(({ matches_an_event }) => matches_an_event !== undefined);
  const heads = [
    TITLES[curve],
    ...works.map((work) => `${work}, µs`),
    ...(hasMatches ? ['matches an event'] : []),
    'memory, MB',
  ];
  const rows = points.map(({ size, cpu_micros, matches_an_event, resident_mb }) => [
    shown(size),
    ...works.map((work) => shown(cpu_micros[work]!)),
    ...(hasMatches ? [String(matches_an_event)] : []),
    shown(resident_mb),
  ]);
  const said = [...[...cpu].map(([work, its]) => [`µs of ${work}`, its] as const), ['MB of memory', memory] as const];
  return [
    ...[heads, heads.map(() => '--:'), ...rows].map((cells) => `| ${cells.join(' | ')} |`),
    '',
    ...said.map(([what, its]) =>
      inWords(
        what,
        BEYOND[curve],
        its.map(({ size, value }) => [size, value]),
      ),
    ),
  ].join('\n');
}

function inWords(what: string, beyond: number, points: readonly Sized[]): string {
  const fit = fitCurve(points);
  const bend = bendOf(fit);
  const where = bend === undefined ? 'no bend' : `bends at ${shown(Number(bend.toPrecision(2)))}`;
  const parts = `${precise(fit.fixed)} + ${precise(fit.tenfold)} for each tenfold + ${precise(fit.each)} each`;
  return `- ${what}: ${where}; ${parts}; ${shown(costAt(fit, beyond))} at ${shown(beyond)} if it goes on so`;
}

const shown = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Math.round(10 * value) / 10);

const precise = (value: number): string => (value === 0 ? '0' : value.toPrecision(2));
