/** Takes matches off the disk one by one, with what is owed and counted of them, and their events with the last of them. */
import type { Platform } from '../../domain/platform.ts';
import { timeOf } from '../order.ts';
import { minuteOf } from '../rows/minutes.ts';
import type { Position } from '../store.ts';
import { takeMinutes } from './minutes.ts';
import { forgetOwed } from './owed.ts';
import { forgetRating } from './ratings.ts';
import { settle } from './settle.ts';
import type { Sql } from './sql.ts';
import { takeFromStory } from './story-writes.ts';

export interface Doomed {
  readonly position: Position;
  readonly rule: number;
  readonly account: number;
  /** Of a deleted rule that may be restored: the account's charts do not count it. */
  readonly hidden: number;
  readonly platform: Platform;
  readonly event: number;
  readonly deleted: number;
  readonly story: Position | null;
  readonly source: string;
}

export const doomedSql = (matches: string): string =>
  `SELECT m.position, m.rule, abs(m.account) AS account, m.account < 0 AS hidden, m.platform, m.event, r.deleted, m.story, coalesce(e.source, '') AS source
   FROM ${matches} m CROSS JOIN rules r ON r.number = m.rule CROSS JOIN events e ON e.number = m.event`;

/** `whole`: all matches of a rule go, whose counts and parts of stories go by themselves. */
export function removeMatches(
  sql: Sql,
  matches: readonly Doomed[],
  options: { readonly erase: boolean; readonly whole?: boolean },
): void {
  if (matches.length > 0) settle(sql);
  for (const { position, event, rule, account, hidden, platform, story, source } of matches) {
    forgetOwed(sql, position, options);
    if (options.erase) forgetRating(sql, position);
    sql.run('DELETE FROM matches WHERE position = ?', [position]);
    sql.run('DELETE FROM rule_matches WHERE rule = ? AND platform = ? AND position = ?', [rule, platform, position]);
    sql.run('DELETE FROM events WHERE number = :event AND NOT EXISTS (SELECT 1 FROM matches WHERE event = :event)', {
      event,
    });
    if (options.whole) continue;
    takeMinutes(sql, { rule, account, hidden, platform, minute: minuteOf(timeOf(position)), matches: 1 });
    if (story !== null) takeFromStory(sql, { story, rule, platform, source }, position);
  }
}
