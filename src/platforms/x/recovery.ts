/**
 * Fetches what is missing for longer than a backfill reaches, beside the live stream and one gap at a time. A job that
 * is cut begins anew; only one that ended in order has brought everything.
 */
import type { Clock } from '../../base/clock.ts';
import type { StreamCounter } from '../platform.ts';
import { type Coverage, type Missing, RECOVERY_MARGIN_MS } from './coverage.ts';
import type { Dial } from './open-stream.ts';
import type { Quota } from './quota.ts';
import { type Hearer, readConnection } from './read-connection.ts';
import { createPatience, type Ending } from './reconnect-policy.ts';

/** What asking again does not change; a few tries all the same, since tokens are replaced and proxies err. */
const FINAL: readonly Ending[] = ['auth', 'request', 'no_rules', 'rules'];
const MOST_REFUSALS = 3;
/** X's clock is known to the second: only then does what we ask for reach beyond what is missing. */
const AFTER_MS = 2_000;
/** X takes no time that is further back. */
const REACH_MS = 24 * 60 * 60_000;

interface Parts {
  readonly dial: Dial;
  readonly quota: Quota;
  readonly clock: Clock;
  readonly random: () => number;
  readonly count: (counter: StreamCounter) => void;
  readonly coverage: Coverage;
  readonly hearer: Hearer;
  /** Milliseconds by which X's clock is ahead of ours. */
  readonly skew: () => number;
  readonly signal: AbortSignal;
}

export async function recoverMissing(parts: Parts): Promise<void> {
  const { coverage, signal } = parts;
  for (let one = coverage.toRecover(); one !== undefined && !signal.aborted; one = coverage.toRecover()) {
    await recover(one, parts);
  }
}

/** Until it has come through, or will not, or is too old. */
async function recover(first: Missing, parts: Parts): Promise<void> {
  const { clock, quota, coverage, signal } = parts;
  const patience = createPatience(parts.random);
  let refusals = 0;
  for (let one = coverage.trim(first); one !== undefined; one = coverage.trim(one)) {
    const early = (one.to?.getTime() ?? 0) + AFTER_MS - clock.now().getTime();
    if (Math.max(early, quota.wait) > 0) await clock.sleep(Math.max(early, quota.wait), signal);
    const ending = signal.aborted ? 'stopped' : await attempt(one, parts);
    if (ending === 'stopped') return;
    if (ending === 'end') return coverage.close(one, true);
    if (FINAL.includes(ending)) refusals++;
    // A line without end would come again with every replay.
    if (refusals === MOST_REFUSALS || ending === 'overlong') return coverage.close(one, false);
    await clock.sleep(patience.after(ending).wait, signal);
  }
}

async function attempt(missing: Missing, parts: Parts): Promise<Ending | 'end' | 'stopped'> {
  const { dial, quota, clock, signal, count, hearer } = parts;
  const dialed = await dial(spanOf(missing, clock.now(), parts.skew()), signal);
  if (dialed.kind !== 'failed' || dialed.reached) quota.spend();
  if (dialed.kind === 'failed') return dialed.ending;
  quota.note(dialed.headers, dialed.kind === 'refused' && dialed.ending === 'rate');
  if (dialed.kind === 'refused') {
    count('refused');
    return dialed.ending;
  }
  count('connect');
  return readConnection(dialed.body, hearer, { clock, signal });
}

/** By X's clock, a little more than what is missing at both ends, and nothing that X refuses to look at. */
function spanOf({ from, to = from }: Missing, now: Date, skew: number): { start: Date; end: Date } {
  const earliest = now.getTime() - REACH_MS + RECOVERY_MARGIN_MS;
  const start = Math.max(from.getTime() - RECOVERY_MARGIN_MS, earliest);
  const end = Math.max(Math.min(to.getTime() + RECOVERY_MARGIN_MS, now.getTime()), start + 1_000);
  return { start: new Date(start + skew), end: new Date(end + skew) };
}
