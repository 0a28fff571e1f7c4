/**
 * Keeps the cursor behind arrivals that wait. An arrival may name a registration that we do not know yet, because the
 * answer to its creation is still on the way: it is held for a minute. Later items are stored meanwhile, but the cursor
 * stays before it, since a cursor never leads the data.
 */
import type { Arrival } from '../../platforms/platform.ts';
import type { Found } from '../ingest/live-records.ts';

/** How long an arrival waits for its registration to become known. */
export const HOLD_MS = 60_000;
/** How long it waits for a comparison of registrations. There is one every minute. */
export const DOUBT_MS = 150_000;
/** Arrivals for another program's registrations at the same upstream must not fill the memory. */
const MAX_HELD = 5_000;

export interface HeldArrival {
  readonly arrival: Arrival;
  /** Registrations that it names and that are not known. */
  unknown: readonly string[];
  /** Rules of which only a comparison of registrations can tell whether they missed it. */
  doubted: readonly Found[];
  /** On the monotonic clock. */
  readonly until: number;
}

/** The cursor at which the stream may resume, and the time up to which it is complete. */
export interface Reached {
  readonly cursor: string;
  readonly through: Date;
}

interface Place extends Reached {
  held: HeldArrival | undefined;
}

export interface OrderedCursor {
  /** The next item of the stream. With `held` it waits; without, it is done. */
  pass(reached: Reached, held?: HeldArrival): void;
  readonly held: readonly HeldArrival[];
  /** These arrivals wait no longer. */
  release(done: ReadonlySet<HeldArrival>): void;
  /** The last item before the first that waits. Returns undefined when that is the same as at the last call. */
  reached(): Reached | undefined;
  /** How many more wait than may: as many of the oldest must go. */
  readonly excess: number;
}

export function createOrderedCursor(): OrderedCursor {
  let places: Place[] = [];
  let held: HeldArrival[] = [];
  let last: Reached | undefined;

  function advance(): void {
    const free = places.findIndex((place) => place.held !== undefined);
    const done = free === -1 ? places.length : free;
    if (done === 0) return;
    last = places[done - 1];
    places = places.slice(done);
  }

  return {
    pass({ cursor, through }, waiting) {
      if (waiting !== undefined) held.push(waiting);
      if (waiting === undefined && places.length === 0) last = { cursor, through };
      else places.push({ cursor, through, held: waiting });
    },
    get held() {
      return held;
    },
    release(done) {
      held = held.filter((one) => !done.has(one));
      for (const place of places) if (place.held !== undefined && done.has(place.held)) place.held = undefined;
      advance();
    },
    reached() {
      const now = last;
      last = undefined;
      return now;
    },
    get excess() {
      return Math.max(0, held.length - MAX_HELD);
    },
  };
}
