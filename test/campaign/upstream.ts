/**
 * Upstreams at their worst, on virtual time: streams that are cut at any byte, rules that drift, outages of any length,
 * a day of every fault at once, and far more rules than slots. Then it counts what was lost, doubled, kept quiet about,
 * or asked too often.
 */

import { packingDifferential } from '../generated/packing-differential.ts';
import { driftRounds } from '../generated/registration-drift.ts';
import { cutStreams } from '../generated/upstream-cuts.ts';
import { outagesOf } from '../generated/upstream-outages.ts';
import { quotasUnderFire } from '../generated/upstream-quotas.ts';

export interface UpstreamOptions {
  readonly records?: number;
  readonly cuts?: number;
  readonly drifts?: number;
  readonly outages?: number;
  readonly hours?: number;
  readonly rules?: number;
  readonly seed?: number;
}

/** Records of one service: each begins anew, so that memory stays small. */
const RECORDS_AT_ONCE = 25_000;
/** In the middle, a round of drifts has so many. */
const DRIFTS_A_ROUND = 2;
const SLOTS_A_RULE = 1 / 20;

/** `npm run campaign -- upstream [--records N] [--cuts N] [--drifts N] [--outages N] [--hours N] [--rules N] [--seed N]`; 0 leaves a part out. */
export async function upstreamCampaign(options: UpstreamOptions): Promise<boolean> {
  const { records = 500_000, cuts = 1_000, drifts = 1_000, outages = 300, hours = 24, rules = 20_000 } = options;
  const seed = options.seed ?? Date.now() % 2 ** 31;
  console.log(`upstream: seed ${seed}`);
  const parts: readonly [number, () => Promise<boolean>][] = [
    [Math.min(records, cuts), () => cutting(records, cuts, seed)],
    [drifts, () => drifting(drifts, seed)],
    [outages, () => failing(outages, seed)],
    [hours, () => limiting(hours, seed)],
    [rules, () => packing(rules, seed)],
  ];
  let isRight = true;
  for (const [size, part] of parts) if (size > 0 && !(await part())) isRight = false;
  return isRight;
}

async function cutting(records: number, cuts: number, seed: number): Promise<boolean> {
  const rounds = Math.max(2, Math.ceil(records / RECORDS_AT_ONCE));
  const total = { records: 0, cuts: 0, lost: 0, twice: 0, partial: 0, unrecovered: 0, repeats: 0 };
  for (let round = 0; round < rounds; round++) {
    const size = { records: Math.ceil(records / rounds), cuts: Math.ceil(cuts / rounds) };
    const platform = round % 2 === 0 ? 'firehose' : 'x';
    const report = await cutStreams({ platform, ...size, seed: seed + round });
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += report[name];
  }
  console.log(
    `${total.cuts} cuts over ${total.records} records, half at each upstream: ${total.lost} lost, ${total.twice} twice, ${total.partial} partial; ${total.unrecovered} gaps not recovered, ${total.repeats} repeats known`,
  );
  return total.lost + total.twice + total.partial + total.unrecovered === 0;
}

async function drifting(drifts: number, seed: number): Promise<boolean> {
  const rounds = Math.ceil(drifts / DRIFTS_A_ROUND / 2);
  const reports = [
    await driftRounds({ rounds, seed }),
    // With packs.
    await driftRounds({ rounds, seed: seed + 1, limit: 30 }),
  ];
  const made = reports.flatMap((report) => Object.values(report.drifts)).reduce((sum, count) => sum + count, 0);
  const unsettled = reports.flatMap((report) => report.unsettled);
  const touched = reports.reduce((sum, { foreignTouched }) => sum + foreignTouched, 0);
  for (const problem of unsettled.slice(0, 10)) console.log(problem);
  console.log(`${made} drifts: ${unsettled.length} did not converge, ${touched} foreign rules touched`);
  return unsettled.length + touched === 0;
}

async function failing(outages: number, seed: number): Promise<boolean> {
  const share = Math.ceil(outages / 4);
  const reports = [
    await outagesOf({ platform: 'firehose', outages: share, seed }),
    await outagesOf({ platform: 'firehose', isSplit: true, outages: share, seed: seed + 1 }),
    await outagesOf({ platform: 'x', outages: share, seed: seed + 2 }),
    await outagesOf({ platform: 'x', level: 'enterprise', outages: share, seed: seed + 3 }),
  ];
  const sum = (of: (report: (typeof reports)[number]) => number) => reports.reduce((total, one) => total + of(one), 0);
  const unreported = reports.flatMap((report) => report.unreported);
  for (const one of unreported.slice(0, 10)) console.log(`kept quiet about: ${one}`);
  console.log(
    `${share * 4} outages, ${sum((one) => one.outageSeconds)} of ${sum((one) => one.seconds)} seconds: ${sum((one) => one.stored)} of ${sum((one) => one.records)} records stored, gaps of ${sum((one) => one.gapSeconds)} seconds, ${unreported.length} records in neither`,
  );
  return unreported.length === 0;
}

async function limiting(hours: number, seed: number): Promise<boolean> {
  const { requests, refused, fired, windows, early, apart, isLiveAgain } = await quotasUnderFire({ hours, seed });
  const faults = Object.values(fired).reduce((sum, count) => sum + count, 0);
  console.log(
    `${hours} hours, ${faults} faults of ${Object.keys(fired).length} kinds, ${requests} requests, ${refused} refused:`,
  );
  for (const { name, minutes, most, aim, limit } of windows) {
    console.log(`  ${name} in ${minutes} min: at most ${most} (aim ${aim}, limit ${limit})`);
  }
  for (const one of early.slice(0, 10)) console.log(`  too early: ${one}`);
  console.log(
    `  ${early.length} before a stated time; connections to Firehose ${apart} ms apart; live again: ${isLiveAgain}`,
  );
  return windows.every(({ most, aim }) => most <= aim) && early.length === 0 && apart >= 3_000 && isLiveAgain;
}

async function packing(rules: number, seed: number): Promise<boolean> {
  const slots = Math.ceil(rules * SLOTS_A_RULE);
  const report = await packingDifferential({ rules, slots, events: 5_000, changes: 20, seed });
  for (const difference of report.differences.slice(0, 10)) console.log(difference);
  console.log(
    `${report.rules} rules in ${report.registrations} of ${slots} slots, ${report.packs} packs: ${report.matches} matches of ${report.events} events, ${report.differences.length} attributed otherwise than without packs`,
  );
  console.log(
    `  upstream calls: ${report.callsToFill} to fill, ${report.callsByCreation.toFixed(1)} a creation, ${report.callsByDeletion.toFixed(1)} a deletion; never more than ${report.mostSlots} slots`,
  );
  return report.differences.length === 0 && report.mostSlots <= slots && report.matches > 0;
}
