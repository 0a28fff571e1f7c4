/** How many rules an account has on each platform. The account's row is the lock under which they are counted. */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { RuleChange, RuleLimits, RuleOverLimit } from '../store.ts';
import type { Db } from './connection.ts';

/** The platforms that texts are for. */
export const platformsWith = (texts: NonNullable<RuleChange['platforms']>): Platform[] =>
  PLATFORMS.filter((platform) => texts[platform] !== undefined && texts[platform] !== null);

/** The first platform without room for one more rule. */
export async function platformsOver(
  db: Db,
  account: number,
  platforms: readonly Platform[],
  limits: RuleLimits,
): Promise<RuleOverLimit | undefined> {
  if (platforms.length === 0) return undefined;
  await db.run('SELECT number FROM accounts WHERE number = $1 FOR UPDATE', [account]);
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

export const addToAccount = (db: Db, account: number, platform: Platform): Promise<number> =>
  db.run(
    `INSERT INTO account_rules AS a (account, platform, rules) VALUES ($1, $2, 1)
     ON CONFLICT (account, platform) DO UPDATE SET rules = a.rules + 1`,
    [account, platform],
  );

export const takeFromAccount = (db: Db, account: number, platforms: readonly Platform[]): Promise<number> =>
  db.run('UPDATE account_rules SET rules = rules - 1 WHERE account = $1 AND platform = ANY($2)', [account, platforms]);
