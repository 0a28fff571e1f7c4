/** Registrations that another program deletes at the upstream, half at each: nothing is lost in silence. */
import { vanishingOf } from '../generated/vanishing.ts';

/** `npm run campaign -- drift [--times N] [--seed N]` */
export async function driftCampaign(options: { readonly times?: number; readonly seed?: number }): Promise<boolean> {
  const { times = 200, seed = Date.now() % 2 ** 31 } = options;
  console.log(`drift: seed ${seed}`);
  let isRight = true;
  for (const platform of ['x', 'firehose'] as const) {
    const report = await vanishingOf({ platform, times: Math.ceil(times / 2), seed });
    const { deleted, restarts, pairs, stored, silent, dropped, unsettled } = report;
    for (const one of silent.slice(0, 10)) console.log(`kept quiet about: ${one}`);
    for (const one of dropped.slice(0, 10)) console.log(`came, and was not stored: ${one}`);
    console.log(
      `${platform}: ${deleted} registrations deleted in ${Math.ceil(times / 2)} turns, ${restarts} restarts: ${stored} of ${pairs} matches stored, ${silent.length} outside any gap, ${dropped.length} that came and were not stored, ${unsettled.length} rules not active in the end`,
    );
    if (silent.length + dropped.length + unsettled.length > 0 || stored === pairs) isRight = false;
  }
  return isRight;
}
