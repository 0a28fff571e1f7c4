/** Memory of another process, as Linux tells it. */
import { readFileSync } from 'node:fs';

/** Megabytes that lie in memory. */
export function residentMb(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
  return Math.round(Number(kilobytes) / 1_000);
}
