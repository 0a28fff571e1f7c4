/** How many rules an account has on each platform: kept, never counted. */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { RuleChange, RuleLimits, RuleOverLimit } from '../store.ts';
import type { Sql } from './sql.ts';

/** The platforms that texts are for. */
export const namedIn = (texts: NonNullable<RuleChange['platforms']>): Platform[] =>
  PLATFORMS.filter((platform) => texts[platform] !== undefined && texts[platform] !== null);

/** The platforms that a rule is on. */
export const heldBy = (sql: Sql, rule: number): Platform[] =>
  sql
    .rows<{ platform: Platform }>('SELECT platform FROM rule_platforms WHERE rule = ?', [rule])
    .map(({ platform }) => platform);

/** The first platform without room for one more rule. */
export function firstOver(
  sql: Sql,
  account: number,
  platforms: readonly Platform[],
  limits: RuleLimits,
): RuleOverLimit | undefined {
  for (const platform of platforms) {
    const used = usedOf(sql, account, platform);
    if (used >= (limits[platform] ?? Infinity)) return { overLimit: platform, used };
  }
  return undefined;
}

const usedOf = (sql: Sql, account: number, platform: Platform): number =>
  sql.row<{ rules: number }>('SELECT rules FROM account_rules WHERE account = ? AND platform = ?', [account, platform])
    ?.rules ?? 0;

export function countRule(sql: Sql, account: number, platform: Platform, rules: number): void {
  sql.run(
    `INSERT INTO account_rules (account, platform, rules) VALUES (?, ?, ?)
     ON CONFLICT (account, platform) DO UPDATE SET rules = rules + excluded.rules`,
    [account, platform, rules],
  );
}
