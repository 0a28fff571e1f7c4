/** Days of operation in virtual time, with kills, freezes and failing parts: nothing lost, nothing twice, whatever the seed. */
import { simulate } from '../simulation/simulate.ts';

export async function simulateCampaign({ seed = 1, seeds = 1, hours = 24 }): Promise<boolean> {
  let failed = 0;
  for (let one = seed; one < seed + seeds; one++) {
    const { violations, digest, ...figures } = await simulate({ seed: one, hours });
    const counts = Object.entries(figures).map(([name, count]) => `${count.toLocaleString('en')} ${name}`);
    console.log(
      `seed ${one}: ${hours} virtual hours, ${counts.join(', ')}, ${violations.length} violations, ${digest.slice(0, 8)}`,
    );
    for (const violation of violations.slice(0, 10)) console.log(`  ${violation}`);
    if (violations.length > 0) failed++;
  }
  console.log(`${seeds} seeds, ${failed} with violations`);
  return failed === 0;
}
