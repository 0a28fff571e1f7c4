/**
 * Compares what two hosts bring. A host that is slow brings an event later than the other one; a host that withholds it
 * brings events that the other one witnessed well after it, and never this one. Pure, in the hosts' own time; work for each
 * event is constant, and memory bounded.
 */
import { createLru } from '../../../base/lru.ts';

export interface Withheld {
  /** Which of the two does not bring it. */
  readonly host: number;
  /** When the other one witnessed it, in microseconds. */
  readonly time: number;
}

export interface HostComparison {
  /** A host brought an event. Answers whether it is the first to bring it. One that is made anew from old commits is not judged. */
  saw(host: number, key: string, time: number, isJudged: boolean): boolean;
  /** A host brought something else: its stream goes on. */
  heard(host: number, time: number): void;
  /** A host is known to lack everything before this time: that is a gap, and no withholding. */
  lacks(host: number, until: number): void;
  /** The withheld events found since the last call. */
  found(): Withheld[];
}

/** Hosts bring the same events in orders that differ by less than this. */
export const SLACK = 20_000_000;
/** A host that goes on this long and brings nothing that the other one has is blind. */
export const BLIND = 40_000_000;
/** Events of one host that wait for the other; older ones are dropped without a verdict. */
const MOST_WAITING = 100_000;
const REMEMBERED = 50_000;

interface Side {
  /** Events that only this host has brought, by key, with its time; -Infinity for those that are not judged. */
  readonly alone: Map<string, number>;
  /** Goes through `alone`; it stands at `oldest`. */
  order: Iterator<string>;
  oldest: string | undefined;
  position: number;
  /** Its position when it last brought something that the other one has too. */
  agreed: number;
  /** It can be asked for events that the other one witnessed from then on. */
  floor: number | undefined;
  /** The latest of the other one's times among the events that both have. */
  frontier: number;
}

const newSide = (): Side => ({
  alone: new Map(),
  order: [].values(),
  oldest: undefined,
  position: Number.NEGATIVE_INFINITY,
  agreed: Number.NEGATIVE_INFINITY,
  floor: undefined,
  frontier: Number.NEGATIVE_INFINITY,
});

export function createComparison(): HostComparison {
  const sides: readonly [Side, Side] = [newSide(), newSide()];
  const settled = createLru<string, true>({ limit: REMEMBERED });
  const found: Withheld[] = [];

  function advance(side: Side, time: number): void {
    side.floor ??= time + SLACK;
    if (side.agreed === Number.NEGATIVE_INFINITY) side.agreed = time;
    side.position = Math.max(side.position, time);
  }

  /** Looks at what waits longest on each side; stops at the first that may still come. */
  function judge(): void {
    for (const [host, side] of sides.entries()) {
      const { alone } = sides[1 - host]!;
      for (let key = oldestOf(sides[1 - host]!); key !== undefined; key = oldestOf(sides[1 - host]!)) {
        const time = alone.get(key)!;
        const verdict = verdictOn(side, time);
        if (verdict === 'waits' && alone.size <= MOST_WAITING) break;
        alone.delete(key);
        settled.set(key, true);
        if (verdict === 'withheld') found.push({ host, time });
      }
    }
  }

  return {
    saw(host, key, time, isJudged) {
      const [own, other] = [sides[host]!, sides[1 - host]!];
      advance(own, time);
      const theirs = other.alone.get(key);
      const isKnown = theirs !== undefined || own.alone.has(key) || settled.get(key) !== undefined;
      if (theirs !== undefined) {
        other.alone.delete(key);
        settled.set(key, true);
        own.frontier = Math.max(own.frontier, theirs);
        if (isJudged) other.frontier = Math.max(other.frontier, time);
        [own.agreed, other.agreed] = [own.position, other.position];
      } else if (!isKnown) own.alone.set(key, isJudged ? time : Number.NEGATIVE_INFINITY);
      judge();
      return !isKnown;
    },
    heard(host, time) {
      advance(sides[host]!, time);
      judge();
    },
    lacks(host, until) {
      const side = sides[host]!;
      side.floor = Math.max(side.floor ?? until, until + SLACK);
    },
    found: () => found.splice(0),
  };
}

/** Without passing over those that are gone already: an iterator of its own stays where it is. */
function oldestOf(side: Side): string | undefined {
  while (side.oldest === undefined || !side.alone.has(side.oldest)) {
    if (side.alone.size === 0) return undefined;
    const next = side.order.next();
    if (next.done) side.order = side.alone.keys();
    side.oldest = next.done ? undefined : next.value;
  }
  return side.oldest;
}

function verdictOn(side: Side, time: number): 'withheld' | 'waits' | 'unknown' {
  if (side.floor === undefined) return 'waits';
  const isPassed = side.frontier > time + SLACK;
  const isBlind = side.position > time + BLIND && side.position > side.agreed + BLIND;
  if (!isPassed && !isBlind) return 'waits';
  return time >= side.floor ? 'withheld' : 'unknown';
}
