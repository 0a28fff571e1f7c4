/** Feeds at secret addresses. */
import type { SharedFeed } from '../../domain/shared-feed.ts';
import { SHARED_FEEDS, type SharedFeedRow, sharedFeedOf } from '../rows/shared-feeds.ts';
import { encodeText } from '../rows/texts.ts';
import type { SharedFeedStore } from '../store.ts';
import { written } from './changes.ts';
import type { Database, Db } from './connection.ts';

export const sharedFeedStore = (database: Database): SharedFeedStore => ({
  addSharedFeed: (feed, digest, note, limit = Infinity) =>
    database.transaction(async (db) => {
      const added = await addSharedFeedIn(db, feed, digest, limit);
      return added === 'full' ? added : written(db, feed.accountId, note, added);
    }),
  sharedFeeds: async (accountId) =>
    (await database.rows<SharedFeedRow>(`${SHARED_FEEDS} WHERE a.id = $1 ORDER BY f.id`, [accountId])).map(
      sharedFeedOf,
    ),
  async sharedFeedByDigest(digest) {
    const [row] = await database.rows<SharedFeedRow>(`${SHARED_FEEDS} WHERE f.digest = $1`, [digest]);
    return row && sharedFeedOf(row);
  },
  deleteSharedFeed: (accountId, feedId, note) =>
    database.transaction(async (db) => {
      const deleted = await db.run(
        'DELETE FROM shared_feeds WHERE id = $1 AND account = (SELECT number FROM accounts WHERE id = $2)',
        [feedId, accountId],
      );
      return written(db, accountId, note, deleted === 1);
    }),
});

/** The account's row is the lock under which its feeds are counted. */
async function countFeeds(db: Db, accountId: string): Promise<number> {
  const [account] = await db.rows<{ number: number }>('SELECT number FROM accounts WHERE id = $1 FOR UPDATE', [
    accountId,
  ]);
  const [row] = await db.rows<{ feeds: number }>('SELECT count(*) AS feeds FROM shared_feeds WHERE account = $1', [
    account?.number ?? 0,
  ]);
  return row!.feeds;
}

/** The lock on the rule keeps a deletion of it waiting, which then finds the feed. It is taken before the account's, as everywhere. */
async function addSharedFeedIn(db: Db, feed: SharedFeed, digest: string, limit: number): Promise<boolean | 'full'> {
  const { id, accountId, ruleId, contents, name, createdAt } = feed;
  let rule: number | null = null;
  if (ruleId !== undefined) {
    const [found] = await db.rows<{ number: number }>(
      `SELECT number FROM rules WHERE id = $1 AND deleted = 0
         AND account = (SELECT number FROM accounts WHERE id = $2) FOR SHARE`,
      [ruleId, accountId],
    );
    if (found === undefined) return false;
    rule = found.number;
  }
  if ((await countFeeds(db, accountId)) >= limit) return 'full';
  await db.run(
    `INSERT INTO shared_feeds (id, account, rule, digest, contents, name, created_at)
     VALUES ($1, (SELECT number FROM accounts WHERE id = $2), $3, $4, $5, $6, $7)`,
    [id, accountId, rule, digest, contents, encodeText(name), createdAt.getTime()],
  );
  return true;
}

/** With the rule that they are of. */
export async function deleteFeedsOf(db: Db, rule: number): Promise<void> {
  await db.run('DELETE FROM shared_feeds WHERE rule = $1', [rule]);
}
