/**
 * Keeps us below X's limits: it allows fewer requests in any 15 minutes than X does, and none before a reset time that X
 * stated. Unlike a pace it does not wait by itself: a caller that wants a rule is told when to come back, and a
 * connection attempt that reached no host is not counted.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import { retryAfterOf } from '../upstream-call.ts';

const WINDOW_MS = 15 * 60_000;
/** A wait that X states is kept between these: its window is 15 minutes, and clocks are sometimes hours off. */
const SHORTEST_MS = 60_000;
const LONGEST_MS = 16 * 60_000;

interface QuotaLimits {
  /** Requests in any 15 minutes. */
  readonly most: number;
  /** After this many requests in the window, the rest are spread evenly over it. */
  readonly free?: number;
}

export interface Quota {
  /** Milliseconds until a request may be made. */
  readonly wait: number;
  /** A request was made. */
  spend(): void;
  /** Notes the limits in an answer's headers. `isSpent` if the request was refused because of the limit. */
  note(headers: IncomingHttpHeaders, isSpent: boolean): void;
}

export function createQuota({ most, free = most }: QuotaLimits, clock: Clock): Quota {
  const apart = free < most ? WINDOW_MS / (most - free) : 0;
  let made: number[] = [];
  let heldUntil = 0;
  return {
    get wait() {
      const now = clock.elapsed();
      made = made.filter((at) => at > now - WINDOW_MS);
      const full = made.length < most ? 0 : made[0]! + WINDOW_MS;
      const spread = made.length < free ? 0 : made.at(-1)! + apart;
      return Math.max(0, Math.ceil(Math.max(heldUntil, full, spread) - now));
    },
    spend() {
      made.push(clock.elapsed());
    },
    note(headers, isSpent) {
      const isLast = headers['x-rate-limit-remaining'] === '0';
      const stated = isSpent || isLast ? statedWait(headers, clock.now()) : undefined;
      if (stated !== undefined) heldUntil = Math.max(heldUntil, clock.elapsed() + stated);
    },
  };
}

/** Milliseconds until the reset that the headers state. Both times are from X's clock, so ours does not matter. */
function statedWait(headers: IncomingHttpHeaders, now: Date): number | undefined {
  const reset = Number(headers['x-rate-limit-reset'] ?? Number.NaN) * 1_000;
  const here = Date.parse(headers.date ?? '') || now.getTime();
  const untilReset = Number.isNaN(reset) ? undefined : reset - here;
  const after = retryAfterOf({ headers }, now);
  if (untilReset === undefined && after === undefined) return undefined;
  return Math.min(Math.max(untilReset ?? 0, (after ?? 0) * 1_000, SHORTEST_MS), LONGEST_MS);
}

/** Whether X answered our last call: who waits for something else is woken when X is back after an outage. */
export interface Presence {
  /** A call was answered, or not. */
  note(isThere: boolean): void;
  /** Aborts with the first answer after a call that had none. */
  readonly returned: AbortSignal;
}

export function createPresence(): Presence {
  let isAway = false;
  let waiting = new AbortController();
  return {
    note(isThere) {
      if (isThere && isAway) {
        waiting.abort('returned');
        waiting = new AbortController();
      }
      isAway = !isThere;
    },
    get returned() {
      return waiting.signal;
    },
  };
}
