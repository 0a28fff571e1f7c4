/** Takes matches off the disk one by one, with what is owed and counted of them, and their events with the last of them. */
import type { Platform } from '../../domain/platform.ts';
import { timeOf } from '../order.ts';
import { minuteOf } from '../rows/minutes.ts';
import type { Position } from '../store.ts';
import { takeMinutes } from './minutes.ts';
import { forgetOwed } from './owed.ts';
import { forgetRating } from './ratings.ts';
import type { Sql } from './sql.ts';
import { takeFromStory } from './story-writes.ts';

export interface Doomed {
  readonly position: Position;
  readonly rule: number;
  readonly account: number;
  readonly platform: Platform;
  readonly event: number;
  /** Of a deleted rule: no list shows it, and no chart counts it. */
  readonly deleted: number;
  readonly story: Position | null;
  readonly source: string;
}

export const doomedSql = (matches: string): string =>
  `SELECT m.position, m.rule, m.account, m.platform, m.event, r.deleted, m.story, coalesce(e.source, '') AS source
   FROM ${matches} m CROSS JOIN rules r ON r.number = m.rule CROSS JOIN events e ON e.number = m.event`;

export function removeMatches(sql: Sql, matches: readonly Doomed[], options: { erase: boolean }): void {
  for (const { position, event, deleted, rule, account, platform, story, source } of matches) {
    forgetOwed(sql, position, options);
    if (options.erase) forgetRating(sql, position);
    sql.run('DELETE FROM matches WHERE position = ?', [position]);
    sql.run('DELETE FROM events WHERE number = :event AND NOT EXISTS (SELECT 1 FROM matches WHERE event = :event)', {
      event,
    });
    if (deleted === 1) continue;
    takeMinutes(sql, { rule, account, platform, minute: minuteOf(timeOf(position)), matches: 1 });
    if (story !== null) takeFromStory(sql, { story, rule, platform, source }, position);
  }
}
