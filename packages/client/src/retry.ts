/** When a request is worth trying again, and after how long. */
import type { SluiceError } from './error.ts';

/** A server that asks for more patience than this gets the failure told instead. */
const LONGEST_ASKED = 60;
const FIRST_WAIT = 250;
const LONGEST_WAIT = 30_000;

/**
 * Whether the same request may go better later. `repeatable` is false where doing it twice differs from doing it once;
 * then only a refusal, which shows that nothing was done, is tried again.
 */
export function isPassing(error: SluiceError, repeatable: boolean): boolean {
  switch (error.code) {
    // Without a time it is a limit of the account, and waiting does not help.
    case 'resource_exhausted':
      return error.retryAfter !== undefined && error.retryAfter <= LONGEST_ASKED;
    case 'unavailable':
      return (repeatable || error.status === 503) && (error.retryAfter ?? 0) <= LONGEST_ASKED;
    case 'no_answer':
    case 'deadline_exceeded':
      return repeatable;
    default:
      return false;
  }
}

/** Milliseconds to wait after this many failures in a row; spread, so that many clients do not come back at once. */
export function waitAfter(
  failures: number,
  error: SluiceError | undefined,
  random: number,
  first = FIRST_WAIT,
): number {
  if (error?.retryAfter !== undefined) return Math.max(error.retryAfter, 0.1) * 1_000 * (1 + random / 10);
  return Math.min(first * 2 ** (failures - 1), LONGEST_WAIT) * (0.5 + random / 2);
}

/** Ends early, without a word, when the signal does. */
export function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      done();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}
