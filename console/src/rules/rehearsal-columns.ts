/** The matches of a rehearsal as columns: an interval without a match is a column too. Pure. */
import type { Answer } from '../../../src/client/index.ts';

export type Rehearsed = Answer<'getRehearsal'>;
export type RehearsedPlatform = NonNullable<Rehearsed['result']['platforms']['x']>;

/** More columns cannot be told apart: then only those with a match are drawn. */
const MOST = 1_000;

export function columnsOfRehearsal({ seconds, counts }: RehearsedPlatform['timeline']): {
  times: number[];
  values: number[];
} {
  const found = new Map(counts.map(({ at, matched }) => [Date.parse(at), matched]));
  const [first = 0, last = 0] = [Math.min(...found.keys()), Math.max(...found.keys())].filter(Number.isFinite);
  const step = seconds * 1_000;
  const length = found.size === 0 ? 0 : Math.round((last - first) / step) + 1;
  const times = length > MOST ? [...found.keys()] : Array.from({ length }, (_, at) => first + at * step);
  return { times, values: times.map((time) => found.get(time) ?? 0) };
}
