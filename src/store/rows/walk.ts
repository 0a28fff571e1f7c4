/**
 * A walk along an index of matches, from one end of a range until enough rows are kept. Rows of deleted rules that are
 * still on the disk, and rows without the wanted text, are walked over in slices.
 */

import type { Rating } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Position } from '../order.ts';
import type { MatchRow } from './match-rows.ts';

/** Rows walked, and bytes of payload read, before a page ends short of its limit. */
const LONGEST_WALK = 50_000;
const LONGEST_READ = 64 * 1024 * 1024;
/** Rows read at a time where a page ends by bytes: a row may hold a megabyte. */
const BYTES_SLICE = 64;
/** Characters of payloads that are read at once, about. */
export const READ_AT_ONCE = 512 * 1024;

/** How much is gone through for a page: rows, and characters of their payloads. */
export interface WalkBudget {
  readonly rows: number;
  readonly bytes: number;
}

export interface Walk {
  /** An event has few matches: they are found by its key, and the number is that of the account. */
  readonly subject:
    | { readonly column: 'rule' | 'account' | 'story'; readonly number: number }
    | { readonly column: 'event'; readonly number: number; readonly key: string };
  readonly platforms: readonly Platform[];
  /** Along the ratings instead. A rating whose match is past retention is older than every match. */
  readonly rating?: Rating | undefined;
  /** Rows of other sources have no payload. */
  readonly source?: string | undefined;
  readonly order: 'ASC' | 'DESC';
  readonly above: Position;
  readonly below: Position;
  readonly wanted: number;
  /** The walk ends with the row that brings it to this many bytes of payload. */
  readonly bytes?: number | undefined;
  /** How far it goes at most. */
  readonly most?: WalkBudget | undefined;
  readonly keeps: (row: MatchRow) => boolean;
}

export interface MatchSlice {
  readonly rows: readonly MatchRow[];
  /** There are fewer than asked for because they are long, not because there are no more. */
  readonly isCut: boolean;
}

/** How a database walks. */
export interface WalkSteps {
  /** Rows read at a time. */
  readonly most: number;
  /** The first rows strictly between two positions. */
  readonly slice: (plan: Walk, limit: number) => MatchSlice | Promise<MatchSlice>;
}

/** The rows that are kept, and where the walk stopped: undefined when it came to the end. */
export async function walk(
  plan: Walk,
  { most: largest, slice }: WalkSteps,
): Promise<{ rows: MatchRow[]; stopped: Position | undefined; walked: WalkBudget }> {
  const rows: MatchRow[] = [];
  const most = plan.bytes === undefined ? largest : Math.min(largest, BYTES_SLICE);
  const longest = plan.most ?? { rows: LONGEST_WALK, bytes: LONGEST_READ };
  let { above, below } = plan;
  let bytes = 0;
  const walked = { rows: 0, bytes: 0 };
  for (;;) {
    // When rows were left out, others will be: read what is missing and more at a time.
    const limit = Math.min(most, plan.wanted - rows.length + (walked.rows === rows.length ? 0 : most));
    const { rows: found, isCut } = await slice({ ...plan, above, below }, limit);
    for (const row of found) {
      walked.rows++;
      walked.bytes += row.payload.length;
      if (row.deleted === 1 || !plan.keeps(row)) continue;
      rows.push(row);
      bytes += Buffer.byteLength(row.payload);
      if (rows.length === plan.wanted || bytes >= (plan.bytes ?? Infinity))
        return { rows, stopped: row.position, walked };
    }
    const last = found.at(-1);
    if (last === undefined || (found.length < limit && !isCut)) return { rows, stopped: undefined, walked };
    if (plan.order === 'DESC') below = last.position;
    else above = last.position;
    if (walked.rows >= longest.rows || walked.bytes >= longest.bytes) return { rows, stopped: last.position, walked };
  }
}
