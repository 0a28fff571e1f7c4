/**
 * A walk along an index of matches, from one end of a range until enough rows are kept. Rows of deleted rules that are
 * still on the disk, and rows without the wanted text, are walked over in slices.
 */
import type { Platform } from '../../domain/platform.ts';
import type { Position } from '../store.ts';
import type { MatchRow } from './matches.ts';

/** Rows walked before a page ends short of its limit. */
const LONGEST_WALK = 50_000;

export interface Walk {
  readonly subject: { readonly column: 'rule' | 'account'; readonly number: number };
  readonly platforms: readonly Platform[];
  readonly order: 'ASC' | 'DESC';
  readonly above: Position;
  readonly below: Position;
  readonly wanted: number;
  readonly keeps: (row: MatchRow) => boolean;
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
  { most, slice, breathe }: Steps,
): Promise<{ rows: MatchRow[]; stopped: Position | undefined }> {
  const rows: MatchRow[] = [];
  let { above, below } = plan;
  for (let walked = 0; ; ) {
    const limit = Math.min(most, plan.wanted - rows.length + (walked === 0 ? 0 : most));
    const found = await slice({ ...plan, above, below }, limit);
    for (const row of found) {
      if (row.deleted === 1 || !plan.keeps(row)) continue;
      rows.push(row);
      if (rows.length === plan.wanted) return { rows, stopped: row.position };
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
