/** The matches that webhooks are owed: written with the match, taken into a delivery, gone with the match. */
import type { Platform } from '../../domain/platform.ts';
import { positionAt } from '../order.ts';
import { type MatchRow, matchOf } from '../rows/matches.ts';
import { BACKLOG_COUNTED, type BacklogRow, backlogOf, storedSince, type Wanting, wantsOf } from '../rows/owed.ts';
import type { OwedStore, Position } from '../store.ts';
import type { Database, Db } from './connection.ts';
import { MATCH_COLUMNS, MATCH_JOINS } from './matches.ts';

/** Matches looked through in one transaction. */
const SLICE = 500;

export const owedStore = (db: Database): Pick<OwedStore, 'owedMatches' | 'owedBacklog'> => ({
  owedMatches: async (webhookId, until, limit, bytes = Number.MAX_SAFE_INTEGER) =>
    (
      await db.rows<MatchRow>(
        // One match after the other: a plan for all at once may begin with every match of the day.
        `SELECT * FROM (
           SELECT owed.*, sum(octet_length(payload)) OVER (ORDER BY position) - octet_length(payload) AS before FROM (
             SELECT m.* FROM (SELECT position FROM owed
               WHERE webhook = (SELECT number FROM webhooks WHERE id = $1) AND delivery IS NULL AND position < $2
               ORDER BY position) o
             CROSS JOIN LATERAL (SELECT ${MATCH_COLUMNS} FROM matches m ${MATCH_JOINS}
               WHERE m.position = o.position AND r.deleted = 0 OFFSET 0) m
             ORDER BY o.position LIMIT $3) owed) bounded
         WHERE before < $4 ORDER BY position`,
        [webhookId, positionAt(until.getTime()), limit, bytes],
      )
    ).map(matchOf),
  owedBacklog: async (limit) =>
    (
      await db.rows<BacklogRow>(
        `SELECT account_id, webhook_id, status, every, oldest,
           (SELECT count(*) FROM (SELECT 1 FROM owed WHERE webhook = number AND delivery IS NULL LIMIT ${BACKLOG_COUNTED}) o) AS matches
         FROM (SELECT w.number, w.id AS webhook_id, w.status, w.every, a.id AS account_id,
             (SELECT min(position) FROM owed WHERE webhook = w.number AND delivery IS NULL) AS oldest
           FROM webhooks w JOIN accounts a ON a.number = w.account WHERE w.status IN ('active', 'paused', 'disabled')) b
         WHERE oldest IS NOT NULL ORDER BY oldest LIMIT $1`,
        [limit],
      )
    ).map(backlogOf),
});

/** Owes what was stored since a time and is neither waiting nor in a delivery. */
export async function oweStored(
  database: Database,
  accountId: string,
  webhookId: string,
  since: Date,
): Promise<number> {
  let owed = 0;
  for (const { platform, after: first } of storedSince(since)) {
    for (let next: Position | undefined = first; next !== undefined; ) {
      const after: Position = next;
      const slice = await database.transaction((db) => oweSlice(db, accountId, webhookId, platform, after));
      owed += slice.owed;
      next = slice.next;
    }
  }
  return owed;
}

async function oweSlice(
  db: Db,
  accountId: string,
  webhookId: string,
  platform: Platform,
  after: Position,
): Promise<{ owed: number; next: Position | undefined }> {
  const [webhook] = await db.rows<Wanting & { account: number }>(
    `SELECT number, account, rule_ids, platforms, events FROM webhooks
     WHERE id = $1 AND account = (SELECT number FROM accounts WHERE id = $2) AND status IN ('active', 'paused', 'disabled')
     FOR KEY SHARE`,
    [webhookId, accountId],
  );
  if (webhook === undefined) return { owed: 0, next: undefined };
  const matches = await db.rows<{ position: Position; rule_id: string }>(
    `SELECT m.position, r.id AS rule_id FROM matches m JOIN rules r ON r.number = m.rule
     WHERE m.account = $1 AND m.platform = $2 AND m.position > $3 AND r.deleted = 0
       AND m.position >= (SELECT value FROM state WHERE name = 'oldest') ORDER BY m.position LIMIT ${SLICE}`,
    [webhook.account, platform, after],
  );
  const wants = wantsOf(webhook, platform);
  const owed = await db.run(
    `INSERT INTO owed (position, webhook) SELECT position, $2 FROM unnest($1::bigint[]) AS p (position)
     ON CONFLICT DO NOTHING`,
    [matches.filter(({ rule_id }) => wants(rule_id)).map(({ position }) => position), webhook.number],
  );
  return { owed, next: matches.length < SLICE ? undefined : matches.at(-1)!.position };
}

/**
 * What matches leave behind when they go: nothing is owed of them any more, and a delivery that was made forgets its
 * bytes. A delivery still under way goes out with the bytes it has, unless a post must be erased: then it is taken apart,
 * and what else was in it waits for a new one. A digest under way is written anew, without the post.
 */
export async function forgetOwed(db: Db, positions: readonly Position[], { erase }: { erase: boolean }): Promise<void> {
  const holding = await db.rows<{ number: number; status: string; digest: number | null }>(
    // One position after the other: at once, PostgreSQL may look through all that is in any delivery.
    `SELECT d.number, d.status, d.digest FROM deliveries d
     WHERE d.number = ANY(ARRAY(SELECT o.delivery FROM unnest($1::bigint[]) AS p (position)
       CROSS JOIN LATERAL (SELECT delivery FROM owed WHERE position = p.position
         UNION ALL SELECT number FROM deliveries WHERE sent = p.position OFFSET 0) o WHERE o.delivery IS NOT NULL))
     ORDER BY d.number FOR UPDATE`,
    [positions],
  );
  const made = holding.filter(({ status }) => status !== 'pending').map(({ number }) => number);
  const pending = holding.filter(({ status }) => status === 'pending');
  const underWay = pending.filter(({ digest }) => digest === null).map(({ number }) => number);
  const digests = pending.filter(({ digest }) => digest !== null).map(({ number }) => number);
  if (made.length > 0) {
    await db.run('UPDATE deliveries SET body = NULL WHERE number = ANY($1)', [made]);
    if (erase) await db.run(`UPDATE attempts SET response = '""' WHERE delivery = ANY($1)`, [made]);
  }
  if (erase && underWay.length > 0) {
    await db.run('UPDATE owed SET delivery = NULL WHERE delivery = ANY($1)', [underWay]);
    await db.run('DELETE FROM attempts WHERE delivery = ANY($1)', [underWay]);
    await db.run('DELETE FROM deliveries WHERE number = ANY($1)', [underWay]);
  }
  await db.run('DELETE FROM owed WHERE position = ANY($1)', [positions]);
  if (erase) await db.run('UPDATE deliveries SET body = NULL WHERE number = ANY($1)', [digests]);
  for (const digest of digests)
    await db.run(
      `UPDATE deliveries SET matches = (SELECT count(*) FROM owed WHERE delivery = $1)
       WHERE number = $1 AND body IS NULL`,
      [digest],
    );
}
