/** Alerts, and the watches behind them: what is kept of each rule and platform that is watched. What `now` and `past` hold is not read here. */
import type { Platform } from '../../domain/platform.ts';
import type { Alert, Rule, RuleStatus } from '../../domain/rule.ts';
import type { PreparedNotice } from '../../domain/webhook.ts';
import { type Db, deleteSlice } from '../db.ts';
import { decodeAlerts, encodeAlerts } from '../rows/rule-rows.ts';
import { dateOrNone, decodeName } from '../rows/texts.ts';
import { putNotices } from './attempts.ts';
import { noteForNodes } from './nodes.ts';
import { checkLease, type Lease } from './upstreams.ts';

export interface AlertStore {
  /** The alerts of an account, newest first. */
  alerts(query: AlertQuery): Promise<{ alerts: Alert[]; next: number | undefined }>;
  alert(accountId: string, alertId: string): Promise<Alert | undefined>;
  /** The rules of an account with an alert that lasts, once for each, up to a number. */
  alertingRules(accountId: string, limit: number): Promise<string[]>;
}

/** For the one process that watches. Not scoped by account. */
export interface WatchStore {
  /** How many watches there are, up to a number, and when the first of them is due. */
  watchAgenda(most: number): Promise<{ readonly watches: number; readonly firstDue: Date | undefined }>;
  /** Walks the rules that had matches in a minute, a slice at a time, and answers which of them are watched. */
  watchedIn(minute: number, after: RulePlace | undefined, limit: number): Promise<WatchedSlice>;
  /** These watches, with their matches of the last 10 and 60 minutes up to a minute, but without their past. */
  watchesOf(places: readonly RulePlace[], minute: number): Promise<RuleWatch[]>;
  /** The watches that are due, the first due first, with their past. */
  dueWatches(now: Date, minute: number, limit: number): Promise<RuleWatch[]>;
  /** Matches by the minute, from a minute on and before another. */
  minutesOf(places: readonly RulePlace[], from: number, to: number): Promise<MinuteOfRule[]>;
  /**
   * Stores what looks found: watches, alerts and deliveries, all or nothing. A watch whose rule was changed or deleted since
   * it was read is left out with its alert. Answers the ids of the alerts that were stored. Throws `fenced` when another
   * process has the lease.
   */
  keepWatches(lease: Lease, changes: readonly WatchChange[]): Promise<string[]>;
}

export interface AlertQuery {
  readonly accountId: string;
  /** Only alerts of these rules. */
  readonly ruleIds?: readonly string[];
  /** Alerts older than this one. */
  readonly before?: number;
  readonly limit: number;
}

/** A rule, by its number in the store, on a platform. */
export interface RulePlace {
  readonly rule: number;
  readonly platform: Platform;
}

export interface WatchedSlice {
  readonly watched: readonly RulePlace[];
  /** The place to go on from; undefined when all were seen. */
  readonly last: RulePlace | undefined;
}

export interface RuleWatch extends RulePlace {
  readonly ruleId: string;
  readonly ruleName: string;
  readonly accountId: string;
  readonly createdAt: Date;
  /** Since when the rule has its text there, if that was after its creation and was noted. */
  readonly addedAt?: Date | undefined;
  /** Neither paused nor refused by its platform. */
  readonly isRunning: boolean;
  readonly alerts: Rule['alerts'];
  /** The version of the rule now, and the one that the past is of. */
  readonly version: number;
  readonly pastVersion: number;
  /** Texts that only the one who watches reads: for the looks of this hour, and for the next hours. */
  readonly now: string | undefined;
  readonly past: string | undefined;
  readonly ten: number;
  readonly sixty: number;
}

export interface MinuteOfRule extends RulePlace {
  readonly minute: number;
  readonly matches: number;
}

export interface WatchChange {
  /** As it was read. */
  readonly watch: Pick<RuleWatch, 'rule' | 'platform' | 'ruleId' | 'accountId' | 'version' | 'alerts'>;
  /** It is undefined when the rule is no longer watched. */
  readonly next: { readonly dueAt: Date; readonly now: string; readonly past?: string } | undefined;
  readonly alerts: readonly AlertChange[];
  readonly deliveries: readonly PreparedNotice[];
}

