/**
 * A walk along an index of matches, from one end of a range until enough rows are kept. Rows of deleted rules that are
 * still on the disk, and rows without the wanted text, are walked over in slices.
 */
import type { Platform } from '../../domain/platform.ts';
import type { Rating } from '../../domain/rating.ts';
import { storyId } from '../order.ts';
import type { MatchQuery, Position } from '../store.ts';
import type { MatchRow } from './matches.ts';
import { textFilter } from './text-filter.ts';

/** Rows walked before a page ends short of its limit. */
const LONGEST_WALK = 50_000;
/** Rows read at a time where a page ends by bytes: a row may hold a megabyte. */
const BYTES_SLICE = 64;

export interface Walk {
  /** An event has few matches: they are found by its key, and the number is that of the account. */
  readonly subject:
    | { readonly column: 'rule' | 'account' | 'story'; readonly number: number }
    | { readonly column: 'event'; readonly number: number; readonly key: string };
  readonly platforms: readonly Platform[];
  /** Along the ratings instead. A rating whose match is past retention is older than every match. */
  readonly rating?: Rating | undefined;
  readonly order: 'ASC' | 'DESC';
  readonly above: Position;
  readonly below: Position;
  readonly wanted: number;
  /** The walk ends with the row that brings it to this many bytes of payload. */
  readonly bytes?: number | undefined;
  readonly keeps: (row: MatchRow) => boolean;
}

/** What a list keeps of the rows along its walk. A walk along ratings meets only those with the right one. */
export function keptBy({ ruleId, rating, text, platform, storyId: story }: MatchQuery): Walk['keeps'] {
  const has = text === undefined ? undefined : textFilter(text);
  return (row) =>
    (ruleId ?? row.rule_id) === row.rule_id &&
    (platform ?? row.platform) === row.platform &&
    (story === undefined || (row.story !== null && storyId(row.story) === story)) &&
    (rating === undefined || rating === row.rating) &&
    (has === undefined || has(row.payload));
}

interface Steps {
  /** Rows read at a time. */
  readonly most: number;
  /** The first rows strictly between two positions. */
  readonly slice: (plan: Walk, limit: number) => readonly MatchRow[] | Promise<readonly MatchRow[]>;
  /** Between two slices. */
  readonly breathe?: () => Promise<void>;
}

/** The rows that are kept, and where the walk stopped: undefined when it came to the end. */
export async function walk(
  plan: Walk,
  { most: largest, slice, breathe }: Steps,
): Promise<{ rows: MatchRow[]; stopped: Position | undefined }> {
  const rows: MatchRow[] = [];
  const most = plan.bytes === undefined ? largest : Math.min(largest, BYTES_SLICE);
  let { above, below } = plan;
  let bytes = 0;
  for (let walked = 0; ; ) {
    const limit = Math.min(most, plan.wanted - rows.length + (walked === 0 ? 0 : most));
    const found = await slice({ ...plan, above, below }, limit);
    for (const row of found) {
      if (row.deleted === 1 || !plan.keeps(row)) continue;
      rows.push(row);
      bytes += Buffer.byteLength(row.payload);
      if (rows.length === plan.wanted || bytes >= (plan.bytes ?? Infinity)) return { rows, stopped: row.position };
    }
    const last = found.at(-1);
    if (last === undefined || found.length < limit) return { rows, stopped: undefined };
    if (plan.order === 'DESC') below = last.position;
    else above = last.position;
    walked += found.length;
    if (walked >= LONGEST_WALK) return { rows, stopped: last.position };
    await breathe?.();
  }
}
