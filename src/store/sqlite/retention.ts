/** Matches past retention leave in ranges: a few statements for thousands of them. */
import type { Db } from '../db.ts';
import { type MinuteChange, takeCounts } from '../nouns/minutes.ts';
import { minuteSql, type Position, positionAt, timeOf } from '../order.ts';
import type { HouseStore } from '../store.ts';
import type { SqliteDb } from './db.ts';
import { forgetNames, GONE, type GoneEvent } from './event-names.ts';
import { forgetOwedBelow } from './owed.ts';
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
