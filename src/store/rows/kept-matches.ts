/**
 * The matches that were read lately. A row that reads as it did is the same match, the same object: whatever a reader has made of it
 * still holds. Every row is read and compared, so a match that was changed or erased, by whoever, is no longer found here.
 */
import { createLru } from '../../base/lru.ts';
import type { StoredMatch } from '../../domain/match.ts';
import type { Position } from '../order.ts';
import { type MatchRow, matchOf } from './match-rows.ts';

export type ToMatch = (row: MatchRow) => StoredMatch;

/** The weight of a match: its row, its fields and its payload. */
const BYTES_OF_MATCH = 1_024;
const BYTES_OF_CHARACTER = 2;
/** Bytes of all: the newest 4,000 posts or so. */
const KEPT_BYTES = 8 * 1024 * 1024;

export function keepMatches(limit = KEPT_BYTES): ToMatch {
  const kept = createLru<Position, { readonly row: MatchRow; readonly match: StoredMatch }>({
    limit,
    weightOf: ({ row }) => BYTES_OF_MATCH + BYTES_OF_CHARACTER * row.payload.length,
  });
  return (row) => {
    const known = kept.get(row.position);
    if (known !== undefined && readsAs(row, known.row)) return known.match;
    const match = matchOf(row);
    kept.set(row.position, { row, match });
    return match;
  };
}

function readsAs(row: MatchRow, before: MatchRow): boolean {
  for (const name in row) if (row[name as keyof MatchRow] !== before[name as keyof MatchRow]) return false;
  return true;
}
