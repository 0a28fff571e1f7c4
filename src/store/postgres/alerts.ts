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
import type { AlertStore, MinuteOfRule, RulePlace, WatchChange, WatchStore } from '../store.ts';
import type { Database, Db } from './connection.ts';
import { insertNotices } from './delivery-writes.ts';
import { noteForNodes } from './nodes.ts';

const ACCOUNT = '(SELECT number FROM accounts WHERE id = $1)';
/** Alerts that go in one slice of removal. */
const OLD_SLICE = 1_000;
const PLACES = 'unnest($1::bigint[], $2::text[]) AS p (rule, platform)';

export const alertStore = (database: Database): AlertStore => ({
  async alerts({ accountId, ruleIds, before = Number.MAX_SAFE_INTEGER, limit }) {
    const values = [accountId, before, limit + 1];
    if (ruleIds === undefined)
      return alertPage(await database.rows<AlertRow>(selectAlerts(newestOf(`account = ${ACCOUNT}`)), values), limit);
    const ofRules = ruleIds.map((id) => database.rows<AlertRow>(selectAlerts(newestOf(OF_RULE)), [...values, id]));
    const newest = (await Promise.all(ofRules)).flat().toSorted((one, other) => other.number - one.number);
    return alertPage(newest.slice(0, limit + 1), limit);
  },
  async alert(accountId, alertId) {
    const [row] = await database.rows<AlertRow>(
      selectAlerts(`SELECT * FROM alerts WHERE id = $2 AND account = ${ACCOUNT}`),
      [accountId, alertId],
    );
    return row && alertOf(row);
  },
  alertingRules: async (accountId, limit) =>
    (
      await database.rows<{ id: string }>(
        `SELECT r.id FROM (SELECT DISTINCT rule FROM alerts WHERE account = ${ACCOUNT} AND to_at IS NULL LIMIT $2) l
         JOIN rules r ON r.number = l.rule WHERE r.deleted = 0`,
        [accountId, limit],
      )
    ).map(({ id }) => id),
});

const OF_RULE = `rule = (SELECT number FROM rules WHERE id = $4 AND account = ${ACCOUNT})`;
/** Those of deleted rules are left out before they are counted: a page is full, or the last. */
const newestOf = (which: string): string =>
  `SELECT * FROM alerts WHERE ${which} AND number < $2
     AND EXISTS (SELECT 1 FROM rules WHERE number = alerts.rule AND deleted = 0) ORDER BY number DESC LIMIT $3`;

const columnsOf = (places: readonly RulePlace[]): [number[], Platform[]] => [
  places.map(({ rule }) => rule),
  places.map(({ platform }) => platform),
];

export const watchStore = (database: Database): WatchStore => ({
  async watchAgenda(most) {
    const [row] = await database.rows<{ watches: number; due: number | null }>(
      `SELECT (SELECT count(*) FROM (SELECT 1 FROM watches LIMIT $1) w) AS watches, (SELECT min(due_at) FROM watches) AS due`,
      [most],
    );
    return { watches: row!.watches, firstDue: dateOrNone(row!.due) };
  },
  async watchedIn(minute, after, limit) {
    const rows = await database.rows<RulePlace & { watched: boolean }>(
      `SELECT m.subject AS rule, m.platform, w.rule IS NOT NULL AS watched
       FROM (SELECT subject, platform FROM minutes WHERE minute = $1 AND (subject, platform) > ($2::bigint, $3::text)
             ORDER BY subject, platform LIMIT $4) m
       LEFT JOIN watches w ON w.rule = m.subject AND w.platform = m.platform ORDER BY m.subject, m.platform`,
      // Rules have positive numbers; the sums of accounts come before them.
      [minute, after?.rule ?? 0, after?.platform ?? '', limit],
    );
    return {
      watched: rows.filter(({ watched }) => watched).map(({ rule, platform }) => ({ rule, platform })),
      last: rows.length < limit ? undefined : rows.at(-1),
    };
  },
  watchesOf: async (places, minute) =>
    (
      await database.rows<WatchRow>(
        selectWatches(
          `SELECT w.rule, w.platform, w.past_version, w.now, NULL::text AS past FROM ${PLACES}
             JOIN watches w ON w.rule = p.rule AND w.platform = p.platform`,
          '$3::bigint',
        ),
        [...columnsOf(places), minute],
      )
    ).map(watchOf),
  dueWatches: async (now, minute, limit) =>
    (
      await database.rows<WatchRow>(
        selectWatches(
          'SELECT rule, platform, past_version, now, past FROM watches WHERE due_at <= $1 ORDER BY due_at LIMIT $3',
          '$2::bigint',
        ),
        [now.getTime(), minute, limit],
      )
    ).map(watchOf),
  minutesOf: (places, from, to) =>
    database.rows<MinuteOfRule>(
      `SELECT m.subject AS rule, m.platform, m.minute, m.matches FROM ${PLACES}
       JOIN minutes m ON m.subject = p.rule AND m.platform = p.platform AND m.minute >= $3 AND m.minute < $4`,
      [...columnsOf(places), from, to],
    ),
  keepWatches: (lease, changes) =>
    database.transaction(async (db) => {
      const [row] = await db.rows<{ fence: number }>('SELECT fence FROM leases WHERE name = $1 FOR SHARE', [
        lease.name,
      ]);
      if (row?.fence !== lease.fence) throw new StoreError('fenced', 'Another process watches the rules by now.');
      const kept: { id: string; accountId: string }[] = [];
      for (const change of changes) {
        const { accountId } = change.watch;
        kept.push(...(await keepWatch(db, change)).map((id) => ({ id, accountId })));
      }
      // The last step: it takes the lock of the change log.
      await noteForNodes(
        db,
        kept.map(({ id, accountId }) => ({ name: `alert ${id}`, accountId })),
      );
      return kept.map(({ id }) => id);
    }),
});

