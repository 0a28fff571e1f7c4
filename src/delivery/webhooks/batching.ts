/** When matches that are owed become a delivery. Pure: what is owed and a time give an answer. */
import type { Webhook, WebhookFormat } from '../../domain/webhook.ts';
import { patienceOf } from '../../wakes/over-time.ts';
import { isSink } from './sinks/sink-address.ts';

/** Wait up to 1 s after the first match so that others can join the batch. */
const WINDOW_MS = 1_000;
/** A subscriber stores our answer first: until then it refuses events. */
const HELD_MS = 1_000;
/** A digest goes out within this time after its hour. */
const DIGEST_TIME_MS = 60_000;
/** The most deliveries of one webhook under way. Beyond that, matches wait as matches. */
const MOST_PENDING = 1_000;

export interface Owed {
  readonly webhook: Pick<Webhook, 'format' | 'every' | 'health' | 'subscription' | 'wake'> &
    Partial<Pick<Webhook, 'url'>>;
  readonly owedSince: Date | undefined;
  readonly owed: number;
  readonly pending: number;
}

/**
 * The time of a match is that of its position, which never goes back. So after the clock was set back, matches are owed since a
 * time that is yet to come; they do not wait until the clock is there again.
 *
 * Matches stored before `until` are due now, or a batch is due `at` a time. It is undefined when nothing is owed.
 */
type Due = { readonly until: Date } | { readonly at: Date } | undefined;

/** `failingWindow`: milliseconds that a batch of a failing webhook grows, so that deliveries do not pile up. */
export function batchDue({ webhook, owedSince, owed, pending }: Owed, now: Date, failingWindow: number): Due {
  if (owedSince === undefined || pending >= MOST_PENDING) return undefined;
  const time = now.getTime();
  const since = owedSince.getTime();
  const heldUntil = (webhook.subscription?.refreshedAt.getTime() ?? -HELD_MS) + HELD_MS;
  if (heldUntil > time && heldUntil - time <= HELD_MS) return { at: new Date(heldUntil) };
  const patience = patienceOf(webhook.wake);
  if (patience > 0 && since + patience >= time && since - time <= patience)
    return { at: new Date(since + patience + 1) };
  if (webhook.every !== undefined) return digestDue(webhook.every, since, time);
  const { matches, pace } = policyOf(webhook);
  const isFull = owed >= matches;
  // Matches that come faster than they may be sent share a delivery.
  const window = webhook.health.failingSince === undefined ? Math.max(WINDOW_MS, pace) : failingWindow;
  const at = since + window;
  if (since - time > window) return { until: new Date(at) };
  return isFull || at <= time ? { until: new Date(Math.max(time, since) + 1) } : { at: new Date(at) };
}

/** Digests go out on the quarter hour, the hour or at midnight: all matches before it, and none after. */
function digestDue(every: number, since: number, time: number): Due {
  const until = Math.floor(time / every) * every;
  if (since < until) return { until: new Date(until) };
  // The clock was set back: what is stored now goes out with the digests of now, and not between them.
  if (since >= until + every && time - until < DIGEST_TIME_MS) return { until: new Date(since + every) };
  return { at: new Date(until + every) };
}

/**
 * The limits of each format's receiver: how many matches in a delivery, how many deliveries at a time, and how often.
 */
interface FormatPolicy {
  /** Matches in one delivery at most. A delivery may end earlier, where the text would be too long. */
  readonly matches: number;
  /** Deliveries under way at a time; chats take one after the other. */
  readonly inFlight: number;
  /** Milliseconds from one delivery to the next at least. Matches that come meanwhile share the next one. */
  readonly pace: number;
  /** Payload in one delivery at most, unless its first match alone is larger. */
  readonly bytes: number;
}

const MIB = 1024 * 1024;

/** Without `bytes` it is one MiB: no JSON body holds more. */
const FORMATS: Readonly<Record<WebhookFormat, Omit<FormatPolicy, 'bytes'> & Partial<FormatPolicy>>> = {
  json: { matches: 100, inFlight: 4, pace: 0 },
  slack: { matches: 20, inFlight: 1, pace: 0 },
  discord: { matches: 10, inFlight: 1, pace: 0 },
  // 20 messages a minute in a group, and one a second in any chat.
  telegram: { matches: 10, inFlight: 1, pace: 3_000 },
  // 60 requests at once, and one more every five seconds.
  ntfy: { matches: 10, inFlight: 1, pace: 5_000 },
  // Four requests a second.
  teams: { matches: 10, inFlight: 1, pace: 1_000 },
  matrix: { matches: 20, inFlight: 1, pace: 1_000 },
  email: { matches: 50, inFlight: 1, pace: 10_000 },
  cloudevents: { matches: 1, inFlight: 4, pace: 0 },
  'cloudevents-binary': { matches: 1, inFlight: 4, pace: 0 },
  'cloudevents-batch': { matches: 100, inFlight: 4, pace: 0 },
  // So many matches take some 30 ms to write as Parquet.
  ndjson: { matches: 2_000, inFlight: 1, pace: 0, bytes: 4 * MIB },
  parquet: { matches: 2_000, inFlight: 1, pace: 0, bytes: 4 * MIB },
  mcp: { matches: 1, inFlight: 4, pace: 0 },
  // It counts its matches and shows one of them, so many fit.
  wake: { matches: 2_000, inFlight: 1, pace: 0, bytes: 4 * MIB },
  a2a: { matches: 2_000, inFlight: 1, pace: 0, bytes: 4 * MIB },
};

/** A record for each match: they are written together, one delivery after the other, so that a rule's matches stay in order. */
const SINK = { matches: 100, inFlight: 1, pace: 0 };

export const policyOf = ({ format, url }: Pick<Webhook, 'format'> & Partial<Pick<Webhook, 'url'>>): FormatPolicy => ({
  bytes: MIB,
  ...(isSink(url) ? SINK : FORMATS[format]),
});
