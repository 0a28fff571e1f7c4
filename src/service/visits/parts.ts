/**
 * A long visit is made in parts, so that its host is free for others in between. The next part is due at once, behind whatever has been
 * due for longer. Where it begins is known to this process alone: another one begins with the first address.
 */
import type { Clock } from '../../base/clock.ts';
import type { RoundPart } from '../../sources/fetch/rounds.ts';
import type { SourceFetch, SourceVisit } from '../../store/store.ts';

export const PART_MS = 30_000;

interface Found {
  readonly problem: string | undefined;
  /** Whether an address answered as it should. */
  readonly hasAnswered?: boolean | undefined;
  /** Events by the id of the source that got them. */
  readonly events: ReadonlyMap<string, number>;
}

/** The findings of the parts before, and where the next one begins. */
export interface PartsBefore extends Found {
  readonly next: number;
  readonly visitedAt: Date | undefined;
}

export interface VisitPart extends RoundPart {
  /** The address that the next part begins with; undefined when this one was the last. */
  readonly next: number | undefined;
}

/** `isSpent`: those that it reads for may fetch no more. */
export function beginPart(clock: Clock, from: number, partMs: number, isSpent: () => boolean): VisitPart {
  const begun = clock.elapsed();
  let next: number | undefined;
  return {
    from,
    isOver: () => clock.elapsed() - begun >= partMs || isSpent(),
    goOnAt(address) {
      next = address;
    },
    get next() {
      return next;
    },
  };
}

/** The outcome of all parts so far. */
export function wholeOutcome<Outcome extends Found>(visited: Outcome, before: Found | undefined): Outcome {
  const events = new Map(before?.events);
  for (const [sourceId, count] of visited.events) events.set(sourceId, (events.get(sourceId) ?? 0) + count);
  const hasAnswered = before?.hasAnswered === true || visited.hasAnswered === true;
  return { ...visited, events, hasAnswered, problem: before?.problem ?? visited.problem };
}

/** Nothing is said of a source before all of its addresses were visited. */
export const planPart = (
  fetch: SourceFetch,
  now: Date,
): Omit<SourceVisit, 'key' | 'visits' | 'at' | 'dueAt' | 'owners'> => ({
  status: fetch.status,
  lastGoodAt: fetch.lastGoodAt,
  lastError: fetch.lastError,
  nextAt: now,
  intervalMs: fetch.intervalMs,
  failures: fetch.failures,
  rate: fetch.rate,
});
