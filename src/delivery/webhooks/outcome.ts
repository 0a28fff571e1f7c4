/** The consequences of an attempt, for the delivery and for its webhook. Pure. */
import type { WebhookHealth } from '../../domain/webhook.ts';
import { nextAttempt, type RetryHints } from './schedule.ts';

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
