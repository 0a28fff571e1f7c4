/** Notes of what webhooks are owed, and matches, leave past retention in ranges: a few statements for thousands. */
import type { Platform } from '../../domain/platform.ts';
import type { Db } from '../db.ts';
import { type MinuteChange, takeCounts } from '../nouns/minutes.ts';
import { type Wanting, wantsOf } from '../nouns/owed.ts';
import { minuteSql, type Position, positionAt, timeOf } from '../order.ts';
import type { HouseStore } from '../store.ts';
import type { SqliteDb } from './db.ts';
import { forgetNames, GONE, type GoneEvent } from './event-names.ts';
import { distinctIn, type NewMatch } from './new-matches.ts';
import { settle } from './settle.ts';
import type { Sql } from './sql.ts';
import { trimStories } from './story-writes.ts';

/** Matches taken in one transaction: about the work of a large commit. */
const SLICE = 2_000;

/** False when none is past its time. */
export async function removeOldMatches(db: SqliteDb, before: Position): Promise<boolean> {
  const { sql } = db;
  const last = lastOfSlice(sql, before);
  if (last === undefined) return false;
  const below = last + 1;
  await settle(db);
  const charted = sql.rows<MinuteChange>(
    `SELECT m.rule, abs(m.account) AS account, m.account < 0 AS hidden, m.platform, ${minuteSql('m.position')} AS minute,
       -count(*) AS matches
     FROM matches m NOT INDEXED WHERE m.position < ? GROUP BY m.rule, m.account, m.platform, minute`,
    [below],
  );
  await takeCounts(db, charted);
  trimStories(sql, below);
  forgetOwedBelow(sql, below);
  const gone = sql.rows<GoneEvent>(
    `DELETE FROM events WHERE number IN (SELECT event FROM matches NOT INDEXED WHERE position < :below)
       AND NOT EXISTS (SELECT 1 FROM matches m WHERE m.event = events.number AND m.position >= :below) ${GONE}`,
    { below },
  );
  forgetNames(sql, gone);
  sql.run(
    `DELETE FROM rule_matches WHERE (rule, platform, position) IN
       (SELECT rule, platform, position FROM matches NOT INDEXED WHERE position < ?)`,
    [below],
  );
  sql.run('DELETE FROM matches WHERE position < ?', [below]);
  // A reader that has got past the last of them has missed nothing; a cursor before it has.
  sql.run(`UPDATE state SET value = max(value, ?) WHERE name = 'oldest'`, [below]);
  return true;
}

function lastOfSlice(sql: Sql, before: Position): Position | undefined {
  const full = sql.row<{ position: Position }>(
    `SELECT position FROM matches WHERE position < ? ORDER BY position LIMIT 1 OFFSET ${SLICE - 1}`,
    [before],
  );
  if (full !== undefined) return full.position;
  return (
    sql.row<{ position: Position | null }>('SELECT max(position) AS position FROM matches WHERE position < ?', [before])
      ?.position ?? undefined
  );
}

export const retentionReads = (db: Db, retentionDays: number): Pick<HouseStore, 'retentionBacklog'> => ({
  async retentionBacklog(now) {
    const row = await db.row<{ position: Position | null }>('SELECT min(position) AS position FROM matches');
    if (row === undefined || row.position === null) return { lateMs: 0 };
    const due = now.getTime() - retentionDays * 24 * 60 * 60 * 1000;
    return { lateMs: Math.max(0, timeOf(positionAt(due)) - timeOf(row.position)) };
  },
});

const OWE = 'INSERT OR IGNORE INTO owed (position, webhook) VALUES (?, ?)';

/** Part of every commit; an account without webhooks costs one look at an index. */
export function oweNew(sql: Sql, platform: Platform, matches: readonly NewMatch[]): void {
  let byAccount: Map<number, NewMatch[]> | undefined;
  for (const account of distinctIn(matches, (match) => match.account)) {
    const webhooks = sql.rows<Wanting>(
      `SELECT number, rule_ids, platforms, sources, events FROM webhooks WHERE account = ? AND status IN ('active', 'paused')`,
      [account],
    );
    if (webhooks.length === 0) continue;
    byAccount ??= Map.groupBy(matches, (match) => match.account);
    const found = byAccount.get(account)!;
    for (const webhook of webhooks) {
      const wants = wantsOf(webhook, platform);
      for (const { position, rule, source } of found)
        if (wants(rule.id, source)) sql.run(OWE, [position, webhook.number]);
    }
  }
}

/**
 * Nothing is owed of matches below a position, past retention. A delivery that was made forgets its bytes, and a digest that
 * is not written yet counts what is left.
 */
function forgetOwedBelow(sql: Sql, position: Position): void {
  sql.run(
    `UPDATE deliveries SET body = NULL WHERE status <> 'pending' AND body IS NOT NULL AND number IN
       (SELECT delivery FROM owed WHERE position < ? AND delivery IS NOT NULL)`,
    [position],
  );
  sql.run(`UPDATE deliveries SET body = NULL, sent = NULL WHERE sent < ? AND status <> 'pending'`, [position]);
  sql.run(
    `UPDATE deliveries SET matches = (SELECT count(*) FROM owed WHERE delivery = deliveries.number AND position >= :position)
     WHERE status = 'pending' AND digest IS NOT NULL AND body IS NULL AND number IN
       (SELECT delivery FROM owed WHERE position < :position AND delivery IS NOT NULL)`,
    { position },
  );
  sql.run('DELETE FROM owed WHERE position < ?', [position]);
}
