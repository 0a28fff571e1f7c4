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

export interface Doubling<T> {
  readonly sizes: readonly number[];
  /** The worst input of a size. */
  make(size: number): T;
  /** The steps that the work took, or nothing where none are counted. */
  work(input: T): unknown;
}

/** A size and its four doublings, up to a largest. */
export const upTo = (largest: number): number[] => [16, 8, 4, 2, 1].map((part) => Math.ceil(largest / part));

export function doubling<T>(name: string, task: Doubling<T>): void {
  it(`${name}: the work follows the size`, { timeout: 60_000 }, async () => {
    const { growth, work } = await growthOf(task);
    expect(
      growth,
      `work at ${task.sizes.join(', ')}: ${work.map((one) => one.toFixed(2)).join(', ')}`,
    ).toBeLessThanOrEqual(MOST_GROWTH);
  });
}

/** The growth of the work for a doubling of the size: the worst one where steps are counted, else the mean of all. */
export async function growthOf<T>(task: Doubling<T>): Promise<{ growth: number; work: number[] }> {
  const inputs = task.sizes.map((size) => task.make(size));
  const counted: unknown[] = [];
  for (const input of inputs) counted.push(await task.work(input));
  if (counted.every((steps) => typeof steps === 'number')) {
    const growths = counted.slice(1).map((steps, at) => steps / Math.max(counted[at]!, 1));
    return { growth: Math.max(...growths), work: counted };
  }
  let [first, last, growth] = [Infinity, Infinity, Infinity];
  for (let run = 0; run < LEAST_RUNS || (run < MOST_RUNS && growth > MOST_GROWTH); run++) {
    first = Math.min(first, await timeOf(task, inputs[0]!));
    last = Math.min(last, await timeOf(task, inputs.at(-1)!));
    growth = last < FLOOR ? 1 : (last / first) ** (1 / (inputs.length - 1));
  }
  return { growth, work: [first, last] };
}

/** Milliseconds of this thread's CPU. Some kernels count that in ticks: where it cannot be true, the time on the wall. */
async function timeOf<T>({ work }: Doubling<T>, input: T): Promise<number> {
  const started = performance.now();
  const before = process.threadCpuUsage();
  await work(input);
  const { user, system } = process.threadCpuUsage(before);
  const [wall, cpu] = [performance.now() - started, (user + system) / 1_000];
  return wall < FLOOR || cpu < wall / 8 ? wall : Math.min(wall, cpu);
}
