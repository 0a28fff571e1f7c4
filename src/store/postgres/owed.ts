/** The matches that webhooks are owed: written with the match, taken into a delivery, gone with the match. */
import type { Platform } from '../../domain/platform.ts';
import { positionAt } from '../order.ts';
import { type MatchRow, matchOf } from '../rows/matches.ts';
import { type PlacedMatch, storedSince, type Wanting, wantsOf } from '../rows/owed.ts';
import type { Position, Store } from '../store.ts';
import type { Database, Db } from './connection.ts';
import { COLUMNS, JOINS } from './matches.ts';

/** Matches looked through in one transaction. */
const SLICE = 500;

/** Answers how many are owed that were not before. */
const owe = (db: Db, webhook: number, positions: readonly Position[]): Promise<number> =>
  positions.length === 0
    ? Promise.resolve(0)
    : db.run(
        `INSERT INTO owed (position, webhook) SELECT position, $2 FROM unnest($1::bigint[]) AS p (position)
         ON CONFLICT DO NOTHING`,
        [positions, webhook],
      );

/** Part of every commit; accounts without webhooks cost one look at an index. */
export async function oweNew(db: Db, platform: Platform, matches: readonly PlacedMatch[]): Promise<void> {
  const byAccount = Map.groupBy(matches, ({ account }) => account);
  const webhooks = await db.rows<Wanting & { account: number }>(
    `SELECT number, account, rule_ids, platforms FROM webhooks
     WHERE account = ANY($1) AND status IN ('active', 'paused')`,
    [[...byAccount.keys()]],
  );
  for (const webhook of webhooks) {
    const wants = wantsOf(webhook, platform);
    const wanted = (byAccount.get(webhook.account) ?? []).filter(({ ruleId }) => wants(ruleId));
    await owe(
      db,
      webhook.number,
      wanted.map(({ position }) => position),
    );
  }
}

export const owedStore = (db: Database): Pick<Store, 'owedMatches'> => ({
  owedMatches: async (webhookId, until, limit, bytes = Number.MAX_SAFE_INTEGER) =>
    (
      await db.rows<MatchRow>(
        // One match after the other: a plan for all at once may begin with every match of the day.
        `SELECT * FROM (
           SELECT owed.*, sum(octet_length(payload)) OVER (ORDER BY position) - octet_length(payload) AS before FROM (
             SELECT m.* FROM (SELECT position FROM owed
               WHERE webhook = (SELECT number FROM webhooks WHERE id = $1) AND delivery IS NULL AND position < $2
               ORDER BY position) o
             CROSS JOIN LATERAL (SELECT ${COLUMNS} FROM matches m ${JOINS}
               WHERE m.position = o.position AND r.deleted = 0 OFFSET 0) m
             ORDER BY o.position LIMIT $3) owed) bounded
         WHERE before < $4 ORDER BY position`,
        [webhookId, positionAt(until.getTime()), limit, bytes],
      )
    ).map(matchOf),
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
    for (let after: Position | undefined = first; after !== undefined; ) {
      const slice: { owed: number; next: Position | undefined } = await database.transaction((db) =>
        oweSlice(db, accountId, webhookId, platform, after as Position),
      );
      owed += slice.owed;
      after = slice.next;
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
    `SELECT number, account, rule_ids, platforms FROM webhooks
     WHERE id = $1 AND account = (SELECT number FROM accounts WHERE id = $2) AND status IN ('active', 'paused', 'disabled')`,
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
  const owed = await owe(
    db,
    webhook.number,
    matches.filter(({ rule_id }) => wants(rule_id)).map(({ position }) => position),
  );
  return { owed, next: matches.length < SLICE ? undefined : matches.at(-1)!.position };
}

/**
 * What matches leave behind when they go: nothing is owed of them any more, and a delivery that was made forgets its
 * bytes. A delivery still under way goes out as it was frozen, unless a post must be erased: then it is taken apart, and
 * what else was in it waits for a new one.
 */
export async function forgetOwed(db: Db, positions: readonly Position[], { erase }: { erase: boolean }): Promise<void> {
  const holding = await db.rows<{ number: number; status: string }>(
    `SELECT d.number, d.status FROM deliveries d
     WHERE d.number IN (SELECT delivery FROM owed WHERE position = ANY($1) AND delivery IS NOT NULL)
     ORDER BY d.number FOR UPDATE`,
    [positions],
  );
  const made = holding.filter(({ status }) => status !== 'pending').map(({ number }) => number);
  const underWay = holding.filter(({ status }) => status === 'pending').map(({ number }) => number);
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
}
