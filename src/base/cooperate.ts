/** Long work in slices, so that requests and health checks are answered in between. */
import { setImmediate } from 'node:timers/promises';
import type { Clock } from './clock.ts';

/**
 * Counts work and lets everything else run each time a slice is full. A slice is a few milliseconds of matching on any
 * usual machine, so a count is enough and no clock is needed.
 */
export function createPauses(slice: number): (work: number) => Promise<void> | undefined {
  let done = 0;
  return (work) => {
    done += work;
    if (done < slice) return undefined;
    done = 0;
    return setImmediate();
  };
}

/**
 * Pauses for work that several callers do at once: in one turn of the event loop one of them goes on, in the order in
 * which they paused. All of them in one turn would hold up everything else for as many slices.
 */
export function createTurns(slice: number): (work: number) => Promise<void> | undefined {
  let done = 0;
  let last: Promise<void> = Promise.resolve();
  return (work) => {
    done += work;
    if (done < slice) return undefined;
    done = 0;
    last = last.then(() => setImmediate());
    return last;
  };
}

/** Small things between two turns of the event loop, and the characters of a long text that take as long as one. */
const PIECES_AT_ONCE = 16;
const CHARACTERS_A_PIECE = 4_096;

/** How many small things it takes as long to read as a text. */
export const piecesOf = (text: string | undefined): number => (text?.length ?? 0) / CHARACTERS_A_PIECE;

/** Pauses after every few small things. */
export const pausesBetweenPieces = (): ReturnType<typeof createPauses> => createPauses(PIECES_AT_ONCE);

/** Goes through small things one by one, and lets everything else run after every few of them. One may count as more, or less. */
export async function* unhurried<T>(
  items: Iterable<T>,
  piecesIn: (item: T) => number = () => 1,
): AsyncGenerator<T, void> {
  const pause = pausesBetweenPieces();
  for (const item of items) {
    const pieces = piecesIn(item);
    yield item;
    await pause(pieces);
  }
}

/** Does what it is asked for in the next turn of the event loop: once, however often it is asked in this one. */
export function onceNextTurn(action: () => void): () => void {
  let isDue = false;
  const wait = async (): Promise<void> => {
    await setImmediate();
    isDue = false;
    action();
  };
  return () => {
    if (!isDue) void wait();
    isDue = true;
  };
}

/** Answers a value that is there within this turn of the event loop, and undefined where it takes longer. */
export const thereAlready = <T>(value: Promise<T>): Promise<T | undefined> =>
  Promise.race([value, setImmediate(undefined)]);

/** Turns of the event loop in which bytes that wait in a socket come through, those that are compressed or encrypted too. */
const SOCKET_TURNS = 5;

/** No time has to pass: a process that is frozen meanwhile reads its sockets all the same before this is over. */
export async function socketsRead(): Promise<void> {
  for (let turn = 0; turn < SOCKET_TURNS; turn++) await setImmediate();
}

/** Runs work that yields how much it has done in one go. */
export function runThrough<T>(work: Generator<number, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Runs work that yields how much it has done, and lets everything else run each time a slice is full. */
export async function inSlices<T>(work: Generator<number, T>, slice: number): Promise<T> {
  const pause = createPauses(slice);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    const pausing = pause(step.value);
    if (pausing !== undefined) await pausing;
  }
}

/** Does a part of long work. The event loop gets a turn before its caller goes on. */
export async function partOfWork(work: () => Promise<void>): Promise<void> {
  await work();
  await setImmediate();
}

/** The event loop gets a turn after this many subscribers, or this many milliseconds. */
const VISITED_AT_ONCE = 200;
const MS_AT_ONCE = 5;

/** Visits subscribers one after another: however many there are, everything else runs in between. */
export async function visitInTurns<Subscriber>(
  clock: Clock,
  subscribers: Iterable<Subscriber>,
  visit: (subscriber: Subscriber) => Promise<void> | void,
): Promise<void> {
  let [visited, began] = [0, clock.now().getTime()];
  for (const subscriber of subscribers) {
    const visiting = visit(subscriber);
    if (visiting !== undefined) await visiting;
    if (++visited < VISITED_AT_ONCE && clock.now().getTime() - began < MS_AT_ONCE) continue;
    await setImmediate();
    [visited, began] = [0, clock.now().getTime()];
  }
}

/** Words between two pauses: a few milliseconds of work. An event costs this much beside its words. */
const SLICE = 6_000;
const EVENT_COST = 50;
const LONG_MS = 2;
const LONGEST_MS = 50;

/**
 * Pauses of work that has time. After each slice everything else runs. What then took long had work to do, and gets as much
 * time again.
 */
export function createSlowLane(clock: Clock, signal?: AbortSignal): (words: number) => Promise<void> | undefined {
  let done = 0;
  const pause = async (): Promise<void> => {
    const before = clock.elapsed();
    await setImmediate();
    const others = clock.elapsed() - before;
    if (others > LONG_MS) await clock.sleep(Math.min(others, LONGEST_MS), signal);
  };
  return (words) => {
    done += words + EVENT_COST;
    if (done < SLICE) return undefined;
    done = 0;
    return pause();
  };
}
