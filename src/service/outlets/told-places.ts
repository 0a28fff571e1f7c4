/**
 * How far each caller was told of matches: a wait without a cursor goes on from there. It is kept in memory. After a restart,
 * or on another node, such a wait begins where its rule began: the caller is told again, and nothing is skipped.
 */
import { createLru } from '../../base/lru.ts';
import type { Position } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';

/** Pairs of a caller and a rule that are remembered. */
const MOST_PLACES = 10_000;

export interface ToldPlaces {
  /** The caller knows every match up to this position: of one rule, or of all. */
  note(caller: Caller, ruleId: string | undefined, position: Position): void;
  last(caller: Caller, ruleId: string | undefined): Position | undefined;
}

export function createToldPlaces(): ToldPlaces {
  const places = createLru<string, Position>({ limit: MOST_PLACES });
  const placeOf = ({ key }: Caller, ruleId = ''): string => `${key.id} ${ruleId}`;
  return {
    note: (caller, ruleId, position) => places.set(placeOf(caller, ruleId), position),
    last(caller, ruleId) {
      const ofAll = places.get(placeOf(caller));
      const ofRule = ruleId === undefined ? undefined : places.get(placeOf(caller, ruleId));
      return ofAll === undefined || ofRule === undefined ? (ofRule ?? ofAll) : Math.max(ofAll, ofRule);
    },
  };
}
