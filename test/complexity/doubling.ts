/**
 * Work that follows the size of its input. `doubling` makes the worst input there is at each size, doubles the size, and holds
 * the growth of the work to 2.3 times for each doubling. Work is counted where the code counts its steps. Elsewhere it is
 * timed, and the last size is compared with the first: quadratic work then grows 256 times where 28 are allowed. Choose sizes
 * whose largest takes a few milliseconds: such a run now and then has the processor to itself even on a busy machine.
 */
import { expect, it } from 'vitest';

/** Linear work doubles; what is hashed or falls out of a cache grows a little more. */
export const MOST_GROWTH = 2.3;
/** A busy machine only adds to a time, so the least of several runs counts. Runs end when the growth is within its limit. */
const MOST_RUNS = 60;
const LEAST_RUNS = 3;
/** Milliseconds below which no growth can be told. Work that takes less at its largest size is small enough. */
const FLOOR = 1;
const ADDED_UP = 60;

export interface Doubling<T> {
  readonly sizes: readonly number[];
  /** The worst input of a size. */
  make(size: number): T | Promise<T>;
  /** The steps that the work took, or nothing where none are counted. */
  work(input: T): unknown;
}

/** A size and its four doublings, up to a largest. */
export const upTo = (largest: number): number[] => [16, 8, 4, 2, 1].map((part) => Math.ceil(largest / part));

export function doubling<T>(name: string, task: Doubling<T>): void {
  it(`${name}: the work follows the size`, () => expectGrowth(task));
}

export async function expectGrowth<T>(task: Doubling<T>): Promise<void> {
  const { growth, work } = await growthOf(task);
  expect(
    growth,
    `work at ${task.sizes.join(', ')}: ${work.map((one) => one.toFixed(2)).join(', ')}`,
  ).toBeLessThanOrEqual(MOST_GROWTH);
}

/** The growth of the work for a doubling of the size: the worst one where steps are counted, else the mean of all. */
export async function growthOf<T>(task: Doubling<T>): Promise<{ growth: number; work: number[] }> {
  const { sizes } = task;
  const smallest = await task.make(sizes[0]!);
  const steps = await task.work(smallest);
  if (typeof steps === 'number') return countedGrowth(task, steps);
  const largest = await task.make(sizes.at(-1)!);
  await task.work(largest);
  const [first, last] = [newClock(), newClock()];
  let growth = Infinity;
  for (let run = 0; run < LEAST_RUNS || (run < MOST_RUNS && growth > MOST_GROWTH); run++) {
    await timed(first, () => task.work(smallest));
    await timed(last, () => task.work(largest));
    growth = timeOf(last) < FLOOR ? 1 : (timeOf(last) / timeOf(first)) ** (1 / (sizes.length - 1));
  }
  return { growth, work: [timeOf(first), timeOf(last)] };
}

/** Steps are the same each time: one run of every size tells them. */
async function countedGrowth<T>(task: Doubling<T>, ofFirst: number): Promise<{ growth: number; work: number[] }> {
  const work = [ofFirst];
  for (const size of task.sizes.slice(1)) {
    const steps = await task.work(await task.make(size));
    if (typeof steps !== 'number') throw new Error(`No steps were counted at ${size}.`);
    work.push(steps);
  }
  const growths = work.slice(1).map((steps, at) => steps / Math.max(work[at]!, 1));
  return { growth: Math.max(...growths), work };
}

/** Milliseconds: the least that a run took, and the processor's time for all runs. */
interface Clock {
  least: number;
  cpu: number;
  runs: number;
}

const newClock = (): Clock => ({ least: Infinity, cpu: 0, runs: 0 });

async function timed(clock: Clock, work: () => unknown): Promise<void> {
  const started = performance.now();
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  clock.least = Math.min(clock.least, performance.now() - started);
  clock.cpu += (user + system) / 1_000;
  clock.runs++;
}

/** Some kernels count the processor's time in ticks, so it counts when it has added up. It helps where every run is broken off. */
const timeOf = ({ least, cpu, runs }: Clock): number => (cpu < ADDED_UP ? least : Math.min(least, cpu / runs));
