/**
 * Visits many addresses, each when it is due: again after the usual time when it answered, later and later when it did
 * not. A slow or broken address does not hold up the others.
 */
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { SourceHttp } from './fetch-url.ts';
import { MAX_PAUSE_MS } from './polite.ts';
import { GoneError, SourceError } from './source-error.ts';
import { webAddress } from './web-address.ts';

/** A part of a round of addresses, which are then visited one after another. */
export interface RoundPart {
  /** The address to begin with. */
  readonly from: number;
  /** Whether to leave the others to the next part, once one was visited. */
  isOver(): boolean;
  /** Told the address that the next part begins with. */
  goOnAt(address: number): void;
}

export interface FetchContext {
  readonly clock: Clock;
  readonly http: SourceHttp;
  readonly signal: AbortSignal;
  readonly part?: RoundPart | undefined;
  /** A connection stands, or an answer came, even when it brought no page. */
  live(): void;
  /** Reports a problem that the source copes with by itself. Status shows it; nothing else happens. */
  trouble(message: string): void;
}

const LONGEST_EVERY = 7 * 24 * 3_600;

/** Seconds between two visits, at least so many. Without a bound, the next visit could have a time that no date has. */
export const everyOption = (least: number, usual: number) => z.number().min(least).max(LONGEST_EVERY).default(usual);

/** Seconds between two requests to one host. */
export const pauseOption = (usual: number, least = 0) =>
  z
    .number()
    .min(least)
    .max(MAX_PAUSE_MS / 1_000)
    .default(usual);

/** The options of sources that visit addresses in rounds, with the defaults of the kind. */
export const roundsOptions = ({ every, pause }: { every: number; pause: number }) =>
  z.strictObject({
    urls: z.array(webAddress).min(1),
    /** Seconds between two visits of an address. */
    every: everyOption(1, every),
    /** Seconds between two requests to one host. */
    pause: pauseOption(pause),
    /** Whether the first visit yields what is there, or only later visits yield what is new. */
    first: z.enum(['whole', 'skip']).default('whole'),
  });

export interface Visited {
  /** Why not all came that should have come. */
  readonly problem?: string | undefined;
}

export interface Rounds<T extends Visited> {
  readonly addresses: readonly string[];
  /** Milliseconds between two visits of an address. */
  readonly everyMs: number;
  /** Milliseconds that an address asked for between two visits, where it asked. */
  readonly askedMs?: (address: string) => number | undefined;
  /** Answers what is new at an address. Throws when the visit fails; it has failed, too, when what it answers has a problem. */
  visit(address: string): Promise<T | undefined>;
}

interface Plan {
  readonly address: string;
  at: number;
  failures: number;
  /** When it was last asked and answered. */
  readAt: Date | undefined;
}

/** How complete the rounds are: everything up to the oldest last visit is read. */
export interface RoundsProgress {
  readonly pages: readonly never[];
  readonly reaches?: Date;
  readonly failing: { readonly addresses: number; readonly of: number };
}

const AT_ONCE = 8;
const MAX_DELAY_MS = 24 * 3_600_000;

export async function* rounds<T extends Visited>(
  context: FetchContext,
  options: Rounds<T>,
): AsyncIterable<T | RoundsProgress> {
  const { clock, signal } = context;
  const plans: Plan[] = options.addresses.map((address) => ({
    address,
    at: Number.NEGATIVE_INFINITY,
    failures: 0,
    readAt: undefined,
  }));
  const { part } = context;
  const atOnce = part === undefined ? AT_ONCE : 1;
  while (!signal.aborted) {
    const now = clock.elapsed();
    const due = plans.filter(({ at }) => at <= now);
    const first = Math.max(0, Math.min(part?.from ?? 0, due.length - 1));
    for (let from = first; from < due.length && !signal.aborted; from += atOnce) {
      if (from > first && part?.isOver() === true) {
        part.goOnAt(from);
        break;
      }
      const found = await Promise.all(due.slice(from, from + atOnce).map((plan) => keep(context, options, plan)));
      for (const one of found) if (one !== undefined) yield one;
    }
    if (!signal.aborted) yield progressOf(plans);
    const next = Math.min(...plans.map(({ at }) => at));
    await clock.sleep(Math.max(0, next - clock.elapsed()), signal);
  }
}

function progressOf(plans: readonly Plan[]): RoundsProgress {
  const failing = { addresses: plans.filter(({ failures }) => failures > 0).length, of: plans.length };
  const times = plans.map(({ readAt }) => readAt?.getTime() ?? Number.NaN);
  const reaches = Math.min(...times);
  return { pages: [], failing, ...(Number.isFinite(reaches) && { reaches: new Date(reaches) }) };
}

/** Visits an address and sets when the next visit is due. */
async function keep<T extends Visited>(
  context: FetchContext,
  { visit, everyMs, askedMs }: Rounds<T>,
  plan: Plan,
): Promise<T | undefined> {
  const asked = context.clock.now();
  try {
    const found = await visit(plan.address);
    if (found?.problem !== undefined) {
      fail(context, plan, new SourceError(found.problem), everyMs);
      return found;
    }
    context.live();
    plan.failures = 0;
    plan.readAt = asked;
    plan.at = context.clock.elapsed() + Math.max(everyMs, askedMs?.(plan.address) ?? 0);
    return found;
  } catch (error) {
    if (!context.signal.aborted) fail(context, plan, error, everyMs);
    return undefined;
  }
}

function fail(context: FetchContext, plan: Plan, error: unknown, everyMs: number): void {
  context.trouble(error instanceof Error ? error.message : String(error));
  plan.at = context.clock.elapsed() + delayAfter(error, everyMs, plan.failures++);
}

/** Milliseconds until the next visit after a failure: twice as long after each, or what the server asks for when that is longer. */
export function delayAfter(error: unknown, everyMs: number, failures: number): number {
  if (error instanceof GoneError) return MAX_DELAY_MS;
  const asked = error instanceof SourceError ? (error.retryAfter ?? 0) * 1_000 : 0;
  return Math.max(asked, Math.min(everyMs * 2 ** failures, MAX_DELAY_MS));
}
