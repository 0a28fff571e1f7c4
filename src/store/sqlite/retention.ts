/** Matches past retention leave in ranges: a few statements for thousands of them. */
import { minuteSql, positionAt, timeOf } from '../order.ts';
import type { Position } from '../store.ts';
import { type MinuteGroup, takeMinutes } from './minutes.ts';
import { forgetOwedBelow } from './owed.ts';
import { settle } from './settle.ts';
import type { Sql } from './sql.ts';
import { trimStories } from './story-writes.ts';

/** Matches taken in one transaction: about the work of a large commit. */
const SLICE = 2_000;

/** False when none is past its time. */
export function removeOldMatches(sql: Sql, before: Position): boolean {
  const last = lastOfSlice(sql, before);
  if (last === undefined) return false;
  const below = last + 1;
  settle(sql);
  const charted = sql.rows<MinuteGroup>(
    `SELECT m.rule, abs(m.account) AS account, m.account < 0 AS hidden, m.platform, ${minuteSql('m.position')} AS minute,
       count(*) AS matches
     FROM matches m NOT INDEXED WHERE m.position < ? GROUP BY m.rule, m.account, m.platform, minute`,
    [below],
  );
  for (const group of charted) takeMinutes(sql, group);
  trimStories(sql, below);
  forgetOwedBelow(sql, below);
  sql.run(
    `DELETE FROM events WHERE number IN (SELECT event FROM matches NOT INDEXED WHERE position < :below)
       AND NOT EXISTS (SELECT 1 FROM matches m WHERE m.event = events.number AND m.position >= :below)`,
    { below },
  );
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

/** When the oldest match on the disk was stored. */
export function oldestStored(sql: Sql): number | undefined {
  const row = sql.row<{ position: Position | null }>('SELECT min(position) AS position FROM matches');
  return row === undefined || row.position === null ? undefined : timeOf(row.position);
}

export const retentionReads = (sql: Sql, retentionDays: number) => ({
  retentionBacklog(now: Date): { lateMs: number } {
    const oldest = oldestStored(sql);
    const due = now.getTime() - retentionDays * 24 * 60 * 60 * 1000;
    return { lateMs: oldest === undefined ? 0 : Math.max(0, timeOf(positionAt(due)) - oldest) };
  },
});
