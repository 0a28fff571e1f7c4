/** When what is owed becomes a delivery. Pure: an agenda and a time give an answer. */
import type { Webhook } from '../../domain/webhook.ts';
import { FORMATS } from './formats.ts';

/** The first match of a batch waits so long for others. */
const WINDOW_MS = 1_000;
/** No more than so many deliveries of one webhook are under way; the rest waits as matches. */
const MOST_PENDING = 1_000;

export interface Owed {
  readonly webhook: Pick<Webhook, 'format' | 'every' | 'health'>;
  readonly owedSince: Date | undefined;
  readonly owed: number;
  readonly pending: number;
}

/** What was stored `until` a time is due now, or something is due `at` a time; undefined when nothing waits. */
export type Due = { readonly until: Date } | { readonly at: Date } | undefined;

/** `failingWindow`: while a webhook fails, batches grow for so many milliseconds, so that they do not pile up. */
export function batchDue({ webhook, owedSince, owed, pending }: Owed, now: Date, failingWindow: number): Due {
  if (owedSince === undefined || pending >= MOST_PENDING) return undefined;
  const time = now.getTime();
  if (webhook.every !== undefined) return digestDue(webhook.every, owedSince, time);
  const isFull = owed >= FORMATS[webhook.format].matches;
  const window = webhook.health.failingSince === undefined ? WINDOW_MS : failingWindow;
  const at = owedSince.getTime() + window;
  return isFull || at <= time ? { until: new Date(time + 1) } : { at: new Date(at) };
}

/** Digests go out on the quarter hour, the hour and so on: all that came before it, and nothing after. */
function digestDue(every: number, owedSince: Date, time: number): Due {
  const until = Math.floor(time / every) * every;
  return owedSince.getTime() < until ? { until: new Date(until) } : { at: new Date(until + every) };
}
