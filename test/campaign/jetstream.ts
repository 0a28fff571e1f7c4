/**
 * Two hosts of Jetstream in virtual time: one of them begins to withhold a share of the posts, or is slow and withholds
 * nothing. Counts how many are found, how soon after the first withheld post, and how many are accused wrongly.
 */

import { randomFrom } from '../../bench/random.ts';
import { createComparison } from '../../src/sources/kinds/bluesky/compare.ts';

const SHARES = [1e-4, 1e-3, 1e-2, 1] as const;
const SECOND = 1_000_000;
const WARM_UP = 45 * SECOND;
const WITHIN = 60 * SECOND;

interface TrialOptions {
  readonly random: () => number;
  readonly share: number;
  /** Microseconds that the second host is behind: it witnesses late, and sends late. */
  readonly lag: number;
}

interface Arrival {
  readonly host: number;
  readonly key: string;
  readonly time: number;
  readonly arrives: number;
}

/** The withheld posts that were found, and how far the stream of the other host had gone on by then. */
function trial({ random, share, lag }: TrialOptions): { after: number | undefined; accused: number } {
  const rate = 20 + Math.floor(random() * 80);
  const skew = (random() - 0.5) * 4 * SECOND;
  const arrivals: Arrival[] = [];
  for (let at = 0; at < WARM_UP + WITHIN + 5 * SECOND; at += SECOND / rate) {
    const key = `post ${at}`;
    const first = at + random() * SECOND;
    const second = at + lag + skew + random() * 3 * SECOND;
    arrivals.push({ host: 0, key, time: first, arrives: first + random() * SECOND });
    const isWithheld = at >= WARM_UP && (at < WARM_UP + SECOND / rate || random() < share) && share > 0;
    if (!isWithheld) arrivals.push({ host: 1, key, time: second, arrives: second + random() * SECOND });
    else if (share === 1) arrivals.push({ host: 1, key: '', time: second, arrives: second });
  }
  const comparison = createComparison();
  let after: number | undefined;
  let accused = 0;
  for (const { host, key, time, arrives } of arrivals.toSorted((one, other) => one.arrives - other.arrives)) {
    if (key === '') comparison.heard(host, time);
    else comparison.saw(host, key, time, true);
    for (const withheld of comparison.found()) {
      if (share === 0 || withheld.host === 0 || withheld.time < WARM_UP) accused++;
      else after ??= arrives - lag - WARM_UP;
    }
  }
  return { after, accused };
}

export interface BlindnessReport {
  readonly share: number;
  readonly trials: number;
  readonly found: number;
  readonly accused: number;
  readonly slowestSeconds: number;
}

export function blindness(times: number, seed: number): BlindnessReport[] {
  const random = randomFrom(seed);
  const report = (share: number, lagOf: () => number): BlindnessReport => {
    const results = Array.from({ length: times }, () => trial({ random, share, lag: lagOf() }));
    const delays = results.flatMap(({ after }) => (after !== undefined && after <= WITHIN ? [after] : []));
    return {
      share,
      trials: times,
      found: delays.length,
      accused: results.reduce((sum, { accused }) => sum + accused, 0),
      slowestSeconds: Math.round(Math.max(0, ...delays) / SECOND),
    };
  };
  const slow = report(0, () => random() * 600 * SECOND);
  return [...SHARES.map((share) => report(share, () => random() * 10 * SECOND)), slow];
}

export const isSharp = (reports: readonly BlindnessReport[]): boolean =>
  reports.every(({ share, trials, found, accused }) => accused === 0 && (share === 0 || found >= trials * 0.999));

/** `npm run campaign -- jetstream [--times N] [--seed N]` */
export async function jetstreamCampaign(options: {
  readonly times?: number;
  readonly seed?: number;
}): Promise<boolean> {
  const { times = 2_000, seed = Date.now() % 2 ** 31 } = options;
  console.log(`jetstream: seed ${seed}`);
  const reports = blindness(times, seed);
  console.table(reports);
  return isSharp(reports);
}
