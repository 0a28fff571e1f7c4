/**
 * Looks at many addresses, each when it is due: again after the usual time when it answered, later and later when it did
 * not. What one of them does is never in the way of the others.
 */
import { z } from 'zod';
import { type Arrival, type Desk, SourceError } from '../source.ts';
import { webAddress } from './web-address.ts';

/** What is chosen for addresses on the web that are looked at in rounds; the times are those of who chooses none. */
export const roundsOptions = ({ every, pause }: { every: number; pause: number }) =>
  z.strictObject({
    urls: z.array(webAddress).min(1),
    /** Seconds between two looks at an address. */
    every: z.number().min(1).default(every),
    /** Seconds between two requests to one host. */
    pause: z.number().min(0).default(pause),
    /** Whether what is there at the first look is yielded, or only what comes later. */
    first: z.enum(['whole', 'skip']).default('whole'),
  });

export interface Rounds {
  readonly addresses: readonly string[];
  /** Milliseconds between two looks at one address. */
  readonly everyMs: number;
  /** What is new there. Throws what went wrong. */
  look(address: string): Promise<Arrival | undefined>;
}

/** An address that is no more; nobody asks again. */
export class GoneError extends SourceError {}

const AT_ONCE = 8;
const MAX_DELAY_MS = 24 * 3_600_000;

export async function* rounds(desk: Desk, { addresses, everyMs, look }: Rounds): AsyncIterable<Arrival> {
  const { clock, signal } = desk;
  const plans = addresses.map((address) => ({ address, at: Number.NEGATIVE_INFINITY, failures: 0 }));

  async function visit(plan: (typeof plans)[number]): Promise<Arrival | undefined> {
    try {
      const arrival = await look(plan.address);
      desk.live();
      plan.failures = 0;
      plan.at = clock.elapsed() + everyMs;
      return arrival;
    } catch (error) {
      if (signal.aborted) return undefined;
      desk.trouble(error instanceof Error ? error.message : String(error));
      const asked = error instanceof SourceError ? (error.retryAfter ?? 0) * 1_000 : 0;
      const delay = Math.min(everyMs * 2 ** plan.failures++, MAX_DELAY_MS);
      plan.at = error instanceof GoneError ? Number.POSITIVE_INFINITY : clock.elapsed() + (asked || delay);
      return undefined;
    }
  }

  while (!signal.aborted) {
    const now = clock.elapsed();
    const due = plans.filter(({ at }) => at <= now);
    for (let from = 0; from < due.length && !signal.aborted; from += AT_ONCE) {
      const arrivals = await Promise.all(due.slice(from, from + AT_ONCE).map(visit));
      for (const arrival of arrivals) if (arrival !== undefined) yield arrival;
    }
    const next = Math.min(...plans.map(({ at }) => at));
    if (next === Number.POSITIVE_INFINITY) return;
    await clock.sleep(Math.max(0, next - clock.elapsed()), signal);
  }
}
