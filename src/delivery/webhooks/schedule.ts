/** When to try again. Policy is data: a list of steps, and a few figures around it. */

/** Seconds before the 2nd, 3rd, … attempt: three days in all. When the list ends, the delivery has failed. */
export const RETRY_AFTER: readonly number[] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** Receivers that failed together are not tried again together. */
const JITTER = 0.2;
/** Who was too slow, or said that it is too much, is left alone for at least so many seconds. */
const BREATHER = 60;
/** A receiver may ask for more time, within reason. */
const MOST_PATIENCE = 2;

export interface Wish {
  /** It did not answer in time, or asked for fewer requests. */
  readonly overloaded: boolean;
  /** Seconds that the receiver asked for. */
  readonly retryAfter: number | undefined;
}

/** After so many attempts, when the next one is due; undefined when there is none. `random` is from 0 to 1. */
export function nextAttempt(
  made: number,
  now: Date,
  random: number,
  { overloaded, retryAfter }: Wish = { overloaded: false, retryAfter: undefined },
  schedule: readonly number[] = RETRY_AFTER,
): Date | undefined {
  const step = schedule[made - 1];
  if (step === undefined) return undefined;
  const least = overloaded ? Math.max(step, Math.min(BREATHER, schedule[1] ?? step)) : step;
  const asked = Math.min(Math.max(retryAfter ?? 0, least), MOST_PATIENCE * least);
  const jitter = 1 + JITTER * (2 * random - 1);
  // What the receiver asked for is never cut short.
  const seconds = Math.max(asked * jitter, retryAfter === undefined ? 0 : asked);
  return new Date(now.getTime() + seconds * 1_000);
}
