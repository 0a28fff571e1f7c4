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
export interface RetryHints {
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
