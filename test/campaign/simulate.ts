/** Days of operation in virtual time, with kills, freezes and failing parts: nothing lost, nothing twice, whatever the seed. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { SeedReport } from './simulate-seed.ts';

type Figures = Record<string, number>;

/**
 * `--seed` is the first one, `--seeds` how many; `--seeds 1..200` says both. `--workers` says how many run at once. Each seed
 * has a process of its own.
 */
export async function simulateCampaign({ seed = 1, seeds = 1, hours = 24, workers = 1 }): Promise<boolean> {
  const left = Array.from({ length: seeds }, (_, number) => seed + number);
  const [failed, total]: [number[], Figures] = [[], {}];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const report = await inOwnProcess(next, hours);
      console.log(linesOf(next, hours, report).join('\n'));
      if (report === undefined || report.violations.length > 0) failed.push(next);
      for (const [name, count] of Object.entries(report?.figures ?? {})) total[name] = (total[name] ?? 0) + count;
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  const found = failed.length === 0 ? '0' : `${failed.length} (${failed.toSorted((a, b) => a - b).join(', ')})`;
  console.log(`${seeds} seeds of ${hours} virtual hours: ${countsOf(total)}; seeds with violations: ${found}`);
  return failed.length === 0;
}

/** Resolves to undefined when the process ended without a report. */
async function inOwnProcess(seed: number, hours: number): Promise<SeedReport | undefined> {
  const child = fork(new URL('./simulate-seed.ts', import.meta.url), [String(seed), String(hours)]);
  let report: SeedReport | undefined;
  child.on('message', (message: SeedReport) => (report = message));
  await once(child, 'exit');
  return report;
}

function linesOf(seed: number, hours: number, report: SeedReport | undefined): string[] {
  if (report === undefined) return [`seed ${seed}: the process ended without a report`];
  const { figures, violations, digest, cpuSeconds } = report;
  const head = `seed ${seed}: ${hours} virtual hours in ${cpuSeconds} s of CPU, ${countsOf(figures)}`;
  return [
    `${head}, ${violations.length} violations, ${digest.slice(0, 8)}`,
    ...violations.slice(0, 10).map((violation) => `  ${violation}`),
  ];
}

const countsOf = (figures: Figures): string =>
  Object.entries(figures)
    .map(([name, count]) => `${count.toLocaleString('en')} ${name}`)
    .join(', ');
