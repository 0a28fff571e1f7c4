/**
 * Matches by the minute, kept for charts: counting millions for each picture would take seconds. The subject is a rule,
 * or an account by the negative of its number.
 */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { minuteSql } from '../order.ts';
import { MINUTE, minuteOf } from '../rows/minutes.ts';
import type { CountQuery } from '../store.ts';
import type { Sql } from './sql.ts';
import { SETTLED } from './unsettled.ts';

/** Rows changed in one transaction. */
const SLICE = 1000;

const ADD = `INSERT INTO minutes (subject, platform, minute, matches) VALUES (?, ?, ?, ?)
  ON CONFLICT (subject, platform, minute) DO UPDATE SET matches = matches + excluded.matches`;

export interface MinuteGroup {
  readonly rule: number;
  readonly account: number;
  /** 1 for matches of a deleted rule, which the account's charts do not count. */
  readonly hidden: number;
  readonly platform: Platform;
  readonly minute: number;
  readonly matches: number;
}

/** Matches went. */
export function takeMinutes(sql: Sql, { rule, account, hidden, platform, minute, matches }: MinuteGroup): void {
  take(sql, rule, platform, minute, matches);
  if (hidden === 0) take(sql, -account, platform, minute, matches);
}

/** Matches of a rule went out of sight, or came back; the rule's own counts stay. */
export function changeAccountMinutes(
  sql: Sql,
  { account, platform, minute, matches }: Omit<MinuteGroup, 'rule' | 'hidden'>,
): void {
  if (matches < 0) take(sql, -account, platform, minute, -matches);
  else sql.run(ADD, [-account, platform, minute, matches]);
}

function take(sql: Sql, subject: number, platform: Platform, minute: number, matches: number): void {
  sql.run(ADD, [subject, platform, minute, -matches]);
  sql.run('DELETE FROM minutes WHERE subject = ? AND platform = ? AND minute = ? AND matches <= 0', [
    subject,
    platform,
    minute,
  ]);
}

/** A slice of the counts of a rule that leaves the disk; false when nothing was left. */
export const dropMinutesOf = (sql: Sql, rule: number): boolean =>
  sql.run(
    `DELETE FROM minutes WHERE (subject, platform, minute) IN
       (SELECT subject, platform, minute FROM minutes WHERE subject = ? LIMIT ${SLICE})`,
    [rule],
  ) > 0;

export const minuteReads = (sql: Sql) => ({
  matchCounts(query: CountQuery): { at: Date; count: number }[] {
    const subject = subjectOf(sql, query);
    if (subject === undefined) return [];
    const from = minuteOf(query.from.getTime());
    const to = Math.ceil(query.to.getTime() / MINUTE);
    const step = Math.max(1, Math.round(query.seconds / 60));
    const platforms = JSON.stringify(query.platform === undefined ? PLATFORMS : [query.platform]);
    return sql
      .rows<{ slot: number; matches: number }>(
        `SELECT CAST((minute - :from) / :step AS INTEGER) AS slot, sum(matches) AS matches
         FROM (SELECT platform, minute, matches FROM minutes WHERE subject = :subject
           UNION ALL SELECT platform, ${minuteSql('position')}, 1 FROM matches NOT INDEXED
             WHERE position > ${SETTLED} AND :subject IN (rule, -account))
         WHERE platform IN (SELECT value FROM json_each(:platforms)) AND minute >= :from AND minute < :to
         GROUP BY slot ORDER BY slot`,
        { subject, platforms, from, to, step },
      )
      .map(({ slot, matches }) => ({ at: new Date((from + slot * step) * MINUTE), count: matches }));
  },
});

function subjectOf(sql: Sql, { accountId, ruleId }: CountQuery): number | undefined {
  const row =
    ruleId === undefined
      ? sql.row<{ subject: number }>('SELECT -number AS subject FROM accounts WHERE id = ?', [accountId])
      : sql.row<{ subject: number }>(
          `SELECT number AS subject FROM rules
           WHERE id = ? AND deleted = 0 AND account = (SELECT number FROM accounts WHERE id = ?)`,
          [ruleId, accountId],
        );
  return row?.subject;
}
