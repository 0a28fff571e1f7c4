/** Rows of alerts and watches. */
import type { Alert } from '../../domain/alert.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Rule, RuleStatus } from '../../domain/rule.ts';
import type { RuleWatch } from '../store/alerts.ts';
import { dateOrNone, decodeText } from './texts.ts';

/** What a rule is watched for: a bit for each kind. */
export const encodeAlerts = ({ surge, silence }: Rule['alerts']): number => (surge ? 1 : 0) + (silence ? 2 : 0);

export const decodeAlerts = (bits: number): Rule['alerts'] => ({ surge: (bits & 1) !== 0, silence: (bits & 2) !== 0 });

export interface AlertRow {
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

export const alertOf = (row: AlertRow): Alert => ({
  id: row.id,
  accountId: row.account_id,
  ruleId: row.rule_id,
  ruleName: decodeText(row.rule_name),
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
export const selectAlerts = (rows: string): string => `
  SELECT l.*, r.id AS rule_id, r.name AS rule_name, a.id AS account_id FROM (${rows}) l
  JOIN rules r ON r.number = l.rule JOIN accounts a ON a.number = l.account WHERE r.deleted = 0 ORDER BY l.number DESC`;

export interface WatchRow {
  readonly rule: number;
  readonly platform: Platform;
  readonly rule_id: string;
  readonly rule_name: string;
  readonly account_id: string;
  readonly created_at: number;
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
  ruleName: decodeText(row.rule_name),
  accountId: row.account_id,
  createdAt: new Date(row.created_at),
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
export const selectWatches = (rows: string, minute: string): string => `
  SELECT w.*, r.id AS rule_id, r.name AS rule_name, r.created_at, r.paused, r.alerts, r.version, h.status,
    a.id AS account_id,
    ${matchesIn(minute, 10)} AS ten, ${matchesIn(minute, 60)} AS sixty
  FROM (${rows}) w JOIN rules r ON r.number = w.rule JOIN accounts a ON a.number = r.account
  JOIN rule_platforms h ON h.rule = w.rule AND h.platform = w.platform`;

const matchesIn = (minute: string, window: number): string =>
  `(SELECT CAST(sum(m.matches) AS bigint) FROM minutes m WHERE m.subject = w.rule AND m.platform = w.platform
      AND m.minute > ${minute} - ${window} AND m.minute <= ${minute})`;
