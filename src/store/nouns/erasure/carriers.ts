/**
 * Which stored events hold the text of which posts: an erasure finds reposts, quotes and edits by it. A row has ids alone. It
 * stays while matches of its time are kept, whether or not its event does.
 */
import type { Platform } from '../../../domain/platform.ts';
import { type Db, deleteSlice } from '../../db.ts';
import type { CarriedPost } from '../../rows/carried.ts';
import { encodeText } from '../../rows/texts.ts';

export interface Carrying {
  readonly postId: string;
  readonly carried?: readonly CarriedPost[] | undefined;
}

export interface Carrier {
  /** Encoded. */
  readonly post_id: string;
  readonly is_edit: number;
}

/** Rows that go in one slice of removal. */
const OLD_SLICE = 1_000;

/** Part of a commit, and of a step of a rehearsal. Two at once take the rows in one order. */
export async function noteCarriers(db: Db, platform: Platform, at: number, events: readonly Carrying[]): Promise<void> {
  const rows = new Map<string, { carried: string; post_id: string; is_edit: number }>();
  for (const { postId, carried = [] } of events)
    for (const one of carried) {
      const row = { carried: encodeText(one.postId), post_id: encodeText(postId), is_edit: one.isEdit ? 1 : 0 };
      rows.set(`${row.carried} ${row.post_id}`, row);
    }
  if (rows.size === 0) return;
  const ordered = [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
  await db.run(
    `INSERT INTO carriers AS c (platform, carried, post_id, is_edit, at)
     SELECT $1::text, i.carried, i.post_id, i.is_edit, $2::bigint
     FROM json_to_recordset($3) AS i (carried text, post_id text, is_edit bigint) WHERE true
     ON CONFLICT (platform, carried, post_id) DO UPDATE SET at = greatest(c.at, excluded.at)`,
    [platform, at, JSON.stringify(ordered)],
  );
}

/** The carriers of a post after one of them, in order. */
export const carriersOf = (
  db: Db,
  platform: Platform,
  encodedPostId: string,
  after: string,
  limit: number,
): Promise<Carrier[]> =>
  db.rows<Carrier>(
    `SELECT post_id, is_edit FROM carriers WHERE platform = $1 AND carried = $2 AND post_id > $3
     ORDER BY post_id LIMIT $4`,
    [platform, encodedPostId, after, limit],
  );

/** Which of these posts an event carries. */
export async function carriedAmong(db: Db, platform: Platform, encodedPostIds: readonly string[]): Promise<string[]> {
  const rows = await db.rows<{ post: string }>(
    `SELECT p.post FROM unnest($2::text[]) AS p (post)
     WHERE EXISTS (SELECT 1 FROM carriers WHERE platform = $1 AND carried = p.post)`,
    [platform, encodedPostIds],
  );
  return rows.map(({ post }) => post);
}

export const removeCarriers = async (db: Db, before: number): Promise<boolean> =>
  (await deleteSlice(
    db,
    'carriers',
    { key: 'platform, carried, post_id', of: 'at < $1 ORDER BY at', limit: OLD_SLICE },
    [before],
  )) > 0;
