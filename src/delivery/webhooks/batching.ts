/** When matches that are owed become a delivery. Pure: what is owed and a time give an answer. */
import type { Webhook } from '../../domain/webhook.ts';
import { policyOf } from './policies.ts';

/** Wait up to 1 s after the first match so that others can join the batch. */
const WINDOW_MS = 1_000;
/** A subscriber stores our answer first: until then it refuses events. */
const HELD_MS = 1_000;
/** The most deliveries of one webhook under way. Beyond that, matches wait as matches. */
const MOST_PENDING = 1_000;

export interface Owed {
  readonly webhook: Pick<Webhook, 'format' | 'every' | 'health' | 'subscription'> & Partial<Pick<Webhook, 'url'>>;
  readonly owedSince: Date | undefined;
  readonly owed: number;
  readonly pending: number;
}

/** Matches stored before `until` are due now, or a batch is due `at` a time. Undefined when nothing is owed. */
export type Due = { readonly until: Date } | { readonly at: Date } | undefined;

/** `failingWindow`: milliseconds that a batch of a failing webhook grows, so that deliveries do not pile up. */
export function batchDue({ webhook, owedSince, owed, pending }: Owed, now: Date, failingWindow: number): Due {
  if (owedSince === undefined || pending >= MOST_PENDING) return undefined;
  const time = now.getTime();
  const heldUntil = (webhook.subscription?.refreshedAt.getTime() ?? -HELD_MS) + HELD_MS;
  if (heldUntil > time) return { at: new Date(heldUntil) };
  if (webhook.every !== undefined) return digestDue(webhook.every, owedSince, time);
  const { matches, pace } = policyOf(webhook);
  const isFull = owed >= matches;
  // What comes faster than it may be sent shares a delivery.
  const window = webhook.health.failingSince === undefined ? Math.max(WINDOW_MS, pace) : failingWindow;
  const at = owedSince.getTime() + window;
  return isFull || at <= time ? { until: new Date(time + 1) } : { at: new Date(at) };
}

/** Digests go out on the quarter hour, the hour or at midnight: all matches before it, and none after. */
function digestDue(every: number, owedSince: Date, time: number): Due {
  const until = Math.floor(time / every) * every;
  return owedSince.getTime() < until ? { until: new Date(until) } : { at: new Date(until + every) };
}
