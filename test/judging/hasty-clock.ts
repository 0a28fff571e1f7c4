/** A clock on which every rest of the judge is over at once, and no call is ever late. */
import { setImmediate } from 'node:timers/promises';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { aborted } from '../../src/base/wake-up.ts';

/** The times that a call has, in `platforms/upstream-call`. */
const CALL_LIMITS = [15_000, 30_000];

export const hastyClock: Clock = {
  ...systemClock,
  sleep: (milliseconds, signal) =>
    CALL_LIMITS.includes(milliseconds) && signal !== undefined ? aborted(signal) : setImmediate(),
};
