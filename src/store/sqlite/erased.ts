/**
 * Posts that an account has erased from its previews: hidden at once, and taken out of the account's own rows by slices of
 * housekeeping. One pass through the rows serves every erasure that waits for it.
 */
import type { Platform } from '../../domain/platform.ts';
import {
  type Erased,
  type ErasedRow,
  EVERY_POST,
  erasedOf,
  erasurePassOf,
  MAX_ERASED,
  type WaitingErasure,
} from '../rows/erased.ts';
import { enough } from '../rows/preview.ts';
import { ALL_ACCOUNTS, type RecentTotals, withoutPosts } from '../rows/recent.ts';
import { encodeText } from '../rows/texts.ts';
import { addTotals } from './recent.ts';
import type { Sql } from './sql.ts';

/** Rows whose sizes are looked at together before they are searched. */
const ROWS = 256;

export const erasedReads = (sql: Sql) => ({
  erasedPosts: (accountId: string, platform: Platform): Erased =>
    erasedOf(
      sql.rows<ErasedRow>('SELECT post_id, number FROM recent_erased WHERE account = ? AND platform = ?', [
        accountId,
        platform,
      ]),
    ),
});

/** Hides what the rings have of a post up to now. */
export function hideRecent(sql: Sql, accountId: string, platform: Platform, postId: string): void {
  const whose = [accountId, platform];
  const newest = sql.row<{ seq: number }>(`SELECT seq FROM sqlite_sequence WHERE name = 'recent'`)?.seq;
  if (newest === undefined) return;
  // An entry is of no more use when all rows from its time have left the rings.
  sql.run(
    `DELETE FROM recent_erased WHERE account = :account AND platform = :platform AND walked >= number
       AND number < coalesce((SELECT number FROM recent WHERE platform = :platform AND owner = '' ORDER BY number LIMIT 1), :all)
       AND number < coalesce((SELECT number FROM recent WHERE platform = :platform AND owner = :account ORDER BY number LIMIT 1), :all)`,
    { account: accountId, platform, all: Number.MAX_SAFE_INTEGER },
  );
  const held = sql.row<{ entries: number }>(
    'SELECT count(*) AS entries FROM recent_erased WHERE account = ? AND platform = ?',
    whose,
  );
  const isFull = held!.entries >= MAX_ERASED;
  if (isFull) sql.run('DELETE FROM recent_erased WHERE account = ? AND platform = ?', whose);
  sql.run(
    `INSERT INTO recent_erased (account, platform, post_id, number, walked) VALUES (?, ?, ?, ?, 0)
     ON CONFLICT DO UPDATE SET number = excluded.number, walked = 0`,
    [...whose, isFull ? EVERY_POST : encodeText(postId), newest],
  );
}

/** Whose events are in the rings of a platform; the empty name stands for those that all accounts see. */
export const ringOwners = (sql: Sql, platform: Platform): string[] =>
  sql
    .rows<{ owner: string }>('SELECT owner FROM recent_totals WHERE platform = ? AND owner <> ?', [
      platform,
      ALL_ACCOUNTS,
    ])
    .map(({ owner }) => owner);

/** Takes erased posts out of a slice of an account's rows. False when nothing waits for it. */
export function eraseSlice(sql: Sql): boolean {
  const next = sql.row<{ account: string; platform: Platform }>(
    'SELECT account, platform FROM recent_erased INDEXED BY recent_erased_waiting WHERE walked < number LIMIT 1',
  );
  if (next === undefined) return false;
  const whose = [next.account, next.platform];
  const pass = erasurePassOf(
    sql.rows<WaitingErasure>(
      'SELECT post_id, number, walked FROM recent_erased WHERE account = ? AND platform = ? AND walked < number',
      whose,
    ),
  );
  const sizes = sql.rows<{ number: number; bytes: number }>(
    `SELECT number, bytes FROM recent
     WHERE owner = ? AND platform = ? AND number > ? AND number <= ? ORDER BY number LIMIT ${ROWS}`,
    [...whose, pass.walked, pass.end],
  );
  const rows = sql.rows<OwnRow>(
    'SELECT r.number, r.events, r.bytes, r.lines FROM json_each(?) n CROSS JOIN recent r ON r.number = n.value',
    [JSON.stringify(enough(sizes))],
  );
  for (const row of rows) {
    const left = withoutPosts(row.lines, (post) => pass.isErased(row.number, post));
    if (left !== undefined) rewrite(sql, next, row, left);
  }
  sql.run('UPDATE recent_erased SET walked = ? WHERE account = ? AND platform = ? AND walked = ? AND walked < number', [
    rows.length === 0 ? pass.end : rows.at(-1)!.number,
    ...whose,
    pass.walked,
  ]);
  return true;
}

interface OwnRow extends RecentTotals {
  readonly number: number;
  readonly lines: string;
}

function rewrite(
  sql: Sql,
  { account, platform }: { account: string; platform: Platform },
  row: OwnRow,
  { lines, events, bytes }: RecentTotals & { lines: string },
): void {
  if (events === 0) sql.run('DELETE FROM recent WHERE number = ?', [row.number]);
  else
    sql.run('UPDATE recent SET lines = ?, events = ?, bytes = ? WHERE number = ?', [lines, events, bytes, row.number]);
  addTotals(sql, platform, account, { events: events - row.events, bytes: bytes - row.bytes });
}
