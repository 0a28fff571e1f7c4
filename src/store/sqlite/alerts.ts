/** Alerts and watches. A rule is watched on each of its platforms; what `now` and `past` hold is not read here. */
import type { Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import { StoreError } from '../error.ts';
import {
  type AlertRow,
  alertOf,
  alertPage,
  decodeAlerts,
  encodeAlerts,
  selectAlerts,
  selectWatches,
  type WatchRow,
  watchOf,
} from '../rows/alerts.ts';
import { dateOrNone, timeOrNull } from '../rows/texts.ts';
import type { AlertQuery, Lease, MinuteOfRule, RulePlace, RuleWatch, WatchChange, WatchedSlice } from '../store.ts';
import { transaction } from './connection.ts';
import { putNotices } from './delivery-writes.ts';
import type { Sql } from './sql.ts';

const ACCOUNT = '(SELECT number FROM accounts WHERE id = :account)';
/** Alerts that go in one slice of removal. */
const OLD_SLICE = 1_000;

export const alertReads = (sql: Sql) => ({
  alerts({ accountId, ruleIds, before = Number.MAX_SAFE_INTEGER, limit }: AlertQuery) {
    const values = { account: accountId, before, limit: limit + 1 };
    if (ruleIds === undefined)
      return alertPage(sql.rows<AlertRow>(selectAlerts(newestOf(`account = ${ACCOUNT}`)), values), limit);
    const rows = ruleIds.flatMap((rule) => sql.rows<AlertRow>(selectAlerts(newestOf(OF_RULE)), { ...values, rule }));
    const newest = rows.toSorted((one, other) => other.number - one.number);
    return alertPage(newest.slice(0, limit + 1), limit);
  },
  alert(accountId: string, alertId: string) {
    const row = sql.row<AlertRow>(selectAlerts(`SELECT * FROM alerts WHERE id = :id AND account = ${ACCOUNT}`), {
      id: alertId,
      account: accountId,
    });
    return row && alertOf(row);
  },
  alertingRules: (accountId: string, limit: number): string[] =>
    sql
      .rows<{ id: string }>(
        `SELECT r.id FROM (SELECT DISTINCT rule FROM alerts INDEXED BY alerts_that_last
           WHERE account = ${ACCOUNT} AND to_at IS NULL LIMIT :limit) l
         JOIN rules r ON r.number = l.rule WHERE r.deleted = 0`,
        { account: accountId, limit },
      )
      .map(({ id }) => id),
});

const OF_RULE = `rule = (SELECT number FROM rules WHERE id = :rule AND account = ${ACCOUNT})`;
/** Those of deleted rules are left out before they are counted: a page is full, or the last. */
const newestOf = (which: string): string =>
  `SELECT * FROM alerts WHERE ${which} AND number < :before
     AND EXISTS (SELECT 1 FROM rules WHERE number = alerts.rule AND deleted = 0) ORDER BY number DESC LIMIT :limit`;

export const watchReads = (sql: Sql) => ({
  watchAgenda(most: number) {
    const { watches, due } = sql.row<{ watches: number; due: number | null }>(
      `SELECT (SELECT count(*) FROM (SELECT 1 FROM watches LIMIT ?)) AS watches, (SELECT min(due_at) FROM watches) AS due`,
      [most],
    )!;
    return { watches, firstDue: dateOrNone(due) };
  },
  watchedIn(minute: number, after: RulePlace | undefined, limit: number): WatchedSlice {
    const rows = sql.rows<RulePlace & { watched: number }>(
      `SELECT m.subject AS rule, m.platform, w.rule IS NOT NULL AS watched
       FROM (SELECT subject, platform FROM minutes INDEXED BY minutes_by_age
             WHERE minute = :minute AND (subject, platform) > (:rule, :platform)
             ORDER BY subject, platform LIMIT :limit) m
       LEFT JOIN watches w ON w.rule = m.subject AND w.platform = m.platform`,
      // Rules have positive numbers; the sums of accounts come before them.
      { minute, rule: after?.rule ?? 0, platform: after?.platform ?? '', limit },
    );
    return {
      watched: rows.filter(({ watched }) => watched === 1).map(({ rule, platform }) => ({ rule, platform })),
      last: rows.length < limit ? undefined : rows.at(-1),
    };
  },
  watchesOf: (places: readonly RulePlace[], minute: number): RuleWatch[] =>
    sql
      .rows<WatchRow>(
        selectWatches(
          `SELECT w.rule, w.platform, w.past_version, w.now, NULL AS past FROM json_each(:places) p
             JOIN watches w ON w.rule = p.value ->> 'rule' AND w.platform = p.value ->> 'platform'`,
          ':minute',
        ),
        { places: JSON.stringify(places), minute },
      )
      .map(watchOf),
  dueWatches: (now: Date, minute: number, limit: number): RuleWatch[] =>
    sql
      .rows<WatchRow>(
        selectWatches(
          `SELECT rule, platform, past_version, now, past FROM watches WHERE due_at <= :now ORDER BY due_at LIMIT :limit`,
          ':minute',
        ),
        { now: now.getTime(), minute, limit },
      )
      .map(watchOf),
  minutesOf: (places: readonly RulePlace[], from: number, to: number): MinuteOfRule[] =>
    sql.rows<MinuteOfRule>(
      `SELECT m.subject AS rule, m.platform, m.minute, m.matches FROM json_each(:places) p
       JOIN minutes m ON m.subject = p.value ->> 'rule' AND m.platform = p.value ->> 'platform'
         AND m.minute >= :from AND m.minute < :to`,
      { places: JSON.stringify(places), from, to },
    ),
});

export const watchWrites = (sql: Sql) => ({
  keepWatches: (lease: Lease, changes: readonly WatchChange[]): string[] =>
    transaction(sql, () => {
      const row = sql.row<{ fence: number }>('SELECT fence FROM leases WHERE name = ?', [lease.name]);
      if (row?.fence !== lease.fence) throw new StoreError('fenced', 'Another process watches the rules by now.');
      return changes.flatMap((change) => keepWatch(sql, change));
    }),
});

function keepWatch(sql: Sql, { watch, next, alerts, deliveries }: WatchChange): string[] {
  const rule = sql.row<{ account: number }>(
    'SELECT account FROM rules WHERE number = ? AND deleted = 0 AND alerts = ? AND version = ?',
    [watch.rule, encodeAlerts(watch.alerts), watch.version],
  );
  if (rule === undefined) return [];
  if (next === undefined) sql.run('DELETE FROM watches WHERE rule = ? AND platform = ?', [watch.rule, watch.platform]);
  else
    sql.run(
      `UPDATE watches SET past_version = ?, due_at = ?, now = ?, past = coalesce(?, past) WHERE rule = ? AND platform = ?`,
      [watch.version, next.dueAt.getTime(), next.now, next.past ?? null, watch.rule, watch.platform],
    );
  for (const { id, kind, from, to, rate, usualRate } of alerts)
    sql.run(
      `INSERT INTO alerts (id, account, rule, platform, kind, from_at, to_at, rate, usual_rate)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET to_at = excluded.to_at, rate = excluded.rate`,
      [id, rule.account, watch.rule, watch.platform, kind, from.getTime(), timeOrNull(to), rate, usualRate],
    );
  putNotices(sql, deliveries);
  return alerts.map(({ id }) => id);
}

/** The rule is watched from now on, or is looked at once more to end what lasts. Part of every write of its alerts. */
export function watchRule(sql: Sql, rule: number, alerts: Rule['alerts']): void {
  if (encodeAlerts(alerts) !== 0)
    sql.run(
      `INSERT OR IGNORE INTO watches (rule, platform, past_version, due_at)
       SELECT rule, platform, 0, 0 FROM rule_platforms WHERE rule = ?`,
      [rule],
    );
  sql.run('UPDATE watches SET due_at = 0 WHERE rule = ?', [rule]);
}

/** The rule is back with the alerts that it had. */
export const watchAgain = (sql: Sql, rule: number): void =>
  watchRule(
    sql,
    rule,
    decodeAlerts(sql.row<{ alerts: number }>('SELECT alerts FROM rules WHERE number = ?', [rule])!.alerts),
  );

export const dropWatches = (sql: Sql, rule: number, platform: Platform): number =>
  sql.run('DELETE FROM watches WHERE rule = ? AND platform = ?', [rule, platform]);

/** What lasts ends where the rule is not watched any more. */
export const endAlerts = (sql: Sql, rule: number, platform: Platform, at: Date | undefined): number =>
  sql.run('UPDATE alerts SET to_at = coalesce(?, from_at) WHERE rule = ? AND platform = ? AND to_at IS NULL', [
    timeOrNull(at),
    rule,
    platform,
  ]);

/** A slice of a deleted rule's alerts; false when there was none. */
export const removeAlertsOfRule = (sql: Sql, rule: number): boolean =>
  sql.run(
    `DELETE FROM alerts WHERE number IN (SELECT number FROM alerts WHERE rule = ? ORDER BY number LIMIT ${OLD_SLICE})`,
    [rule],
  ) > 0;

export const removeOldAlerts = (sql: Sql, before: number): boolean =>
  sql.run(
    `DELETE FROM alerts WHERE number IN (SELECT number FROM alerts WHERE to_at < ? ORDER BY to_at LIMIT ${OLD_SLICE})`,
    [before],
  ) > 0;
