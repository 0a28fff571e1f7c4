/** Days of operation in virtual time, with kills, freezes and failing parts: nothing lost, nothing twice, whatever the seed. */
import { simulate } from '../simulation/simulate.ts';

/** `--seed` is the first one, `--seeds` how many; `--seeds 1..200` says both. */
export async function simulateCampaign({ seed = 1, seeds = 1, hours = 24 }): Promise<boolean> {
  const failed: number[] = [];
  for (let one = seed; one < seed + seeds; one++) {
    const began = process.cpuUsage().user;
    const { violations, digest, ...figures } = await simulate({ seed: one, hours });
    const counts = Object.entries(figures).map(([name, count]) => `${count.toLocaleString('en')} ${name}`);
    const seconds = Math.round((process.cpuUsage().user - began) / 1e6);
    console.log(
      `seed ${one}: ${hours} virtual hours in ${seconds} s of CPU, ${counts.join(', ')}, ${violations.length} violations, ${digest.slice(0, 8)}`,
    );
    for (const violation of violations.slice(0, 10)) console.log(`  ${violation}`);
    if (violations.length > 0) failed.push(one);
  }
  console.log(`${seeds} seeds, ${failed.length} with violations${failed.length > 0 ? `: ${failed.join(', ')}` : ''}`);
  return failed.length === 0;
}
