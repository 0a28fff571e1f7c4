/** The consequences of an attempt, for the delivery and for its webhook. Pure. */
import type { WebhookHealth } from '../../domain/webhook.ts';

/** When to retry. The policy is data: a list of steps, and a few figures around it. */

/** Seconds before the 2nd attempt, the 3rd and so on: three days in all. After the last one the delivery has failed. */
export const RETRY_AFTER: readonly number[] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** Seconds between the attempts of events to agents: a quarter of an hour in all. */
export const EVENT_RETRY_AFTER: readonly number[] = [2, 15, 60, 300, 600];

/** Spreads retries, so that receivers that failed together are not retried together. */
const JITTER = 0.2;
/** Seconds that a receiver is left alone at least when it was too slow or answered 429. */
const BREATHER = 60;
/** A receiver may ask for up to this many times the step. */
const MOST_PATIENCE = 2;

/** The hints of an answer about the next attempt. */
interface RetryHints {
  /** The receiver did not answer in time, or asked for fewer requests. */
  readonly overloaded: boolean;
  /** Seconds that the receiver asked for. */
  readonly retryAfter: number | undefined;
}

/** When the next attempt is due after `made` attempts; undefined when there is none. `random` is from 0 to 1. */
export function nextAttempt(
  made: number,
  now: Date,
  random: number,
  { overloaded, retryAfter }: RetryHints = { overloaded: false, retryAfter: undefined },
  schedule: readonly number[] = RETRY_AFTER,
): Date | undefined {
  const step = schedule[made - 1];
  if (step === undefined) return undefined;
  const least = overloaded ? Math.max(step, Math.min(BREATHER, schedule[1] ?? step)) : step;
  const asked = Math.min(Math.max(retryAfter ?? 0, least), MOST_PATIENCE * least);
  const jitter = 1 + JITTER * (2 * random - 1);
  // The jitter never cuts short what the receiver asked for.
  const seconds = Math.max(asked * jitter, retryAfter === undefined ? 0 : asked);
  return new Date(now.getTime() + seconds * 1_000);
}

/** The result of one attempt. */
export interface Sent extends RetryHints {
  readonly statusCode: number | undefined;
  /** Why the attempt failed; undefined when it succeeded. */
  readonly error: string | undefined;
  /** The beginning of the answer. */
  readonly response: string;
  /** The system's name for what broke the connection. */
  readonly code?: string;
  /** Another attempt would fail in the same way: the delivery has failed. */
  readonly givesUp?: boolean;
}

export interface Judgement {
  readonly outcome: Outcome;
  readonly health: WebhookHealth;
  /** The webhook works again after it failed. */
  readonly recovered: boolean;
  /** Why the webhook is disabled from now on. */
  readonly disable: string | undefined;
  /** The receiver wants shorter events from now on. */
  readonly shorten?: boolean;
}

export type Outcome =
  | { readonly status: 'delivered'; readonly acknowledgeBy?: Date }
  | { readonly status: 'pending'; readonly nextAt: Date }
  | { readonly status: 'failed'; readonly reason: string };

const HOUR = 60 * 60 * 1_000;
/** Two failures within this time start the clock; a single one is taken for an accident. */
const ARMED_WITHIN = 24 * HOUR;
const DISABLED_AFTER = 120 * HOUR;
const GONE = 410;

export interface AttemptContext {
  /** Attempts before this one. */
  readonly before: number;
  readonly health: WebhookHealth;
  readonly now: Date;
  /** From 0 to 1. */
  readonly random: number;
  readonly schedule: readonly number[];
}

export function judgeAttempt(sent: Sent, context: AttemptContext): Judgement {
  const { error } = sent;
  if (error === undefined) {
    const recovered = context.health.failingSince !== undefined;
    return { outcome: { status: 'delivered' }, health: NO_FAILURES, recovered, disable: undefined };
  }
  const health = afterFailure(context.health, context.now);
  const disable = disabledBy(sent, error, health, context.now);
  const outcome =
    disable === undefined ? afterError(sent, error, context) : { status: 'failed' as const, reason: error };
  return { outcome, health, recovered: false, disable };
}

const NO_FAILURES: WebhookHealth = { lastFailureAt: undefined, failingSince: undefined };

/** Once started, the clock runs until a delivery succeeds. */
function afterFailure({ lastFailureAt, failingSince }: WebhookHealth, now: Date): WebhookHealth {
  const isAccident = lastFailureAt === undefined || now.getTime() - lastFailureAt.getTime() > ARMED_WITHIN;
  return { lastFailureAt: now, failingSince: failingSince ?? (isAccident ? undefined : lastFailureAt) };
}

function disabledBy(sent: Sent, error: string, { failingSince }: WebhookHealth, now: Date): string | undefined {
  if (sent.statusCode === GONE) return 'The receiver answered 410: it wants no more deliveries.';
  if (failingSince === undefined || now.getTime() - failingSince.getTime() < DISABLED_AFTER) return undefined;
  return `Every attempt since ${failingSince.toISOString()} failed. Last error: ${error}`;
}

function afterError(sent: Sent, error: string, { before, now, random, schedule }: AttemptContext): Outcome {
  if (sent.givesUp === true) return { status: 'failed', reason: error };
  const nextAt = nextAttempt(before + 1, now, random, sent, schedule);
  if (nextAt !== undefined) return { status: 'pending', nextAt };
  return { status: 'failed', reason: `All ${before + 1} attempts failed. Last error: ${error}` };
}
