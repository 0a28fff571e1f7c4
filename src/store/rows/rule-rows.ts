/** Rows of rules: one for the rule, one for each of its platforms; and how many rules an account has: kept, never counted. */
import { hash } from 'node:crypto';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { PlatformRule, Rule, RuleFlags, RuleStatus } from '../../domain/rule.ts';
import type { Db } from '../db.ts';
import { timeSql } from '../order.ts';
import { dateOrNone, decodeName, decodeText, parseColumn } from './texts.ts';
import { SETTLED } from './unsettled.ts';

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

/** How many rules an account may have on a platform. */
export type RuleLimits = Readonly<Partial<Record<Platform, number>>>;

export interface RuleOverLimit {
  readonly overLimit: Platform;
  readonly used: number;
}

/** A row for each platform of the rules that `which` selects, with all that they have matched; live ones oldest first. */
export function selectRules(dialect: Db['dialect'], which: string, of: 'live' | 'deleted' = 'live'): string {
  const newer = of === 'live' ? NEW_COUNTS[dialect]?.(which) : undefined;
  return `SELECT r.number, r.id, a.id AS account_id, r.version, r.paused, r.created_at, r.name, r.intent, r.alerts,
      p.platform, p.status, p.platform_rule_id, p.flags, p.value, p.error, p.added_at, ${newer === undefined ? 't.matches, t.last_at' : ADDED_UP},
      g.agreed, g.upstream_only, g.engine_only${of === 'live' ? '' : ', r.deleted_at, r.restorable_until'}
    FROM (SELECT * FROM rules WHERE deleted = ${of === 'live' ? 0 : 1} AND ${which}) r
    JOIN accounts a ON a.number = r.account
    JOIN rule_platforms p ON p.rule = r.number
    LEFT JOIN tallies t ON t.rule = p.rule AND t.platform = p.platform${
      newer === undefined ? '' : ` LEFT JOIN (${newer}) n ON n.rule = p.rule AND n.platform = p.platform`
    }
    LEFT JOIN agreement g ON g.rule = p.rule AND g.platform = p.platform
    ORDER BY ${of === 'live' ? 'r.number' : 'r.deleted_at DESC, r.number DESC'}, p.platform`;
}

const ADDED_UP =
  'coalesce(t.matches, 0) + coalesce(n.matches, 0) AS matches, coalesce(n.last_at, t.last_at) AS last_at';

/** The counts that SQLite has not settled, of these rules alone: grouping all that wait would take far longer. */
const NEW_COUNTS: Record<Db['dialect'], ((which: string) => string) | undefined> = {
  sqlite: (which) =>
    `SELECT rule, platform, count(*) AS matches, ${timeSql('max(position)')} AS last_at
     FROM matches NOT INDEXED WHERE position > ${SETTLED} AND rule IN (SELECT number FROM rules WHERE deleted = 0 AND ${which})
     GROUP BY rule, platform`,
  postgres: undefined,
};

/** The rules, and the number of the last one; undefined when there was none. */
export function rulesOf(rows: readonly RuleRow[]): { readonly rules: Rule[]; readonly last: number | undefined } {
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
  name: decodeName(row.name),
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
export const encodeFlags = ({ quality, nsfw, sources }: RuleFlags): string =>
  JSON.stringify({ quality, nsfw, sources });

/** Forty-eight bits that are equal for equal texts: texts are too long to index. */
export const holdingOf = (value: string, flags: RuleFlags): number =>
  hash('sha256', JSON.stringify([value, encodeFlags(flags)]), 'buffer').readUIntBE(0, 6);

/** The kinds of alert that a rule is watched for: a bit for each. */
export const encodeAlerts = ({ surge, silence }: Rule['alerts']): number => (surge ? 1 : 0) + (silence ? 2 : 0);

export const decodeAlerts = (bits: number): Rule['alerts'] => ({ surge: (bits & 1) !== 0, silence: (bits & 2) !== 0 });

/** The platforms that texts are for. */
export const platformsIn = (texts: Readonly<Partial<Record<Platform, unknown>>>): Platform[] =>
  PLATFORMS.filter((platform) => texts[platform] !== undefined && texts[platform] !== null);

/** The platforms that a rule is on. */
export const heldBy = async (db: Db, rule: number): Promise<Platform[]> =>
  (await db.rows<{ platform: Platform }>('SELECT platform FROM rule_platforms WHERE rule = $1', [rule])).map(
    ({ platform }) => platform,
  );

/** The first platform without room for one more rule. The account's row is the lock under which they are counted. */
export async function firstOver(
  db: Db,
  account: number,
  platforms: readonly Platform[],
  limits: RuleLimits,
): Promise<RuleOverLimit | undefined> {
  if (platforms.length === 0) return undefined;
  await db.row('SELECT 1 FROM accounts WHERE number = $1 FOR UPDATE', [account]);
  const rows = await db.rows<{ platform: Platform; rules: number }>(
    'SELECT platform, rules FROM account_rules WHERE account = $1',
    [account],
  );
  for (const platform of platforms) {
    const used = rows.find((row) => row.platform === platform)?.rules ?? 0;
    if (used >= (limits[platform] ?? Infinity)) return { overLimit: platform, used };
  }
  return undefined;
}

/** One rule more of the account on a platform, or one less. */
export async function countRule(db: Db, account: number, platform: Platform, more: 1 | -1): Promise<void> {
  await db.run(
    `INSERT INTO account_rules AS a (account, platform, rules) VALUES ($1, $2, $3)
     ON CONFLICT (account, platform) DO UPDATE SET rules = a.rules + excluded.rules`,
    [account, platform, more],
  );
}

/** The relevance of matches of these rules may have changed with their ratings. */
export async function raiseRelevance(db: Db, rated: readonly { readonly rule: number }[]): Promise<void> {
  if (rated.length === 0) return;
  await db.run('UPDATE rules SET relevance_version = relevance_version + 1 WHERE number = ANY($1)', [
    [...new Set(rated.map(({ rule }) => rule))],
  ]);
}
