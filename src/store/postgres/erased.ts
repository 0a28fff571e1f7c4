/**
 * Posts that an account has erased from its previews: hidden at once, and taken out of the account's own rows by slices of
 * housekeeping. One pass through the rows serves every erasure that waits for it.
 */
import type { Platform } from '../../domain/platform.ts';
import { type ErasedRow, EVERY_POST, erasurePassOf, MAX_ERASED, type WaitingErasure } from '../rows/erased.ts';
import { enough } from '../rows/preview.ts';
import { ALL_ACCOUNTS, type RecentTotals, SHARED, withoutPosts } from '../rows/recent.ts';
import { encodeText } from '../rows/texts.ts';
import type { Db } from './connection.ts';
import { RING_LOCK } from './schema.ts';

/** Rows whose sizes are looked at together before they are searched. */
const ROWS = 256;

export const erasedRows = (db: Db, accountId: string, platform: Platform): Promise<ErasedRow[]> =>
  db.rows<ErasedRow>('SELECT post_id, number FROM recent_erased WHERE account = $1 AND platform = $2', [
    accountId,
    platform,
  ]);

/** Hides what the rings have of a post up to now. */
export async function hideRecent(db: Db, accountId: string, platform: Platform, postId: string): Promise<void> {
  const [newest] = await db.rows<{ number: number | null }>('SELECT max(number) AS number FROM recent');
  if (newest === undefined || newest.number === null) return;
  const whose = [accountId, platform];
  // An entry is of no more use when all rows from its time have left the rings.
  await db.run(
    `DELETE FROM recent_erased WHERE account = $1 AND platform = $2 AND walked >= number AND number < least(
       (SELECT min(number) FROM recent WHERE platform = $2 AND owner = '${SHARED}'),
       (SELECT min(number) FROM recent WHERE platform = $2 AND owner = $1))`,
    whose,
  );
  const [held] = await db.rows<{ entries: number }>(
    'SELECT count(*) AS entries FROM recent_erased WHERE account = $1 AND platform = $2',
    whose,
  );
  const isFull = held!.entries >= MAX_ERASED;
  if (isFull) await db.run('DELETE FROM recent_erased WHERE account = $1 AND platform = $2', whose);
  await db.run(
    `INSERT INTO recent_erased (account, platform, post_id, number, walked) VALUES ($1, $2, $3, $4, 0)
     ON CONFLICT (account, platform, post_id) DO UPDATE SET number = excluded.number, walked = 0`,
    [...whose, isFull ? EVERY_POST : encodeText(postId), newest.number],
  );
}

/** Whose events are in the rings of a platform; the empty name stands for those that all accounts see. */
export const ownersOfRings = async (db: Db, platform: Platform): Promise<string[]> =>
  (
    await db.rows<{ owner: string }>('SELECT owner FROM recent_totals WHERE platform = $1 AND owner <> $2', [
      platform,
      ALL_ACCOUNTS,
    ])
  ).map(({ owner }) => owner);

/** Takes erased posts out of a slice of an account's rows. False when nothing waits for it. */
export async function eraseSlice(db: Db): Promise<boolean> {
  const [next] = await db.rows<{ account: string; platform: Platform }>(
    'SELECT account, platform FROM recent_erased WHERE walked < number ORDER BY account, platform LIMIT 1',
  );
  if (next === undefined) return false;
  const whose = [next.account, next.platform];
  // The same lock that `keep_recent` takes: no row changes under us.
  await db.run('SELECT pg_advisory_xact_lock($1, hashtext($2))', [RING_LOCK, next.platform]);
  const waiting = await db.rows<WaitingErasure>(
    'SELECT post_id, number, walked FROM recent_erased WHERE account = $1 AND platform = $2 AND walked < number',
    whose,
  );
  if (waiting.length === 0) return true;
  const pass = erasurePassOf(waiting);
  const sizes = await db.rows<{ number: number; bytes: number }>(
    `SELECT number, bytes FROM recent
     WHERE owner = $1 AND platform = $2 AND number > $3 AND number <= $4 ORDER BY number LIMIT ${ROWS}`,
    [...whose, pass.walked, pass.end],
  );
  const rows = await db.rows<OwnRow>(
    'SELECT number, events, bytes, lines FROM recent WHERE number = ANY($1) ORDER BY number',
    [enough(sizes)],
  );
  for (const row of rows) {
    const left = withoutPosts(row.lines, (post) => pass.isErased(row.number, post));
    if (left !== undefined) await rewrite(db, whose, row, left);
  }
  await db.run(
    'UPDATE recent_erased SET walked = $4 WHERE account = $1 AND platform = $2 AND walked = $3 AND walked < number',
    [...whose, pass.walked, rows.length === 0 ? pass.end : rows.at(-1)!.number],
  );
  return true;
}

interface OwnRow extends RecentTotals {
  readonly number: number;
  readonly lines: string;
}

async function rewrite(
  db: Db,
  whose: readonly string[],
  row: OwnRow,
  { lines, events, bytes }: RecentTotals & { lines: string },
): Promise<void> {
  if (events === 0) await db.run('DELETE FROM recent WHERE number = $1', [row.number]);
  else
    await db.run('UPDATE recent SET lines = $2, events = $3, bytes = $4 WHERE number = $1', [
      row.number,
      lines,
      events,
      bytes,
    ]);
  const [owner, platform] = whose;
  await db.run(
    `UPDATE recent_totals SET events = events + $3, bytes = bytes + $4 WHERE platform = $1 AND owner = ANY($2)`,
    [platform, owner === SHARED ? [SHARED] : [owner, ALL_ACCOUNTS], events - row.events, bytes - row.bytes],
  );
}
