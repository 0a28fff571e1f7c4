/** Rows of rules: one for the rule, one for each of its platforms. */
import { hash } from 'node:crypto';
import type { Platform } from '../../domain/platform.ts';
import type { PlatformRule, Rule, RuleFlags, RuleStatus } from '../../domain/rule.ts';
import { decodeAlerts } from './alerts.ts';
import { dateOrNone, decodeText, parseColumn } from './texts.ts';

export interface RuleRow {
  readonly number: number;
  readonly id: string;
  readonly account_id: string;
  readonly version: number;
  readonly paused: number;
  readonly created_at: number;
  readonly name: string;
  readonly intent: string;
  readonly alerts: number;
  readonly platform: Platform;
  readonly status: RuleStatus;
  readonly platform_rule_id: string | null;
  readonly flags: string;
  readonly value: string;
  readonly error: string | null;
  readonly added_at: number | null;
  readonly matches: number | null;
  readonly last_at: number | null;
  readonly agreed: number | null;
  readonly upstream_only: number | null;
  readonly engine_only: number | null;
}

/** A row for each platform of the live rules that `which` selects, oldest rule first. `newer` are counts beside the tallies. */
export const selectRules = (which: string, of: 'live' | 'deleted' = 'live', newer?: string): string => `
  SELECT r.number, r.id, a.id AS account_id, r.version, r.paused, r.created_at, r.name, r.intent, r.alerts,
    p.platform, p.status, p.platform_rule_id, p.flags, p.value, p.error, p.added_at, ${newer === undefined ? 't.matches, t.last_at' : ADDED_UP},
    g.agreed, g.upstream_only, g.engine_only${of === 'live' ? '' : ', r.deleted_at, r.restorable_until'}
  FROM (SELECT * FROM rules WHERE deleted = ${of === 'live' ? 0 : 1} AND ${which}) r
  JOIN accounts a ON a.number = r.account
  JOIN rule_platforms p ON p.rule = r.number
  LEFT JOIN tallies t ON t.rule = p.rule AND t.platform = p.platform${
    newer === undefined
      ? ''
      : `
  LEFT JOIN (${newer}) n ON n.rule = p.rule AND n.platform = p.platform`
  }
  LEFT JOIN agreement g ON g.rule = p.rule AND g.platform = p.platform
  ORDER BY ${of === 'live' ? 'r.number' : 'r.deleted_at DESC, r.number DESC'}, p.platform`;

const ADDED_UP =
  'coalesce(t.matches, 0) + coalesce(n.matches, 0) AS matches, coalesce(n.last_at, t.last_at) AS last_at';

export interface RuleSlice {
  readonly rules: Rule[];
  /** The number of the last rule; undefined when there was none. */
  readonly last: number | undefined;
}

export function rulesOf(rows: readonly RuleRow[]): RuleSlice {
  const rules: Rule[] = [];
  let platforms: Partial<Record<Platform, PlatformRule>> = {};
  let last: number | undefined;
  for (const row of rows) {
    if (row.number !== last) {
      platforms = {};
      last = row.number;
      rules.push(ruleOf(row, platforms));
    }
    platforms[row.platform] = platformRuleOf(row);
  }
  return { rules, last };
}

const ruleOf = (row: RuleRow, platforms: Rule['platforms']): Rule => ({
  id: row.id,
  accountId: row.account_id,
  name: decodeText(row.name),
  intent: decodeText(row.intent),
  version: row.version,
  paused: row.paused === 1,
  createdAt: new Date(row.created_at),
  alerts: decodeAlerts(row.alerts),
  platforms,
});

const platformRuleOf = (row: RuleRow): PlatformRule => ({
  value: decodeText(row.value),
  flags: parseColumn<RuleFlags>(row.flags),
  status: row.status,
  error: row.error === null ? undefined : decodeText(row.error),
  platformRuleId: row.platform_rule_id ?? undefined,
  matchCount: row.matches ?? 0,
  lastMatchAt: dateOrNone(row.last_at),
  ...(row.added_at === null ? {} : { addedAt: new Date(row.added_at) }),
  agreement:
    row.agreed === null
      ? undefined
      : { agreed: row.agreed, upstreamOnly: row.upstream_only ?? 0, engineOnly: row.engine_only ?? 0 },
});

/** One text for equal flags, whatever the order they were given in. */
export const encodeFlags = ({ quality, nsfw }: RuleFlags): string => JSON.stringify({ quality, nsfw });

/** Forty-eight bits that are equal for equal texts: texts are too long to index. */
export const holdingOf = (value: string, flags: RuleFlags): number =>
  hash('sha256', JSON.stringify([value, encodeFlags(flags)]), 'buffer').readUIntBE(0, 6);
