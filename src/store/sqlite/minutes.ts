/**
 * Matches by the minute, kept for charts: counting millions for each picture would take seconds. The subject is a rule,
 * or an account as the negative of its number.
 */
import type { DatabaseSync } from 'node:sqlite';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { MINUTE, minuteOf } from '../rows/minutes.ts';
import type { CountQuery } from '../store.ts';

/** Rows changed in one transaction. */
const SLICE = 1000;

export function minutes(db: DatabaseSync) {
  const add = db.prepare(
    `INSERT INTO minutes (subject, platform, minute, matches) VALUES (?, ?, ?, ?)
     ON CONFLICT (subject, platform, minute) DO UPDATE SET matches = matches + excluded.matches`,
  );
  const takeEmpty = db.prepare(
    'DELETE FROM minutes WHERE subject = ? AND platform = ? AND minute = ? AND matches <= 0',
  );
  const some = db.prepare(`SELECT platform, minute, matches FROM minutes WHERE subject = ? LIMIT ${SLICE}`);
  const takeOne = db.prepare('DELETE FROM minutes WHERE subject = ? AND platform = ? AND minute = ?');

  function change(subject: number, platform: Platform, minute: number, matches: number): void {
    add.run(subject, platform, minute, matches);
    if (matches < 0) takeEmpty.run(subject, platform, minute);
  }
  return {
    /** Matches came. */
    add(platform: Platform, minute: number, perRule: ReadonlyMap<{ number: number; account: number }, number>): void {
      const sums = new Map<number, number>();
      for (const [rule, matches] of perRule) {
        sums.set(rule.number, matches);
        sums.set(-rule.account, (sums.get(-rule.account) ?? 0) + matches);
      }
      for (const [subject, matches] of sums) add.run(subject, platform, minute, matches);
    },
    /** Matches went. */
    take(rule: number, account: number, platform: Platform, minute: number, matches: number): void {
      change(rule, platform, minute, -matches);
      change(-account, platform, minute, -matches);
    },
    /** A deleted rule leaves its account's charts. A slice of it; false when nothing was left. */
    takeRuleFromAccount(rule: number, account: number): boolean {
      const rows = some.all(rule) as { platform: Platform; minute: number; matches: number }[];
      for (const { platform, minute, matches } of rows) {
        change(-account, platform, minute, -matches);
        takeOne.run(rule, platform, minute);
      }
      return rows.length > 0;
    },
  };
}

export function minuteReads(db: DatabaseSync) {
  const rule = db.prepare(
    'SELECT number FROM rules WHERE id = ? AND deleted = 0 AND account = (SELECT number FROM accounts WHERE id = ?)',
  );
  const account = db.prepare('SELECT number FROM accounts WHERE id = ?');
  const sums = db.prepare(
    `SELECT CAST((minute - :from) / :step AS INTEGER) AS slot, sum(matches) AS matches FROM minutes
     WHERE subject = :subject AND platform IN (SELECT value FROM json_each(:platforms)) AND minute >= :from AND minute < :to
     GROUP BY slot ORDER BY slot`,
  );

  function subjectOf({ accountId, ruleId }: CountQuery): number | undefined {
    const row = (ruleId === undefined ? account.get(accountId) : rule.get(ruleId, accountId)) as
      | { number: number }
      | undefined;
    return row === undefined || ruleId !== undefined ? row?.number : -row.number;
  }
  return {
    matchCounts(query: CountQuery): { at: Date; count: number }[] {
      const subject = subjectOf(query);
      if (subject === undefined) return [];
      const from = minuteOf(query.from.getTime());
      const to = Math.ceil(query.to.getTime() / MINUTE);
      const step = Math.max(1, Math.round(query.seconds / 60));
      const platforms = JSON.stringify(query.platform === undefined ? PLATFORMS : [query.platform]);
      const rows = sums.all({ subject, platforms, from, to, step }) as { slot: number; matches: number }[];
      return rows.map(({ slot, matches }) => ({ at: new Date((from + slot * step) * MINUTE), count: matches }));
    },
  };
}
