/**
 * Fetches what the webhook missed. X delivers again what it had tried to deliver; what it did not try, because the webhook
 * was invalid or not linked, comes by a connection of its own, as for a stream.
 */
import type { Clock } from '../../base/clock.ts';
import type { UpstreamLog } from '../platform.ts';
import type { MissingSpan } from './cursor.ts';
import { type RecoveryParts, recover } from './recovery.ts';
import { type WebhookCalls, WebhookRefusal } from './webhook-calls.ts';

const MINUTE_MS = 60_000;
/** X says that a replay has ended, and some of it may come after that. */
const SETTLE_MS = 30_000;
/** We know X's clock to the second. */
const CLOCK_MS = 2_000;
/** Without a word of its end a replay counts as failed after this long, and as long as what it replays took. */
const PATIENCE_MS = 10 * MINUTE_MS;
/** During these X tried to deliver nothing, or nothing shows that it did. */
const UNTRIED: readonly string[] = ['challenge', 'invalid', 'unlinked', 'unregistered', 'suspect'];

export interface Replays {
  /** X says that a job has ended. */
  note(jobId: string, isWhole: boolean): void;
  /** Whether everything was delivered; false if no word of it comes in time. */
  end(jobId: string, spanMs: number, signal: AbortSignal): Promise<boolean>;
}

export function createReplays(clock: Clock): Replays {
  /** An end may be told before the answer that names the job. */
  const ended = new Map<string, boolean>();
  let onEnd = new AbortController();
  return {
    note(jobId, isWhole) {
      ended.set(jobId, isWhole);
      onEnd.abort('ended');
      onEnd = new AbortController();
    },
    async end(jobId, spanMs, signal) {
      const until = clock.elapsed() + PATIENCE_MS + spanMs;
      while (!ended.has(jobId) && clock.elapsed() < until && !signal.aborted)
        await clock.sleep(until - clock.elapsed(), AbortSignal.any([signal, onEnd.signal]));
      const isWhole = ended.get(jobId) ?? false;
      ended.clear();
      return isWhole;
    },
  };
}

interface Parts extends RecoveryParts {
  readonly calls: Pick<WebhookCalls, 'replay'>;
  readonly webhookId: () => string | undefined;
  readonly replays: Replays;
  /** Resolves when everything that came to the webhook is handed on. */
  readonly drain: () => Promise<void>;
  readonly log: UpstreamLog;
}

export async function recoverDeliveries(parts: Parts): Promise<void> {
  const { coverage, signal } = parts;
  for (let one = coverage.toRecover(); one !== undefined && !signal.aborted; one = coverage.toRecover()) {
    const span = UNTRIED.includes(one.cause) ? undefined : coverage.trim(one);
    if (span !== undefined && (await isReplayed(span, parts))) coverage.close(span, true);
    else if (!signal.aborted && coverage.has(span ?? one)) await recover(span ?? one, parts);
  }
}

async function isReplayed({ from, to = from }: MissingSpan, parts: Parts): Promise<boolean> {
  const { clock, calls, replays, log, signal } = parts;
  const id = parts.webhookId();
  if (id === undefined) return false;
  const skew = parts.skew();
  const begin = floorMinute(from.getTime() + skew);
  const end = floorMinute(to.getTime() + skew) + MINUTE_MS;
  // X takes no time that has not come yet, by its own clock.
  const early = end - (clock.now().getTime() + skew);
  if (early > 0) await clock.sleep(early + CLOCK_MS, signal);
  try {
    const job = await calls.replay(id, new Date(begin), new Date(end));
    if (!(await replays.end(job, end - begin, signal))) return false;
    await clock.sleep(SETTLE_MS, signal);
    await parts.drain();
    return !signal.aborted;
  } catch (error) {
    if (!(error instanceof WebhookRefusal)) throw error;
    log.warn({ platform: 'x', reason: error.reason, detail: error.message }, 'X replays no deliveries');
    return false;
  }
}

const floorMinute = (time: number): number => Math.floor(time / MINUTE_MS) * MINUTE_MS;
