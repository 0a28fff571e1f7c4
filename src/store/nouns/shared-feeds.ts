/** Feeds of matches at secret addresses. The store knows a digest of each secret. */
import type { Change } from '../../domain/change.ts';
import type { SharedFeed } from '../../domain/views.ts';
import { countRows, type Db, insertRow } from '../db.ts';
import { lockAccount } from '../rows/locks.ts';
import { decodeName, decodeText, encodeText, textOrNull } from '../rows/texts.ts';
import { noted } from './changes.ts';

export interface SharedFeedStore {
  /** False, and nothing stored, when the rule is gone by now; `full` when the account has as many feeds as the limit says. */
  addSharedFeed(feed: SharedFeed, digest: string, note?: Change, limit?: number): Promise<boolean | 'full'>;
  /** The shared feeds of an account, oldest first. */
  sharedFeeds(accountId: string): Promise<SharedFeed[]>;
  /** Not scoped: who knows the secret may read the feed. */
  sharedFeedByDigest(digest: string): Promise<SharedFeed | undefined>;
  /** The address works no more; false when there was no such feed. */
  deleteSharedFeed(accountId: string, feedId: string, note?: Change): Promise<boolean>;
}

interface SharedFeedRow {
  readonly id: string;
  readonly account_id: string;
  readonly rule_id: string | null;
  readonly contents: SharedFeed['contents'];
  readonly name: string;
  readonly template: string | null;
  readonly created_at: number;
}

const SHARED_FEEDS = `SELECT f.id, a.id AS account_id, r.id AS rule_id, f.contents, f.name, f.created_at, f.template
  FROM shared_feeds f JOIN accounts a ON a.number = f.account LEFT JOIN rules r ON r.number = f.rule`;

const sharedFeedOf = (row: SharedFeedRow): SharedFeed => ({
  id: row.id,
  accountId: row.account_id,
  ruleId: row.rule_id ?? undefined,
  contents: row.contents,
  name: decodeName(row.name),
  ...(row.template !== null && { template: decodeText(row.template) }),
  createdAt: new Date(row.created_at),
});

export const sharedFeedReads = (db: Db): Pick<SharedFeedStore, 'sharedFeeds' | 'sharedFeedByDigest'> => ({
  sharedFeeds: async (accountId) =>
    (await db.rows<SharedFeedRow>(`${SHARED_FEEDS} WHERE a.id = $1 ORDER BY f.id`, [accountId])).map(sharedFeedOf),
  async sharedFeedByDigest(digest) {
    const row = await db.row<SharedFeedRow>(
      `${SHARED_FEEDS} WHERE f.digest = $1 AND (f.rule IS NULL OR r.deleted = 0)`,
      [digest],
    );
    return row && sharedFeedOf(row);
  },
});

export const sharedFeedWrites = (db: Db): Pick<SharedFeedStore, 'addSharedFeed' | 'deleteSharedFeed'> => ({
  addSharedFeed: (feed, digest, note, limit = Infinity) =>
    db.transaction(async (tx) => {
      const added = await addFeed(tx, feed, digest, limit);
      return added === 'full' ? added : noted(tx, feed.accountId, note, added);
    }),
  deleteSharedFeed: (accountId, feedId, note) =>
    db.transaction(async (tx) => {
      const deleted = await tx.run(
        'DELETE FROM shared_feeds WHERE id = $1 AND account = (SELECT number FROM accounts WHERE id = $2)',
        [feedId, accountId],
      );
      return noted(tx, accountId, note, deleted === 1);
    }),
});

/** The lock on the rule keeps a deletion of it waiting, which then finds the feed. It is taken before the account's, as everywhere. */
async function addFeed(db: Db, feed: SharedFeed, digest: string, limit: number): Promise<boolean | 'full'> {
  const { id, accountId, ruleId, contents, name, template, createdAt } = feed;
  const rule =
    ruleId === undefined
      ? undefined
      : await db.row<{ number: number }>(
          `SELECT number FROM rules WHERE id = $1 AND deleted = 0
             AND account = (SELECT number FROM accounts WHERE id = $2) FOR SHARE`,
          [ruleId, accountId],
        );
  if (ruleId !== undefined && rule === undefined) return false;
  const account = (await lockAccount(db, accountId))!;
  if ((await countRows(db, 'shared_feeds', 'account = $1', [account])) >= limit) return 'full';
  const texts = { name: encodeText(name), template: textOrNull(template) };
  const row = { id, account, rule: rule?.number ?? null, digest, contents, created_at: createdAt, ...texts };
  await insertRow(db, 'shared_feeds', row);
  return true;
}

/** With the rule that they are of. */
export async function dropSharedFeeds(db: Db, rule: number): Promise<void> {
  await db.run('DELETE FROM shared_feeds WHERE rule = $1', [rule]);
}
