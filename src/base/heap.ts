/**
 * How much memory a server's JavaScript takes at most for what it uses. Left to itself, V8 lets garbage pile up, and gives its memory back
 * hours later or never.
 */
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Percent of what is in use that garbage may add before it is collected. Left to itself V8 waits for three hundred, and nothing
 * is answered for 40 to 60 ms while it gives as many long texts back.
 */
const MOST_GARBAGE = 50;
/** While very many events come: with fifty, the small heap of the thread that writes is gone through again every few thousand of them. */
const MOST_GARBAGE_OF_MANY = 100;
/** So many events a second are very many. */
const MANY = 1_000;
const SECOND_MS = 1_000;
const MB = 2 ** 20;
/** The room for new objects, which V8 doubles up to 128 MB as objects live on. One half is in use, the other takes what lives on. */
const NEW_SPACE = 32 * MB;
/** So many take 96 kB, one list of which is made between two looks at its size. Few long objects are moved faster than many short ones. */
const NUMBERS = 12_288;
/** An option of the process may hold it below: then no number of objects makes it grow. */
const MOST_LOOKS = 1_000;

/**
 * To be called before the program is loaded. The largest size of new space can only be set by an option of the process, and how it grows
 * at any time: so it grows here, by objects that live on, and then no more. Threads that start later begin with what they may have at most.
 */
export function boundHeap(): void {
  allowGarbage(MOST_GARBAGE);
  const list = Array.from({ length: NUMBERS }, () => 0.5);
  const kept: object[] = [];
  for (let looks = 0; looks < MOST_LOOKS && newSpaceSize() < NEW_SPACE; looks++) kept.push(list.slice());
  growAfterRest();
  setFlagsFromString(`--min-semi-space-size=${NEW_SPACE / 2 / MB}`);
}

/** V8 reads it at the end of each collection of a whole heap, in every thread. */
const allowGarbage = (percent: number): void => setFlagsFromString(`--heap-growing-percent=${percent}`);

/**
 * V8 takes new space back to a megabyte when a collection comes in a time of little work. It may then double again, up to what it had:
 * with a megabyte a server that works collects sixteen times as often, and keeps twice as much that is soon garbage.
 */
export function growAfterRest(): void {
  // V8 grows at first.
  let isGrowing = true;
  const letGrow = (): void => {
    const isSmall = newSpaceSize() < NEW_SPACE;
    if (isSmall !== isGrowing) setFlagsFromString(`--semi-space-growth-factor=${isSmall ? 2 : 1}`);
    isGrowing = isSmall;
  };
  letGrow();
  new PerformanceObserver(letGrow).observe({ entryTypes: ['gc'] });
}

export const newSpaceSize = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!.space_size;

/** Gives garbage more room in the seconds in which very many events come. `eventsSoFar` only rises. */
export function makeRoomFor(eventsSoFar: () => number, allow = allowGarbage): void {
  let before = eventsSoFar();
  let hadMany = false;
  setInterval(() => {
    const now = eventsSoFar();
    const hasMany = now - before >= MANY;
    before = now;
    if (hasMany !== hadMany) allow(hasMany ? MOST_GARBAGE_OF_MANY : MOST_GARBAGE);
    hadMany = hasMany;
  }, SECOND_MS).unref();
}
