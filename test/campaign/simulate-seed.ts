/** One seed of the simulation, in a process of its own: it tells its parent what happened, and ends. */
import { simulate } from '../simulation/simulate.ts';

export interface SeedReport {
  readonly figures: Record<string, number>;
  readonly violations: readonly string[];
  readonly digest: string;
  readonly cpuSeconds: number;
}

const [seed, hours] = process.argv.slice(2).map(Number) as [number, number];
const { violations, digest, ...figures } = await simulate({ seed, hours });
const report: SeedReport = { figures, violations, digest, cpuSeconds: Math.round(process.cpuUsage().user / 1e6) };
process.send!(report, () => process.disconnect());
