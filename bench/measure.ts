/**
 * CPU time on cold streams. In a turn each contender takes every event once, so that no event is in a cache because it was
 * there a moment ago. Contenders take turns, and the best turn of each counts, so that a busy machine disturbs little.
 */
export type Run = (line: Buffer) => void;

/** Microseconds of CPU per event, for each of the contenders. The first events of the stream warm them up. */
export function measure(runs: readonly Run[], lines: readonly Buffer[], turns: number): number[] {
  const best = runs.map(() => Number.POSITIVE_INFINITY);
  for (const run of runs) cpuOf(() => lines.slice(0, WARM_UP).forEach(run));
  for (let turn = 0; turn < turns; turn++) {
    for (const [index, run] of runs.entries()) {
      best[index] = Math.min(
        best[index]!,
        cpuOf(() => {
          for (const line of lines) run(line);
        }),
      );
    }
  }
  return best.map((time) => time / lines.length);
}

const WARM_UP = 2_000;

/** Microseconds of CPU that a piece of work takes, in all threads. */
export function cpuOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Single calls in microseconds, as p50, p99 and the longest. */
export function spread(times: Float64Array): { p50: number; p99: number; max: number } {
  const sorted = times.toSorted();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  return { p50: at(0.5), p99: at(0.99), max: sorted.at(-1)! };
}

/** The bytes that are held, on the heap and beside it, once nothing is left to collect. */
export function memory(): number {
  // The memory of typed arrays goes a collection after their objects.
  for (let times = 0; times < 3; times++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
