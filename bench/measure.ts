/**
 * CPU time, measured so that a busy machine disturbs it little: contenders take turns on the same few events, and the
 * best of several turns counts.
 */
export type Run = (payload: unknown) => void;

/** Microseconds of CPU per event, for each of the contenders. */
export function measure(runs: readonly Run[], lines: readonly string[], rounds: number, slice: number): number[] {
  const totals = runs.map(() => 0);
  warmUp(runs, lines.slice(0, slice));
  for (let from = 0; from < lines.length; from += slice) {
    const payloads = lines.slice(from, from + slice).map((line): unknown => JSON.parse(line));
    const best = runs.map(() => Number.POSITIVE_INFINITY);
    for (let round = 0; round < rounds; round++) {
      for (const [index, run] of runs.entries()) best[index] = Math.min(best[index]!, cpuOf(run, payloads));
    }
    for (const [index, time] of best.entries()) totals[index]! += time;
  }
  return totals.map((total) => total / lines.length);
}

/** Lets the compiler see what is coming. */
function warmUp(runs: readonly Run[], lines: readonly string[]): void {
  const payloads = lines.map((line): unknown => JSON.parse(line));
  for (const run of runs) for (const payload of payloads) run(payload);
}

function cpuOf(run: Run, payloads: readonly unknown[]): number {
  const before = process.cpuUsage();
  for (const payload of payloads) run(payload);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Wall time of single calls in microseconds, as p50, p99 and the longest. */
export function spread(times: Float64Array): { p50: number; p99: number; max: number } {
  const sorted = times.toSorted();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  return { p50: at(0.5), p99: at(0.99), max: sorted.at(-1)! };
}
