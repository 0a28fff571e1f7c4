/** The matches that webhooks are owed: written with the match, taken into a delivery, gone with the match. */
import type { DatabaseSync } from 'node:sqlite';
import type { Match } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { positionAt } from '../order.ts';
import { type MatchRow, matchOf } from '../rows/matches.ts';
import { type PlacedMatch, type Wanting, wantsOf } from '../rows/owed.ts';
import type { Position } from '../store.ts';
import { transaction } from './connection.ts';
import { COLUMNS, JOINS } from './matches.ts';

/** Matches looked through in one transaction. */
const SLICE = 500;

const INSERT = 'INSERT OR IGNORE INTO owed (position, webhook) VALUES (?, ?)';

/** Part of every commit; an account without webhooks costs one look at an index. */
export function oweNew(db: DatabaseSync): (platform: Platform, matches: readonly PlacedMatch[]) => void {
  const wanting = db.prepare(
    `SELECT number, rule_ids, platforms FROM webhooks WHERE account = ? AND status IN ('active', 'paused')`,
  );
  const insert = db.prepare(INSERT);
  return (platform, matches) => {
    for (const [account, found] of Map.groupBy(matches, (match) => match.account)) {
      for (const webhook of wanting.all(account) as unknown as Wanting[]) {
        const wants = wantsOf(webhook, platform);
        for (const { position, ruleId } of found) if (wants(ruleId)) insert.run(position, webhook.number);
      }
    }
  };
}

export function owedReads(db: DatabaseSync) {
  const waiting = db.prepare(
    `SELECT ${COLUMNS} FROM (SELECT position FROM owed INDEXED BY owed_waiting
       WHERE webhook = (SELECT number FROM webhooks WHERE id = ?) AND delivery IS NULL AND position < ?
       ORDER BY position) w ${JOINS} WHERE r.deleted = 0 ORDER BY w.position LIMIT ?`,
  );
  return {
    owedMatches(webhookId: string, until: Date, limit: number, bytes = Number.POSITIVE_INFINITY): Match[] {
      const matches: Match[] = [];
      let size = 0;
      // Row by row, because a row may hold a megabyte.
      for (const row of waiting.iterate(webhookId, positionAt(until.getTime()), limit)) {
        const match = row as unknown as MatchRow;
        matches.push(matchOf(match));
        size += Buffer.byteLength(match.payload);
        if (size >= bytes) break;
      }
      return matches;
    },
  };
}

export function owedWrites(db: DatabaseSync) {
  const webhookOf = db.prepare(
    `SELECT number, account, rule_ids, platforms FROM webhooks
     WHERE id = ? AND account = (SELECT number FROM accounts WHERE id = ?) AND status IN ('active', 'paused', 'disabled')`,
  );
  const stored = db.prepare(
    `SELECT m.position, r.id AS ruleId, m.account FROM matches m INDEXED BY matches_of_account JOIN rules r ON r.number = m.rule
     WHERE m.account = ? AND m.platform = ? AND m.position > ? AND r.deleted = 0 ORDER BY m.position LIMIT ${SLICE}`,
  );
  const insert = db.prepare(INSERT);
  return {
    /** Owes a slice of what was stored after a position and is neither waiting nor in a delivery. */
    oweStored: (
      accountId: string,
      webhookId: string,
      platform: Platform,
      after: Position,
    ): { owed: number; next: Position | undefined } =>
      transaction(db, () => {
        const webhook = webhookOf.get(webhookId, accountId) as (Wanting & { account: number }) | undefined;
        if (webhook === undefined) return { owed: 0, next: undefined };
        const wants = wantsOf(webhook, platform);
        const matches = stored.all(webhook.account, platform, after) as unknown as PlacedMatch[];
        let owed = 0;
        for (const { position, ruleId } of matches) {
          if (wants(ruleId)) owed += Number(insert.run(position, webhook.number).changes);
        }
        return { owed, next: matches.length < SLICE ? undefined : matches.at(-1)!.position };
      }),
  };
}

/**
 * What a match leaves behind when it goes: nothing is owed of it any more, and a delivery that was made forgets its
 * bytes. A delivery still under way goes out as it was frozen, unless the post must be erased: then it is taken apart,
 * and what else was in it waits for a new one.
 */
export function forgetOwed(db: DatabaseSync): (position: Position, erase: boolean) => void {
  const holding = db.prepare(
    `SELECT d.number, d.status FROM owed o JOIN deliveries d ON d.number = o.delivery WHERE o.position = ?`,
  );
  const empty = db.prepare('UPDATE deliveries SET body = NULL WHERE number = ?');
  const silence = db.prepare(`UPDATE attempts SET response = '""' WHERE delivery = ?`);
  const release = db.prepare('UPDATE owed SET delivery = NULL WHERE delivery = ?');
  const removeDelivery = db.prepare('DELETE FROM deliveries WHERE number = ?');
  const removeAttempts = db.prepare('DELETE FROM attempts WHERE delivery = ?');
  const remove = db.prepare('DELETE FROM owed WHERE position = ?');
  return (position, erase) => {
    for (const { number, status } of holding.all(position) as { number: number; status: string }[]) {
      if (status !== 'pending') {
        empty.run(number);
        if (erase) silence.run(number);
      } else if (erase) {
        release.run(number);
        removeAttempts.run(number);
        removeDelivery.run(number);
      }
    }
    remove.run(position);
  };
}
