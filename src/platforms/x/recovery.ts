/**
 * Fetches posts that a backfill does not reach, beside the live stream, one gap at a time. A recovery that breaks starts
 * over: only one that ends regularly has brought everything.
 */
import type { Clock } from '../../base/clock.ts';
import type { StreamCounter } from '../platform.ts';
import type { Coverage } from './coverage.ts';
import type { MissingSpan } from './cursor.ts';
import type { StreamOpener } from './open-stream.ts';
import type { Quota } from './quota.ts';
import { type ConnectionRecorder, readXConnection } from './read-connection.ts';
import { createBackOff, type DisconnectReason } from './reconnect-policy.ts';

/** Refusals that a retry seldom changes. We try three times, because tokens are replaced and proxies fail. */
const FINAL: readonly DisconnectReason[] = ['auth', 'request', 'no_rules', 'rules'];
const MOST_REFUSALS = 3;
/** We know X's clock to the second, so we wait this long before we ask for the end of a gap. */
const AFTER_MS = 2_000;
/** A recovery begins and ends this much outside the gap. */
const MARGIN_MS = 60_000;
/** An answer without a post or a heartbeat may be that of a broken proxy: it is believed when it comes again after this time. */
const EMPTY_PAUSE_MS = 180_000;
/** X accepts no start that is further back. */
const REACH_MS = 24 * 60 * 60_000;

export interface RecoveryParts {
  readonly openStream: StreamOpener;
  readonly quota: Quota;
  readonly clock: Clock;
  readonly random: () => number;
  readonly count: (counter: StreamCounter) => void;
  readonly coverage: Coverage;
  readonly recorder: ConnectionRecorder;
  /** How many milliseconds X's clock is ahead of ours. */
  readonly skew: () => number;
  readonly signal: AbortSignal;
}

export async function recoverMissing(parts: RecoveryParts): Promise<void> {
  const { coverage, signal } = parts;
  for (let one = coverage.toRecover(); one !== undefined && !signal.aborted; one = coverage.toRecover()) {
    await recover(one, parts);
  }
}

/** Tries until the span has come, is refused for good, or is too old. */
export async function recover(first: MissingSpan, parts: RecoveryParts): Promise<void> {
  const { clock, quota, coverage, signal } = parts;
  const backOff = createBackOff(parts.random);
  let refusals = 0;
  let wasEmpty = false;
  for (let one = coverage.trim(first); one !== undefined; one = coverage.trim(one)) {
    const early = (one.to?.getTime() ?? 0) + AFTER_MS - clock.now().getTime();
    if (Math.max(early, quota.wait) > 0) await clock.sleep(Math.max(early, quota.wait), signal);
    const end = signal.aborted ? 'stopped' : await attempt(one, parts);
    if (end === 'stopped') return;
    if (end === 'end' || (end === 'empty' && wasEmpty)) return coverage.close(one, true);
    wasEmpty = end === 'empty';
    if (end === 'empty') {
      await clock.sleep(EMPTY_PAUSE_MS, signal);
      continue;
    }
    if (FINAL.includes(end)) refusals++;
    // A line that is too long would come again with every replay.
    if (refusals === MOST_REFUSALS || end === 'overlong') return coverage.close(one, false);
    await clock.sleep(backOff.after(end).wait, signal);
  }
}

/** `empty`: it ended regularly, and nothing came. */
async function attempt(
  missing: MissingSpan,
  parts: RecoveryParts,
): Promise<DisconnectReason | 'end' | 'empty' | 'stopped'> {
  const { openStream, quota, clock, signal, count, recorder } = parts;
  const opened = await openStream(spanOf(missing, clock.now(), parts.skew()), signal);
  if (opened.kind !== 'failed' || opened.reached) quota.spend();
  if (opened.kind === 'failed') return opened.reason;
  quota.note(opened.headers, opened.kind === 'refused' && opened.reason === 'rate');
  if (opened.kind === 'refused') {
    count('refused');
    return opened.reason;
  }
  count('connect');
  let isEmpty = true;
  opened.body.once('data', () => {
    isEmpty = false;
  });
  const end = await readXConnection(opened.body, recorder, { clock, signal });
  return end === 'end' && isEmpty ? 'empty' : end;
}

/** The range to ask for, by X's clock. It is a little larger than the gap, and within what X accepts. */
function spanOf({ from, to = from }: MissingSpan, now: Date, skew: number): { start: Date; end: Date } {
  const earliest = now.getTime() - REACH_MS + MARGIN_MS;
  const start = Math.max(from.getTime() - MARGIN_MS, earliest);
  const end = Math.max(Math.min(to.getTime() + MARGIN_MS, now.getTime()), start + 1_000);
  return { start: new Date(start + skew), end: new Date(end + skew) };
}
