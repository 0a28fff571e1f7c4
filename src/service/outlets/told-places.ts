/**
 * How far each caller knows matches: a wait without a cursor goes on from there. An answer moves no place by itself, because a
 * caller may be killed before it has kept it; the caller confirms it when it comes back with the cursor. Places are kept in memory.
 * After a restart, or on another node, such a wait begins where its rule began: the caller is told again, and nothing is skipped.
 */
import { createLru } from '../../base/lru.ts';
import type { Position } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';

/** Pairs of a caller and a rule that are remembered. */
const MOST_PLACES = 10_000;

export interface ToldPlaces {
  /** The caller knows every match up to this position: of one rule, or of all. */
  note(caller: Caller, ruleId: string | undefined, position: Position): void;
  /** The caller was told of matches up to this position, and has not confirmed it yet. */
  tell(caller: Caller, ruleId: string | undefined, position: Position): void;
  last(caller: Caller, ruleId: string | undefined): ToldPlace | undefined;
}

interface ToldPlace {
  readonly position: Position;
  /** Matches after it were told before. */
  readonly isTold: boolean;
}

export function createToldPlaces(): ToldPlaces {
  const known = createLru<string, Position>({ limit: MOST_PLACES });
  const told = createLru<string, Position>({ limit: MOST_PLACES });
  const placeOf = ({ key }: Caller, ruleId = ''): string => `${key.id} ${ruleId}`;
  const furthest = (places: typeof known, caller: Caller, ruleId: string | undefined): Position | undefined => {
    const ofAll = places.get(placeOf(caller));
    const ofRule = ruleId === undefined ? undefined : places.get(placeOf(caller, ruleId));
    return ofAll === undefined || ofRule === undefined ? (ofRule ?? ofAll) : Math.max(ofAll, ofRule);
  };
  return {
    note: (caller, ruleId, position) => known.set(placeOf(caller, ruleId), position),
    tell: (caller, ruleId, position) => told.set(placeOf(caller, ruleId), position),
    last(caller, ruleId) {
      const position = furthest(known, caller, ruleId);
      if (position === undefined) return undefined;
      return { position, isTold: (furthest(told, caller, ruleId) ?? 0) > position };
    },
  };
}
