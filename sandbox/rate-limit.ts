/** Counts requests in windows of fixed length that begin with the first request, as both upstreams do. */
import type { Clock } from '../src/base/clock.ts';

export interface Quota {
  readonly limit: number;
  readonly remaining: number;
  /** When the count starts over, in milliseconds since the epoch. */
  readonly resetAt: number;
  /** This request was one too many. */
  readonly exceeded: boolean;
}

export interface RateLimits {
  count(name: string, limit: number, windowMs: number): Quota;
}

export function createRateLimits(clock: Clock, isOn: boolean): RateLimits {
  const windows = new Map<string, { used: number; resetAt: number }>();
  return {
    count(name, limit, windowMs) {
      const now = clock.now().getTime();
      let window = windows.get(name);
      if (window === undefined || window.resetAt <= now) {
        window = { used: 0, resetAt: now + windowMs };
        windows.set(name, window);
      }
      const exceeded = isOn && window.used >= limit;
      // Without limits nothing is used up. Otherwise a careful client would wait for the window to end.
      if (isOn && !exceeded) window.used++;
      return { limit, remaining: limit - window.used, resetAt: window.resetAt, exceeded };
    },
  };
}