async function keepWatch(db: Db, { watch, next, alerts, deliveries }: WatchChange): Promise<string[]> {
  const [rule] = await db.rows<{ account: number }>(
    'SELECT account FROM rules WHERE number = $1 AND deleted = 0 AND alerts = $2 AND version = $3 FOR SHARE',
    [watch.rule, encodeAlerts(watch.alerts), watch.version],
  );
  if (rule === undefined) return [];
  const place = [watch.rule, watch.platform];
  if (next === undefined) await db.run('DELETE FROM watches WHERE rule = $1 AND platform = $2', place);
  else
    await db.run(
      `UPDATE watches SET past_version = $3, due_at = $4, now = $5, past = coalesce($6, past) WHERE rule = $1 AND platform = $2`,
      [...place, watch.version, next.dueAt.getTime(), next.now, next.past ?? null],
    );
  for (const { id, kind, from, to, rate, usualRate } of alerts)
    await db.run(
      `INSERT INTO alerts (id, account, rule, platform, kind, from_at, to_at, rate, usual_rate)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       ON CONFLICT (id) DO UPDATE SET to_at = excluded.to_at, rate = excluded.rate`,
      [id, rule.account, ...place, kind, from.getTime(), timeOrNull(to), rate, usualRate],
    );
  await insertNotices(db, deliveries);
  return alerts.map(({ id }) => id);
}

/** The rule is watched from now on, or is looked at once more to end what lasts. Part of every write of its alerts. */
export async function startWatching(db: Db, rule: number, alerts: Rule['alerts']): Promise<void> {
  if (encodeAlerts(alerts) !== 0)
    await db.run(
      `INSERT INTO watches (rule, platform, past_version, due_at)
       SELECT rule, platform, 0, 0 FROM rule_platforms WHERE rule = $1 ON CONFLICT DO NOTHING`,
      [rule],
    );
  await db.run('UPDATE watches SET due_at = 0 WHERE rule = $1', [rule]);
}

/** A rule that is back, or that came to another platform, is watched for what it was. */
export async function watchRestored(db: Db, rule: number): Promise<void> {
  const [row] = await db.rows<{ alerts: number }>('SELECT alerts FROM rules WHERE number = $1', [rule]);
  await startWatching(db, rule, decodeAlerts(row!.alerts));
}

/** On the platforms that the rule is not watched on any more; what lasts there ends. */
export async function endWatching(
  db: Db,
  rule: number,
  platforms: readonly Platform[],
  at: Date | undefined,
): Promise<void> {
  await db.run('DELETE FROM watches WHERE rule = $1 AND platform = ANY($2)', [rule, platforms]);
  await db.run(
    'UPDATE alerts SET to_at = coalesce($3, from_at) WHERE rule = $1 AND platform = ANY($2) AND to_at IS NULL',
    [rule, platforms, timeOrNull(at)],
  );
}

/** A slice of a deleted rule's alerts; false when there was none. */
export const deleteAlertsOf = async (db: Db, rule: number): Promise<boolean> =>
  (await db.run(
    `DELETE FROM alerts WHERE number IN (SELECT number FROM alerts WHERE rule = $1 ORDER BY number LIMIT ${OLD_SLICE})`,
    [rule],
  )) > 0;

export const deleteOldAlerts = async (db: Db, before: number): Promise<boolean> =>
  (await db.run(
    `DELETE FROM alerts WHERE number IN (SELECT number FROM alerts WHERE to_at < $1 ORDER BY to_at LIMIT ${OLD_SLICE})`,
    [before],
  )) > 0;
