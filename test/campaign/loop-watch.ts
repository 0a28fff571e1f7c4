/**
 * Loaded into a server under test (`node --import`): notes each callback of the event loop that used more than 20 ms of the
 * processor, with all that followed from it before the next, as a line of the file in SLUICE_TEST_BLOCKS. The processor's time
 * counts, so that a busy machine adds no blocks; and one callback counts, since on a busy machine many requests wait and one
 * turn of the loop takes them all up. Promises and `nextTick` go on with the callback that they come from. What V8 does of its own
 * accord between two callbacks is a block, too, if it takes as long, but of neither of them. What a block did is noted soon after. On
 * SIGUSR2 it notes how much memory is in use once all garbage is collected.
 */
import { createHook, executionAsyncResource } from 'node:async_hooks';
import { appendFileSync } from 'node:fs';
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { openProfile } from './loop-profile.ts';

const EVERY_MS = 5;
/** Shorter callbacks are not written down. */
const NOTED_MS = 20;
/** The end of a callback that takes longer is noted, too. */
const LONG_MS = 10;
/** What was seen is read so often. */
const READ_MS = 5_000;
/** Shorter collections are not written down. */
const GC_MS = 1;

const file = process.env['SLUICE_TEST_BLOCKS'];

if (isMainThread && file !== undefined) {
  const used = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  const moment = () => ({ used: used(), at: performance.now() });
  const readProfile = openProfile();
  let long: { from: number; to: number }[] = [];
  const tellSeen = (): void => {
    for (const { to, seen, stacks } of readProfile(long))
      appendFileSync(file, `${JSON.stringify({ at: Math.round(performance.timeOrigin + to), seen, stacks })}\n`);
    long = [];
    // Reading is nobody's block.
    [began, ended] = [moment(), undefined];
  };
  let began = moment();
  /** When something of a long callback last ended. */
  let ended: typeof began | undefined;
  const noteFrom = (from: typeof began, to: typeof began): void => {
    const cpu = Math.round(to.used - from.used);
    const block = { at: Math.round(performance.timeOrigin + to.at), cpu, wall: Math.round(to.at - from.at) };
    if (cpu <= NOTED_MS) return;
    appendFileSync(file, `${JSON.stringify(block)}\n`);
    long.push({ from: from.at, to: to.at });
  };
  const note = (): void => {
    const now = moment();
    noteFrom(began, ended ?? now);
    if (ended !== undefined) noteFrom(ended, now);
    [began, ended] = [now, undefined];
  };
  createHook({
    before() {
      const resource = executionAsyncResource();
      if (!(resource instanceof Promise) && !isTick(resource)) note();
    },
    after() {
      if (performance.now() - began.at > LONG_MS) ended = moment();
    },
  }).enable();
  // Collections of garbage fall into whatever runs: they are written beside, so that a block can be told from them.
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      const collected = { at: Math.round(performance.timeOrigin + startTime + duration), gc: Math.round(duration) };
      if (duration > GC_MS) appendFileSync(file, `${JSON.stringify(collected)}\n`);
    }
  }).observe({ entryTypes: ['gc'] });
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  process.on('SIGUSR2', () => {
    tellSeen();
    collectGarbage();
    appendFileSync(file, `${JSON.stringify({ heap: process.memoryUsage().heapUsed })}\n`);
    // This collection is nobody's block.
    [began, ended] = [moment(), undefined];
  });
  // The work that follows the last callback before the loop rests ends here at the latest.
  setInterval(note, EVERY_MS).unref();
  setInterval(tellSeen, READ_MS).unref();
}

const isTick = (resource: object): boolean => 'callback' in resource && 'args' in resource;
