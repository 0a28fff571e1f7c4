/** Takes matches off the disk, with what is owed and counted of them, and their events with the last of them. */
import type { Platform } from '../../domain/platform.ts';
import { noteColdMatchesGone } from '../nouns/cold/cold-objects.ts';
import { forgetJudgements } from '../nouns/judging/judgements.ts';
import { minuteOf, takeCounts } from '../nouns/minutes.ts';
import { forgetOwed } from '../nouns/owed.ts';
import { forgetRatings } from '../nouns/ratings.ts';
import { type Position, timeOf } from '../order.ts';
import type { SqliteDb } from './db.ts';
import { forgetNames, GONE, type GoneEvent } from './event-names.ts';
import { settle } from './settle.ts';
import type { Sql } from './sql.ts';
import { takeFromStory } from './story-writes.ts';

export interface Doomed {
  readonly position: Position;
  readonly rule: number;
  readonly account: number;
  /** True for a deleted rule that may be restored: the account's charts do not count it. */
  readonly hidden: number;
  readonly platform: Platform;
  readonly event: number;
  readonly deleted: number;
  readonly story: Position | null;
  readonly source: string;
  readonly post_id: string;
}

export const doomedSql = (matches: string): string =>
  `SELECT m.position, m.rule, abs(m.account) AS account, m.account < 0 AS hidden, m.platform, m.event, r.deleted, m.story, coalesce(e.source, '') AS source, e.post_id
   FROM ${matches} m CROSS JOIN rules r ON r.number = m.rule CROSS JOIN events e ON e.number = m.event`;

/** `whole`: all matches of a rule go, whose counts and parts of stories go by themselves. */
export async function removeMatches(
  db: SqliteDb,
  matches: readonly Doomed[],
  options: { readonly erase: boolean; readonly whole?: boolean },
): Promise<void> {
  if (matches.length === 0) return;
  await settle(db);
  await noteColdMatchesGone(db, matches);
  const positions = matches.map(({ position }) => position);
  await forgetOwed(db, positions, options);
  await forgetJudgements(db, positions);
  if (options.erase) await forgetRatings(db, positions);
  for (const match of matches) removeRow(db.sql, match);
  if (options.whole) return;
  await takeCounts(
    db,
    matches.map(({ position, ...match }) => ({ ...match, minute: minuteOf(timeOf(position)), matches: -1 })),
  );
  for (const { position, story, rule, platform, source } of matches)
    if (story !== null) takeFromStory(db.sql, { story, rule, platform, source }, position);
}

function removeRow(sql: Sql, { position, event, rule, platform }: Doomed): void {
  sql.run('DELETE FROM matches WHERE position = ?', [position]);
  sql.run('DELETE FROM rule_matches WHERE rule = ? AND platform = ? AND position = ?', [rule, platform, position]);
  const gone = sql.rows<GoneEvent>(
    `DELETE FROM events WHERE number = :event AND NOT EXISTS (SELECT 1 FROM matches WHERE event = :event) ${GONE}`,
    { event },
  );
  forgetNames(sql, gone);
}
