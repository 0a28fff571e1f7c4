/** The texts that rules are matched by, and nothing else of the rules: what a snapshot of all of them is made of. */
import type { Platform } from '../../domain/platform.ts';
import type { RuleFlags, RuleStatus } from '../../domain/rule.ts';
import type { Db } from '../db.ts';
import { parseColumn } from '../rows/texts.ts';
import { SETTLED } from '../rows/unsettled.ts';

export interface RuleTextReads {
  /** The texts in one of these states, in slices, those of paused rules aside. Not scoped. */
  everyText(statuses: readonly RuleStatus[]): AsyncIterable<PlatformText[]>;
  /** Whether there are so many rules. Not scoped. */
  hasRules(count: number): Promise<boolean>;
}

/** The text of a rule on one platform. */
export interface PlatformText {
  readonly ruleId: string;
  readonly accountId: string;
  readonly version: number;
  readonly platform: Platform;
  readonly value: string;
  readonly flags: RuleFlags;
}

interface TextRow {
  readonly rule: number;
  readonly platform: Platform;
  readonly id: string;
  readonly account: number;
  readonly version: number;
  readonly value: string;
  readonly flags: string;
}

const SLICE = 500;

/** With the number of the rule, too: PostgreSQL would otherwise merge from the first rule on. */
const NEXT = `SELECT p.rule, p.platform, r.id, r.account, r.version, p.value, p.flags
  FROM rule_platforms p JOIN rules r ON r.number = p.rule
  WHERE (p.rule, p.platform) > ($1, $2) AND r.number >= $1 AND p.status = ANY($3) AND r.deleted = 0 AND r.paused = 0
  ORDER BY p.rule, p.platform LIMIT ${SLICE}`;

export const ruleTextReads = (db: Db): RuleTextReads => ({
  async *everyText(statuses) {
    /** Accounts are few beside rules: each is looked up once. */
    const accounts = new Map<number, string>();
    let last: Pick<TextRow, 'rule' | 'platform'> | undefined;
    do {
      const rows: TextRow[] = await db.rows(NEXT, [last?.rule ?? 0, last?.platform ?? '', statuses]);
      for (const { account } of rows) if (!accounts.has(account)) accounts.set(account, await accountOf(db, account));
      yield rows.map((row) => textOf(row, accounts.get(row.account)!));
      last = rows.at(-1);
    } while (last !== undefined);
  },
  async hasRules(count) {
    const row = await db.row<{ found: number }>(
      'SELECT count(*) AS found FROM (SELECT number FROM rules WHERE deleted = 0 AND number > 0 ORDER BY number LIMIT $1) r',
      [count],
    );
    return row!.found >= count;
  },
});

const accountOf = async (db: Db, number: number): Promise<string> =>
  (await db.row<{ id: string }>('SELECT id FROM accounts WHERE number = $1', [number]))!.id;

const NO_FLAGS: RuleFlags = {};

/** A text is parsed and not cut out of the column: a string of its own is read faster than a part of another. */
const textOf = (row: TextRow, accountId: string): PlatformText => ({
  ruleId: row.id,
  accountId,
  version: row.version,
  platform: row.platform,
  value: parseColumn<string>(row.value),
  flags: row.flags === '{}' ? NO_FLAGS : parseColumn<RuleFlags>(row.flags),
});

/**
 * The texts that a rule had before it was changed, for the highlights of what they matched. One is kept only if its version
 * matched something, and goes when the last of those matches has gone and the rule changes again. So there are never more of
 * them than matches, however often a rule changes.
 */

/** The version of the newest or the oldest match that the rule of a row has on the platform of the row. Versions grow with positions. */
type VersionAt = (end: 'newest' | 'oldest', row: string) => string;

const orderOf = (end: 'newest' | 'oldest'): string =>
  `ORDER BY m.position ${end === 'newest' ? 'DESC' : 'ASC'} LIMIT 1`;

const VERSION_AT: Record<Db['dialect'], VersionAt> = {
  sqlite: (end, row) => {
    const settled = `(SELECT v.version FROM rule_matches m CROSS JOIN matches v ON v.position = m.position
      WHERE m.rule = ${row}.rule AND m.platform = ${row}.platform ${orderOf(end)})`;
    const unsettled = `(SELECT m.version FROM matches m NOT INDEXED
      WHERE m.rule = ${row}.rule AND m.platform = ${row}.platform AND m.position > ${SETTLED} ${orderOf(end)})`;
    return `coalesce(${end === 'newest' ? `${unsettled}, ${settled}` : `${settled}, ${unsettled}`})`;
  },
  postgres: (end, row) => `(SELECT m.version FROM matches m
    WHERE m.rule = ${row}.rule AND m.platform = ${row}.platform ${orderOf(end)})`,
};

/** Before a rule's texts change. */
export async function keepTexts(db: Db, rule: number): Promise<void> {
  const versionAt = VERSION_AT[db.dialect];
  await db.run(
    `DELETE FROM past_texts WHERE rule = $1 AND version < coalesce(${versionAt('oldest', 'past_texts')}, version + 1)`,
    [rule],
  );
  await db.run(
    `INSERT INTO past_texts (rule, platform, version, flags, value)
     SELECT p.rule, p.platform, r.version, p.flags, p.value FROM rule_platforms p JOIN rules r ON r.number = p.rule
     WHERE p.rule = $1 AND ${versionAt('newest', 'p')} = r.version`,
    [rule],
  );
}