/** A new alert, or an alert that is stored and has another end or rate by now. */
export interface AlertChange extends Pick<Alert, 'id' | 'from' | 'to' | 'rate' | 'usualRate'> {
  readonly kind: Alert['kind'];
}

interface AlertRow {
  readonly number: number;
  readonly id: string;
  readonly account_id: string;
  readonly rule_id: string;
  readonly rule_name: string;
  readonly platform: Platform;
  readonly kind: Alert['kind'];
  readonly from_at: number;
  readonly to_at: number | null;
  readonly rate: number;
  readonly usual_rate: number;
}

const alertOf = (row: AlertRow): Alert => ({
  id: row.id,
  accountId: row.account_id,
  ruleId: row.rule_id,
  ruleName: decodeName(row.rule_name),
  platform: row.platform,
  kind: row.kind,
  from: new Date(row.from_at),
  to: dateOrNone(row.to_at),
  rate: row.rate,
  usualRate: row.usual_rate,
});

/** One more row than the limit says that there is a next page. */
export function alertPage(rows: readonly AlertRow[], limit: number) {
  const page = rows.slice(0, limit);
  return { alerts: page.map(alertOf), next: rows.length > limit ? page.at(-1)!.number : undefined };
}

/** Alerts of live rules, from a query for their rows. */
const selectAlerts = (rows: string): string => `
  SELECT l.*, r.id AS rule_id, r.name AS rule_name, a.id AS account_id FROM (${rows}) l
  JOIN rules r ON r.number = l.rule JOIN accounts a ON a.number = l.account WHERE r.deleted = 0 ORDER BY l.number DESC`;

export interface WatchRow {
  readonly rule: number;
  readonly platform: Platform;
  readonly rule_id: string;
  readonly rule_name: string;
  readonly account_id: string;
  readonly created_at: number;
  readonly added_at: number | null;
  readonly paused: number;
  readonly status: RuleStatus;
  readonly alerts: number;
  readonly version: number;
  readonly past_version: number;
  readonly now: string | null;
  readonly past: string | null;
  readonly ten: number | null;
  readonly sixty: number | null;
}

export const watchOf = (row: WatchRow): RuleWatch => ({
  rule: row.rule,
  platform: row.platform,
  ruleId: row.rule_id,
  ruleName: decodeName(row.rule_name),
  accountId: row.account_id,
  createdAt: new Date(row.created_at),
  addedAt: dateOrNone(row.added_at),
  isRunning: row.status === 'active' && row.paused === 0,
  alerts: decodeAlerts(row.alerts),
  version: row.version,
  pastVersion: row.past_version,
  now: row.now ?? undefined,
  past: row.past ?? undefined,
  ten: row.ten ?? 0,
  sixty: row.sixty ?? 0,
});

/** Watches from a query for their rows. `minute` is a parameter: the running minute. */
const selectWatches = (rows: string): string => `
  SELECT w.*, r.id AS rule_id, r.name AS rule_name, r.created_at, r.paused, r.alerts, r.version, h.status, h.added_at,
    a.id AS account_id,
    ${matchesIn(10)} AS ten, ${matchesIn(60)} AS sixty
  FROM (${rows}) w JOIN rules r ON r.number = w.rule JOIN accounts a ON a.number = r.account
  JOIN rule_platforms h ON h.rule = w.rule AND h.platform = w.platform`;

const matchesIn = (window: number): string =>
  `(SELECT CAST(sum(m.matches) AS bigint) FROM minutes m WHERE m.subject = w.rule AND m.platform = w.platform
      AND m.minute > $2::bigint - ${window} AND m.minute <= $2::bigint)`;

const ACCOUNT = '(SELECT number FROM accounts WHERE id = $1)';
const OF_RULE = `rule = (SELECT number FROM rules WHERE id = $4 AND account = ${ACCOUNT})`;
/** Alerts that go in one slice of removal. */
const OLD_SLICE = 1_000;

