/** Long work in slices, so that requests and health checks are answered in between. */
import { setImmediate } from 'node:timers/promises';

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

/** Answers a value that is there within this turn of the event loop, and undefined where it takes longer. */
export const thereAlready = <T>(value: Promise<T>): Promise<T | undefined> =>
  Promise.race([value, setImmediate(undefined)]);

/** Turns of the event loop in which bytes that wait in a socket come through, those that are compressed or encrypted too. */
const SOCKET_TURNS = 5;

/** No time has to pass: a process that is frozen meanwhile reads its sockets all the same before this is over. */
export async function socketsRead(): Promise<void> {
  for (let turn = 0; turn < SOCKET_TURNS; turn++) await setImmediate();
}

/** Runs work that yields how much it has done in one go. `checkpoint` is called at each yield, and throws to end the work. */
export function runThrough<T>(work: Generator<number, T>, checkpoint: () => void = () => {}): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    checkpoint();
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
