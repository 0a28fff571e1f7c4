/** Rules as they are read: one row for the rule, one for each of its platforms. */
import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { Platform } from '../../domain/platform.ts';
import type { PlatformRule, Rule, RuleFlags, RuleStatus } from '../../domain/rule.ts';
import { dateOrNone, decodeText, encodeText } from './texts.ts';

/** Rules read at a time: one or two milliseconds of work. */
const SLICE = 250;

interface RuleRow {
  readonly number: number;
  readonly id: string;
  readonly account_id: string;
  readonly version: number;
  readonly paused: number;
  readonly created_at: number;
  readonly name: string;
  readonly intent: string;
  readonly platform: Platform;
  readonly status: RuleStatus;
  readonly platform_rule_id: string | null;
  readonly flags: string;
  readonly value: string;
  readonly error: string | null;
  readonly matches: number | null;
  readonly last_at: number | null;
  readonly agreed: number | null;
  readonly upstream_only: number | null;
  readonly engine_only: number | null;
}

/** A row for each platform of the live rules that `which` selects, oldest rule first. */
const select = (which: string): string => `
  SELECT r.number, r.id, a.id AS account_id, r.version, r.paused, r.created_at, r.name, r.intent,
    p.platform, p.status, p.platform_rule_id, p.flags, p.value, p.error, t.matches, t.last_at,
    g.agreed, g.upstream_only, g.engine_only
  FROM (SELECT * FROM rules WHERE deleted = 0 AND ${which}) r
  JOIN accounts a ON a.number = r.account
  JOIN rule_platforms p ON p.rule = r.number
  LEFT JOIN tallies t ON t.rule = p.rule AND t.platform = p.platform
  LEFT JOIN agreement g ON g.rule = p.rule AND g.platform = p.platform
  ORDER BY r.number, p.platform`;

const OF_ACCOUNT = 'account = (SELECT number FROM accounts WHERE id = :account)';

export function ruleReads(db: DatabaseSync) {
  const one = db.prepare(select(`id = :rule AND ${OF_ACCOUNT}`));
  const ofAccount = db.prepare(select(`${OF_ACCOUNT} AND number > :after ORDER BY number LIMIT ${SLICE}`));
  const every = db.prepare(select(`number > :after ORDER BY number LIMIT ${SLICE}`));
  const counts = db.prepare(`SELECT platform, rules FROM account_rules WHERE ${OF_ACCOUNT} AND rules > 0`);
  const holders = db.prepare(
    `SELECT count(*) AS holders FROM rule_platforms p JOIN rules r ON r.number = p.rule JOIN accounts a ON a.number = r.account
     WHERE p.platform = ? AND p.holding = ? AND p.value = ? AND p.flags = ? AND p.status <> 'deleting' AND r.deleted = 0 AND r.paused = 0
       AND (p.platform <> 'x' OR a.x_spent_in IS NULL)`,
  );
  const rows = (result: unknown[]): RuleRow[] => result as RuleRow[];
  return {
    rule: (accountId: string, ruleId: string): Rule | undefined =>
      rulesOf(rows(one.all({ account: accountId, rule: ruleId }))).rules[0],
    rulesAfter: (accountId: string, after: number): RuleSlice =>
      rulesOf(rows(ofAccount.all({ account: accountId, after }))),
    everyRuleAfter: (after: number): RuleSlice => rulesOf(rows(every.all({ after }))),
    countRules(accountId: string): Partial<Record<Platform, number>> {
      const found = counts.all({ account: accountId }) as unknown as { platform: Platform; rules: number }[];
      return Object.fromEntries(found.map(({ platform, rules }) => [platform, rules]));
    },
    countHolders(platform: Platform, value: string, flags: RuleFlags): number {
      const row = holders.get(platform, holdingOf(value, flags), encodeText(value), encodeFlags(flags));
      return (row as unknown as { holders: number }).holders;
    },
  };
}

export interface RuleSlice {
  readonly rules: Rule[];
  /** The number of the last rule; undefined when there was none. */
  readonly last: number | undefined;
}

function rulesOf(rows: readonly RuleRow[]): RuleSlice {
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
  platforms,
});

const platformRuleOf = (row: RuleRow): PlatformRule => ({
  value: decodeText(row.value),
  flags: JSON.parse(row.flags) as RuleFlags,
  status: row.status,
  error: row.error === null ? undefined : decodeText(row.error),
  platformRuleId: row.platform_rule_id ?? undefined,
  matchCount: row.matches ?? 0,
  lastMatchAt: dateOrNone(row.last_at),
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