/** The query leaves out alerts of deleted rules before it counts them, so a page is full, or the last. */
const newestOf = (which: string): string =>
  `SELECT * FROM alerts WHERE ${which} AND number < $2
     AND EXISTS (SELECT 1 FROM rules WHERE number = alerts.rule AND deleted = 0) ORDER BY number DESC LIMIT $3`;

export const alertReads = (db: Db): AlertStore => ({
  async alerts({ accountId, ruleIds, before = Number.MAX_SAFE_INTEGER, limit }) {
    const values = [accountId, before, limit + 1];
    if (ruleIds === undefined)
      return alertPage(await db.rows<AlertRow>(selectAlerts(newestOf(`account = ${ACCOUNT}`)), values), limit);
    const ofRules = ruleIds.map((id) => db.rows<AlertRow>(selectAlerts(newestOf(OF_RULE)), [...values, id]));
    const newest = (await Promise.all(ofRules)).flat().toSorted((one, other) => other.number - one.number);
    return alertPage(newest.slice(0, limit + 1), limit);
  },
  async alert(accountId, alertId) {
    const row = await db.row<AlertRow>(selectAlerts(`SELECT * FROM alerts WHERE id = $2 AND account = ${ACCOUNT}`), [
      accountId,
      alertId,
    ]);
    return row && alertOf(row);
  },
  async alertingRules(accountId, limit) {
    const rows = await db.rows<{ id: string }>(
      `SELECT r.id FROM (SELECT DISTINCT rule FROM alerts /*sqlite INDEXED BY alerts_that_last */
         WHERE account = ${ACCOUNT} AND to_at IS NULL LIMIT $2) l
       JOIN rules r ON r.number = l.rule WHERE r.deleted = 0`,
      [accountId, limit],
    );
    return rows.map(({ id }) => id);
  },
});

const PLACES = 'json_to_recordset($1) AS p (rule bigint, platform text)';

export const watchReads = (db: Db): Omit<WatchStore, 'keepWatches'> => ({
  async watchAgenda(most) {
    const row = await db.row<{ watches: number; due: number | null }>(
      `SELECT (SELECT count(*) FROM (SELECT 1 FROM watches LIMIT $1) w) AS watches, (SELECT min(due_at) FROM watches) AS due`,
      [most],
    );
    return { watches: row!.watches, firstDue: dateOrNone(row!.due) };
  },
  async watchedIn(minute, after, limit) {
    const found = await db.rows<RulePlace & { watched: boolean | number }>(
      `SELECT m.subject AS rule, m.platform, w.rule IS NOT NULL AS watched
       FROM (SELECT subject, platform FROM minutes /*sqlite INDEXED BY minutes_by_age */
             WHERE minute = $1 AND (subject, platform) > ($2::bigint, $3::text) ORDER BY subject, platform LIMIT $4) m
       LEFT JOIN watches w ON w.rule = m.subject AND w.platform = m.platform`,
      // Rules have positive numbers; the sums of accounts come before them.
      [minute, after?.rule ?? 0, after?.platform ?? '', limit],
    );
    const rows = found.toSorted((one, other) => one.rule - other.rule || (one.platform < other.platform ? -1 : 1));
    return {
      watched: rows.filter(({ watched }) => Boolean(watched)).map(({ rule, platform }) => ({ rule, platform })),
      last: rows.length < limit ? undefined : rows.at(-1),
    };
  },
  async watchesOf(places, minute) {
    const rows = await db.rows<WatchRow>(
      selectWatches(
        `SELECT w.rule, w.platform, w.past_version, w.now, NULL::text AS past FROM ${PLACES}
           /*sqlite CROSS */ JOIN watches w ON w.rule = p.rule AND w.platform = p.platform`,
      ),
      [JSON.stringify(places), minute],
    );
    return rows.map(watchOf);
  },
  async dueWatches(now, minute, limit) {
    const rows = await db.rows<WatchRow>(
      selectWatches(
        'SELECT rule, platform, past_version, now, past FROM watches WHERE due_at <= $1 ORDER BY due_at LIMIT $3',
      ),
      [now, minute, limit],
    );
    return rows.map(watchOf);
  },
  minutesOf: (places, from, to) =>
    db.rows<MinuteOfRule>(
      `SELECT m.subject AS rule, m.platform, m.minute, m.matches FROM ${PLACES} /*sqlite CROSS */ JOIN minutes m
         ON m.subject = p.rule AND m.platform = p.platform AND m.minute >= $2 AND m.minute < $3`,
      [JSON.stringify(places), from, to],
    ),
});

