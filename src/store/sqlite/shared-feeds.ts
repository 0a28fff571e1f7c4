/** Feeds at secret addresses. */
import type { Change } from '../../domain/change.ts';
import type { SharedFeed } from '../../domain/shared-feed.ts';
import { SHARED_FEEDS, type SharedFeedRow, sharedFeedOf } from '../rows/shared-feeds.ts';
import { encodeText } from '../rows/texts.ts';
import { accountNumber } from './accounts.ts';
import { noted } from './changes.ts';
import { transaction } from './connection.ts';
import type { Sql } from './sql.ts';

export const sharedFeedReads = (sql: Sql) => ({
  sharedFeeds: (accountId: string): SharedFeed[] =>
    sql.rows<SharedFeedRow>(`${SHARED_FEEDS} WHERE a.id = ? ORDER BY f.id`, [accountId]).map(sharedFeedOf),
  sharedFeedByDigest(digest: string): SharedFeed | undefined {
    const row = sql.row<SharedFeedRow>(`${SHARED_FEEDS} WHERE f.digest = ?`, [digest]);
    return row && sharedFeedOf(row);
  },
});

export const sharedFeedWrites = (sql: Sql) => ({
  addSharedFeed: (feed: SharedFeed, digest: string, note?: Change, limit = Infinity): boolean | 'full' =>
    transaction(sql, () => {
      const { feeds } = sql.row<{ feeds: number }>(
        'SELECT count(*) AS feeds FROM shared_feeds WHERE account = (SELECT number FROM accounts WHERE id = ?)',
        [feed.accountId],
      )!;
      return feeds >= limit ? 'full' : noted(sql, feed.accountId, note, addFeed(sql, feed, digest));
    }),
  deleteSharedFeed: (accountId: string, feedId: string, note?: Change): boolean =>
    transaction(sql, () => {
      const deleted = sql.run(
        'DELETE FROM shared_feeds WHERE id = ? AND account = (SELECT number FROM accounts WHERE id = ?)',
        [feedId, accountId],
      );
      return noted(sql, accountId, note, deleted === 1);
    }),
});

function addFeed(sql: Sql, { id, accountId, ruleId, contents, name, createdAt }: SharedFeed, digest: string): boolean {
  const account = accountNumber(sql, accountId)!;
  const rule =
    ruleId === undefined
      ? undefined
      : sql.row<{ number: number }>('SELECT number FROM rules WHERE id = ? AND account = ? AND deleted = 0', [
          ruleId,
          account,
        ]);
  if (ruleId !== undefined && rule === undefined) return false;
  sql.run(
    'INSERT INTO shared_feeds (id, account, rule, digest, contents, name, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    [id, account, rule?.number ?? null, digest, contents, encodeText(name), createdAt.getTime()],
  );
  return true;
}

/** With the rule that they are of. */
export function dropSharedFeeds(sql: Sql, rule: number): void {
  sql.run('DELETE FROM shared_feeds WHERE rule = ?', [rule]);
}
