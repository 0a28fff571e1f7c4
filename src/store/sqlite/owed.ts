/** The matches that webhooks are owed: written with the match, taken into a delivery, gone with the match. */
import type { Match } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { positionAt } from '../order.ts';
import { type MatchRow, matchOf } from '../rows/matches.ts';
import { BACKLOG_COUNTED, type BacklogRow, backlogOf, type PlacedMatch, type Wanting, wantsOf } from '../rows/owed.ts';
import type { OwedBacklog, Position } from '../store.ts';
import { breathe } from './breathe.ts';
import { transaction } from './connection.ts';
import { COLUMNS, JOINS } from './matches.ts';
import { distinctIn, type NewMatch } from './new-matches.ts';
import type { Sql } from './sql.ts';

/** Matches looked through in one transaction, or between two breaths. */
const SLICE = 500;
/** Matches read with their payloads in one go: each may hold a megabyte. */
const READ_SLICE = 64;

const OWE = 'INSERT OR IGNORE INTO owed (position, webhook) VALUES (?, ?)';

/** Part of every commit; an account without webhooks costs one look at an index. */
export function oweNew(sql: Sql, platform: Platform, matches: readonly NewMatch[]): void {
  let byAccount: Map<number, NewMatch[]> | undefined;
  for (const account of distinctIn(matches, (match) => match.account)) {
    const webhooks = sql.rows<Wanting>(
      `SELECT number, rule_ids, platforms, events FROM webhooks WHERE account = ? AND status IN ('active', 'paused')`,
      [account],
    );
    if (webhooks.length === 0) continue;
    byAccount ??= Map.groupBy(matches, (match) => match.account);
    const found = byAccount.get(account)!;
    for (const webhook of webhooks) {
      const wants = wantsOf(webhook, platform);
      for (const { position, rule } of found) if (wants(rule.id)) sql.run(OWE, [position, webhook.number]);
    }
  }
}

const WAITING = `SELECT ${COLUMNS} FROM (SELECT position FROM owed INDEXED BY owed_waiting
    WHERE webhook = (SELECT number FROM webhooks WHERE id = :webhook) AND delivery IS NULL
      AND position > :after AND position < :until ORDER BY position LIMIT :limit) w ${JOINS} ORDER BY w.position`;

export const owedReads = (sql: Sql) => ({
  /** Matches of deleted rules wait until they leave the disk; they are passed over in slices. */
  async owedMatches(webhookId: string, until: Date, limit: number, bytes = Infinity): Promise<Match[]> {
    const found: MatchRow[] = [];
    let size = 0;
    for (let after = -1; ; ) {
      const values = { webhook: webhookId, after, until: positionAt(until.getTime()), limit: READ_SLICE };
      const rows = sql.rows<MatchRow>(WAITING, values);
      for (const row of rows) {
        if (row.deleted === 1 || found.length >= limit || size >= bytes) continue;
        found.push(row);
        size += Buffer.byteLength(row.payload);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < READ_SLICE || found.length >= limit || size >= bytes) break;
      after = last.position;
      await breathe();
    }
    return found.map(matchOf);
  },

  owedBacklog: (limit: number): OwedBacklog[] =>
    sql
      .rows<BacklogRow>(
        `SELECT account_id, webhook_id, status, every, oldest,
           (SELECT count(*) FROM (SELECT 1 FROM owed WHERE webhook = number AND delivery IS NULL LIMIT ${BACKLOG_COUNTED})) AS matches
         FROM (SELECT w.number, w.id AS webhook_id, w.status, w.every, a.id AS account_id,
             (SELECT min(position) FROM owed WHERE webhook = w.number AND delivery IS NULL) AS oldest
           FROM webhooks w JOIN accounts a ON a.number = w.account WHERE w.status IN ('active', 'paused', 'disabled'))
         WHERE oldest IS NOT NULL ORDER BY oldest LIMIT ?`,
        [limit],
      )
      .map(backlogOf),
});

export const owedWrites = (sql: Sql) => ({
  /** Owes a slice of what was stored after a position and is neither waiting nor in a delivery. */
  oweStored: (
    accountId: string,
    webhookId: string,
    platform: Platform,
    after: Position,
  ): { owed: number; next: Position | undefined } =>
    transaction(sql, () => {
      const webhook = sql.row<Wanting & { account: number }>(
        `SELECT number, account, rule_ids, platforms, events FROM webhooks
         WHERE id = ? AND account = (SELECT number FROM accounts WHERE id = ?) AND status IN ('active', 'paused', 'disabled')`,
        [webhookId, accountId],
      );
      if (webhook === undefined) return { owed: 0, next: undefined };
      const wants = wantsOf(webhook, platform);
      const matches = sql.rows<PlacedMatch>(
        `SELECT m.position, r.id AS ruleId, m.account FROM matches m INDEXED BY matches_of_account JOIN rules r ON r.number = m.rule
         WHERE m.account = ? AND m.platform = ? AND m.position > ? AND r.deleted = 0 ORDER BY m.position LIMIT ${SLICE}`,
        [webhook.account, platform, after],
      );
      let owed = 0;
      for (const { position, ruleId } of matches) if (wants(ruleId)) owed += sql.run(OWE, [position, webhook.number]);
      return { owed, next: matches.length < SLICE ? undefined : matches.at(-1)!.position };
    }),
});

/**
 * A match goes by itself: nothing is owed of it any more, and a delivery that was made forgets its bytes. A delivery
 * still under way goes out with the bytes it has, unless the post must be erased: then it is taken apart, and what else
 * was in it waits for a new one. A digest under way is written anew, without the post.
 */
export function forgetOwed(sql: Sql, position: Position, { erase }: { erase: boolean }): void {
  const holding = sql.rows<{ number: number; status: string; digest: number | null }>(
    `SELECT d.number, d.status, d.digest FROM owed o JOIN deliveries d ON d.number = o.delivery WHERE o.position = :position
     UNION ALL SELECT number, status, digest FROM deliveries WHERE sent = :position`,
    { position },
  );
  for (const { number, status, digest } of holding) {
    if (status !== 'pending') {
      sql.run('UPDATE deliveries SET body = NULL WHERE number = ?', [number]);
      if (erase) sql.run(`UPDATE attempts SET response = '""' WHERE delivery = ?`, [number]);
    } else if (digest !== null) {
      if (erase) sql.run('UPDATE deliveries SET body = NULL WHERE number = ?', [number]);
      sql.run('UPDATE deliveries SET matches = matches - 1 WHERE number = ? AND body IS NULL', [number]);
    } else if (erase) {
      sql.run('UPDATE owed SET delivery = NULL WHERE delivery = ?', [number]);
      sql.run('DELETE FROM attempts WHERE delivery = ?', [number]);
      sql.run('DELETE FROM deliveries WHERE number = ?', [number]);
    }
  }
  sql.run('DELETE FROM owed WHERE position = ?', [position]);
}

/** The same for all matches below a position, past retention. */
export function forgetOwedBelow(sql: Sql, position: Position): void {
  sql.run(
    `UPDATE deliveries SET body = NULL WHERE status <> 'pending' AND body IS NOT NULL AND number IN
       (SELECT delivery FROM owed WHERE position < ? AND delivery IS NOT NULL)`,
    [position],
  );
  sql.run(`UPDATE deliveries SET body = NULL, sent = NULL WHERE sent < ? AND status <> 'pending'`, [position]);
  sql.run('DELETE FROM owed WHERE position < ?', [position]);
}