export const watchWrites = (db: Db): Pick<WatchStore, 'keepWatches'> => ({
  keepWatches: (lease, changes) =>
    db.transaction(async (tx) => {
      await checkLease(tx, lease, 'Another process watches the rules by now.');
      const kept: { name: string; id: string; accountId: string }[] = [];
      for (const change of changes) {
        const { accountId } = change.watch;
        kept.push(...(await keepWatch(tx, change)).map((id) => ({ id, accountId, name: `alert ${id}` })));
      }
      // The last step: it takes the lock of the change log.
      await noteForNodes(tx, kept);
      return kept.map(({ id }) => id);
    }),
});

async function keepWatch(db: Db, { watch, next, alerts, deliveries }: WatchChange): Promise<string[]> {
  const rule = await db.row<{ account: number }>(
    'SELECT account FROM rules WHERE number = $1 AND deleted = 0 AND alerts = $2 AND version = $3 FOR SHARE',
    [watch.rule, encodeAlerts(watch.alerts), watch.version],
  );
  if (rule === undefined) return [];
  const place = [watch.rule, watch.platform];
  if (next === undefined) await db.run('DELETE FROM watches WHERE rule = $1 AND platform = $2', place);
  else
    await db.run(
      `UPDATE watches SET past_version = $3, due_at = $4, now = $5, past = coalesce($6, past) WHERE rule = $1 AND platform = $2`,
      [...place, watch.version, next.dueAt, next.now, next.past ?? null],
    );
  for (const { id, kind, from, to, rate, usualRate } of alerts)
    await db.run(
      `INSERT INTO alerts (id, account, rule, platform, kind, from_at, to_at, rate, usual_rate)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       ON CONFLICT (id) DO UPDATE SET to_at = excluded.to_at, rate = excluded.rate`,
      [id, rule.account, ...place, kind, from, to ?? null, rate, usualRate],
    );
  await putNotices(db, deliveries);
  return alerts.map(({ id }) => id);
}

/** The rule is watched from now on, or is looked at once more to end what lasts. Part of every write of its alerts. */
export async function watchRule(db: Db, rule: number, alerts: Rule['alerts']): Promise<void> {
  if (encodeAlerts(alerts) !== 0)
    await db.run(
      `INSERT INTO watches (rule, platform, past_version, due_at)
       SELECT rule, platform, 0, 0 FROM rule_platforms WHERE rule = $1 ON CONFLICT DO NOTHING`,
      [rule],
    );
  await db.run('UPDATE watches SET due_at = 0 WHERE rule = $1', [rule]);
}

/** A rule that is back, or that came to another platform, is watched for what it was. */
export async function watchAgain(db: Db, rule: number): Promise<void> {
  const row = await db.row<{ alerts: number }>('SELECT alerts FROM rules WHERE number = $1', [rule]);
  await watchRule(db, rule, decodeAlerts(row!.alerts));
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
    [rule, platforms, at ?? null],
  );
}

/** A slice of a deleted rule's alerts; false when there was none. */
export const removeAlertsOfRule = async (db: Db, rule: number): Promise<boolean> =>
  (await deleteSlice(db, 'alerts', { key: 'number', of: 'rule = $1 ORDER BY number', limit: OLD_SLICE }, [rule])) > 0;

export const removeOldAlerts = async (db: Db, before: number): Promise<boolean> =>
  (await deleteSlice(db, 'alerts', { key: 'number', of: 'to_at < $1 ORDER BY to_at', limit: OLD_SLICE }, [before])) > 0;
