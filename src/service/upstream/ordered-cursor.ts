/**
 * The order of a stream while some of it waits. An arrival may name a registration that we do not know yet, because the
 * answer to its creation is still on the way: it is held for a while. What comes after it is stored meanwhile, but the
 * cursor stays before it, since a cursor never leads the data.
 */
import type { Arrival } from '../../platforms/platform.ts';

/** How long an arrival is held. */
export const HOLD_MS = 60_000;
/** A stranger's registrations at the same upstream must not fill the memory. */
const MOST_HELD = 5_000;

export interface HeldArrival {
  readonly arrival: Arrival;
  /** What is not known of it. */
  unknown: readonly string[];
  /** On the monotonic clock. */
  readonly until: number;
}

/** Where the stream may resume, and up to when it is whole. */
export interface Reached {
  readonly cursor: string;
  readonly at: Date;
}

interface Place extends Reached {
  held: HeldArrival | undefined;
}

export interface OrderedCursor {
  /** An item that is done with; an item whose arrival must wait is given with it. */
  pass(reached: Reached, held?: HeldArrival): void;
  readonly held: readonly HeldArrival[];
  /** These wait no longer. */
  settle(done: ReadonlySet<HeldArrival>): void;
  /** The last item before the first that waits, once; undefined when that has not moved. */
  reached(): Reached | undefined;
  /** How many more wait than we have room for: so many of the oldest must go. */
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
    pass({ cursor, at }, waiting) {
      if (waiting !== undefined) held.push(waiting);
      if (waiting === undefined && places.length === 0) last = { cursor, at };
      else places.push({ cursor, at, held: waiting });
    },
    get held() {
      return held;
    },
    settle(done) {
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
      return Math.max(0, held.length - MOST_HELD);
    },
  };
}
