/** `sluice serve`: the server, until a signal ends it. */
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { Command } from 'commander';

export function serveCommand(): Command {
  return new Command('serve')
    .description('run the server (settings come from the environment; see docs/configuration.md)')
    .option('--json', 'log JSON lines on a terminal too')
    .action(async (options: { json?: true }) => {
      boundHeap();
      // The server is most of the program; the other commands start faster without it.
      const { serve } = await import('../../app/serve.ts');
      await serve(process.env, {
        terminal: process.stderr.isTTY && !options.json,
        hasStarted: ({ eventsSoFar }) => makeRoomFor(eventsSoFar),
      });
    });
}

const MB = 2 ** 20;

interface Room {
  /** Percent of what is in use that garbage may add before it is collected. */
  readonly garbage: number;
  /** Bytes for new objects. One half is in use, the other takes what lives on. */
  readonly newSpace: number;
}

/**
 * Left to itself V8 lets garbage add three hundred percent, and nothing is answered for 40 to 60 ms while it gives as many long texts
 * back; and it doubles the room for new objects up to 128 MB as objects live on.
 */
const USUAL: Room = { garbage: 50, newSpace: 32 * MB };
/**
 * While very many events come. With the usual room, the small heap of the thread that writes is gone through again every few thousand of
 * them, and an event takes a twelfth more CPU in all.
 */
const FOR_MANY: Room = { garbage: 100, newSpace: 64 * MB };
/** So many events a second are very many. */
const MANY = 1_000;
const SECOND_MS = 1_000;
/** So many take 96 kB, one list of which is made between two looks at its size. Few long objects are moved faster than many short ones. */
const NUMBERS = 12_288;
/** An option of the process may hold it below: then no number of objects makes it grow. */
const MOST_LOOKS = 1_000;

/**
 * To be called before the program is loaded. The largest size of new space can only be set by an option of the process, and how it grows
 * at any time: so it grows here, by objects that live on, and then no more but for very many events. Threads that start later begin with
 * what they may have at most.
 */
export function boundHeap(): void {
  allow(USUAL);
  const list = Array.from({ length: NUMBERS }, () => 0.5);
  const kept: object[] = [];
  for (let looks = 0; looks < MOST_LOOKS && newSpaceSize() < USUAL.newSpace; looks++) kept.push(list.slice());
  growAfterRest();
  setFlagsFromString(`--min-semi-space-size=${USUAL.newSpace / 2 / MB}`);
}

let allowed = USUAL;

/** V8 reads the percentage at the end of each collection of a whole heap, in every thread. New space grows when it is collected next. */
function allow(room: Room): void {
  allowed = room;
  setFlagsFromString(`--heap-growing-percent=${room.garbage}`);
}

/**
 * V8 takes new space back to a megabyte when a collection comes in a time of little work. It may then double again, up to what it had:
 * with a megabyte a server that works collects sixteen times as often, and keeps twice as much that is soon garbage.
 */
export function growAfterRest(): void {
  // V8 grows at first.
  let isGrowing = true;
  const letGrow = (): void => {
    const isSmall = newSpaceSize() < allowed.newSpace;
    if (isSmall !== isGrowing) setFlagsFromString(`--semi-space-growth-factor=${isSmall ? 2 : 1}`);
    isGrowing = isSmall;
  };
  letGrow();
  new PerformanceObserver(letGrow).observe({ entryTypes: ['gc'] });
}

export const newSpaceSize = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!.space_size;

/** Gives objects more room in the seconds in which very many events come. `eventsSoFar` only rises. */
export function makeRoomFor(eventsSoFar: () => number, give = allow): void {
  let before = eventsSoFar();
  let given = USUAL;
  setInterval(() => {
    const now = eventsSoFar();
    const room = now - before >= MANY ? FOR_MANY : USUAL;
    before = now;
    if (room !== given) give(room);
    given = room;
  }, SECOND_MS).unref();
}
