/** The times of a new user's first minutes: which step took how long, and whether all of it was short enough. */
export interface TimedStep {
  readonly way: string;
  readonly step: string;
  readonly seconds: number;
  /** Why it failed, if it did. The way ends there. */
  readonly problem?: string;
}

export const MOST_SECONDS = 180;

export const secondsOf = (steps: readonly TimedStep[], way: string): number =>
  steps.filter((one) => one.way === way).reduce((sum, { seconds }) => sum + seconds, 0);

const waysOf = (steps: readonly TimedStep[]): string[] => [...new Set(steps.map(({ way }) => way))];

/** The problems in words; there are none when every way led to a match in time. */
export const problemsOf = (steps: readonly TimedStep[]): string[] => [
  ...steps.flatMap(({ way, step, problem }) => (problem === undefined ? [] : [`${way}, ${step}: ${problem}`])),
  ...waysOf(steps)
    .filter((way) => secondsOf(steps, way) > MOST_SECONDS)
    .map((way) => `${way}: ${secondsOf(steps, way).toFixed(0)} s are more than ${MOST_SECONDS} s`),
];

export function tableOf(steps: readonly TimedStep[]): string {
  const sums = (way: string): TimedStep => ({ way, step: 'in all', seconds: secondsOf(steps, way) });
  const rows = waysOf(steps).flatMap((way) => [...steps.filter((one) => one.way === way), sums(way)]);
  const width = Math.max(...rows.map(({ step }) => step.length));
  const line = ({ way, step, seconds, problem }: TimedStep) =>
    `${way.padEnd(8)}  ${step.padEnd(width)}  ${seconds.toFixed(1).padStart(6)} s${problem === undefined ? '' : '  FAILED'}`;
  return rows.map(line).join('\n');
}
