/** The events that a rehearsal shows: the newest and the first matches, near misses, and one of each large story. */
import type { Payload } from '../../domain/match.ts';
import type { RehearsalSample } from '../../store/store.ts';

const NEWEST = 10;
const FIRST = 5;
const MISSES_OF_CLAUSE = 2;
const MISSES = 20;
/** Longer events are not shown: the result of a rehearsal stays below a megabyte. */
const MAX_CHARACTERS = 16_384;

export interface Samples {
  /** Whether a match of this time would be shown. */
  takesMatch(at: number | undefined): boolean;
  match(sample: Omit<RehearsalSample, 'kind'>): void;
  takesMiss(clause: number): boolean;
  miss(clause: number, sample: Omit<RehearsalSample, 'kind'>): void;
  story(number: number, left: number | undefined, sample: Omit<RehearsalSample, 'kind'>): void;
  all(): RehearsalSample[];
}

export const storyKind = (number: number): string => `story ${number}`;
export const missKind = (clause: number): string => `miss ${clause}`;

export function createSamples(kept: readonly RehearsalSample[] = []): Samples {
  const of = (kind: string) => kept.filter((sample) => sample.kind === kind);
  let newest = of('newest');
  let first = of('first');
  const misses = kept.filter(({ kind }) => kind.startsWith('miss '));
  const stories = new Map(kept.filter(({ kind }) => kind.startsWith('story ')).map((one) => [one.kind, one]));
  const missesOf = (clause: number) => misses.filter(({ kind }) => kind === missKind(clause)).length;
  return {
    takesMatch: (at) =>
      newest.length < NEWEST ||
      first.length < FIRST ||
      timeIn(newest.at(-1)!) < (at ?? 0) ||
      timeIn(first.at(-1)!) > (at ?? Number.POSITIVE_INFINITY),
    match(sample) {
      if (isLong(sample.payload)) return;
      newest = [...newest, { ...sample, kind: 'newest' }].toSorted((a, b) => timeIn(b) - timeIn(a)).slice(0, NEWEST);
      first = [...first, { ...sample, kind: 'first' }].toSorted((a, b) => timeIn(a) - timeIn(b)).slice(0, FIRST);
    },
    takesMiss: (clause) => misses.length < MISSES && missesOf(clause) < MISSES_OF_CLAUSE,
    miss(clause, sample) {
      if (!isLong(sample.payload)) misses.push({ ...sample, kind: missKind(clause) });
    },
    story(number, left, sample) {
      if (left !== undefined) stories.delete(storyKind(left));
      if (!isLong(sample.payload)) stories.set(storyKind(number), { ...sample, kind: storyKind(number) });
    },
    all: () => [...newest, ...first, ...misses, ...stories.values()],
  };
}

const timeIn = ({ at }: Pick<RehearsalSample, 'at'>): number => at?.getTime() ?? 0;

const isLong = (payload: Payload): boolean => JSON.stringify(payload).length > MAX_CHARACTERS;
