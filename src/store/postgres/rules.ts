/** Rules: one row for the rule, one for each of its platforms. */
import { NO_ALERTS } from '../../domain/alert.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import { encodeAlerts } from '../rows/alerts.ts';
import { keepTextsSql } from '../rows/past-texts.ts';
import { encodeFlags, holdingOf, type RuleRow, rulesOf, selectRules } from '../rows/rules.ts';
import { encodeText, textOrNull, timeOrNull } from '../rows/texts.ts';
import { hiddenOwner } from '../rows/trash.ts';
import type { NewRule, RuleAdded, RuleChange, RuleKeeping, RuleLimits, RuleStore } from '../store.ts';
import { endWatching, startWatching, watchRestored } from './alerts.ts';
import { writeChange, written } from './changes.ts';
import type { Database, Db } from './connection.ts';
import { handGaps, removeGapsOfRule } from './coverage.ts';
import { writeRuleChange } from './nodes.ts';
import { applySuggestion } from './ratings.ts';
import { addToAccount, platformsOver, platformsWith, takeFromAccount } from './rule-counts.ts';
import { RULE_LOCK } from './schema.ts';
import { deleteFeedsOf } from './shared-feeds.ts';
import { startMoving } from './trash.ts';

/** Rules read at a time. */
const SLICE = 500;

const OF_ACCOUNT = 'account = (SELECT number FROM accounts WHERE id = $1)';
const UNFINISHED = `number IN (SELECT rule FROM rule_platforms WHERE status = 'pending')`;

type RuleReads = Pick<RuleStore, 'rule' | 'rules' | 'everyRule' | 'unfinishedRules' | 'countRules' | 'countHolders'>;

export const ruleReads = (database: Database): RuleReads => ({
  async rule(accountId, ruleId) {
    const rows = await database.rows<RuleRow>(selectRules(`${OF_ACCOUNT} AND id = $2`), [accountId, ruleId]);
    return rulesOf(rows).rules[0];
  },
  rules: (accountId) =>
    slices((after) =>
      database.rows(selectRules(`${OF_ACCOUNT} AND number > $2 ORDER BY number LIMIT ${SLICE}`), [accountId, after]),
    ),
  everyRule: () => slices((after) => database.rows(selectRules(`number > $1 ORDER BY number LIMIT ${SLICE}`), [after])),
  unfinishedRules: () =>
    slices((after) =>
      database.rows(selectRules(`${UNFINISHED} AND number > $1 ORDER BY number LIMIT ${SLICE}`), [after]),
    ),
  async countRules(accountId) {
    const rows = await database.rows<{ platform: Platform; rules: number }>(
      `SELECT platform, rules FROM account_rules WHERE ${OF_ACCOUNT} AND rules > 0`,
      [accountId],
    );
    return Object.fromEntries(rows.map(({ platform, rules }) => [platform, rules]));
  },
  async countHolders(platform, value, flags) {
    const [row] = await database.rows<{ holders: number }>(
      `SELECT count(*) AS holders FROM rule_platforms p
       JOIN rules r ON r.number = p.rule JOIN accounts a ON a.number = r.account
       WHERE p.platform = $1 AND p.holding = $2 AND p.value = $3 AND p.flags = $4 AND p.status <> 'deleting'
         AND r.deleted = 0 AND r.paused = 0 AND (p.platform <> 'x' OR a.x_spent_in IS NULL)`,
      [platform, holdingOf(value, flags), encodeText(value), encodeFlags(flags)],
    );
    return row!.holders;
  },
});

type RuleWrites = Pick<RuleStore, 'addRule' | 'setRuleStatus' | 'changeRule' | 'deleteRule' | 'undoRule'>;

export const ruleWrites = (database: Database): RuleWrites => ({
  addRule: (rule, limits, note) =>
    database.transaction(async (db) => {
      const added = await addRule(db, rule, limits);
      if (added === 'added') await writeChange(db, rule.accountId, note);
      return added;
    }),
  async setRuleStatus(ruleId, platform, { status, platformRuleId, error }) {
    await database.transaction(async (db) => {
      await db.run(
        `UPDATE rule_platforms SET status = $3, platform_rule_id = coalesce($4, platform_rule_id), error = $5
         WHERE rule = (SELECT number FROM rules WHERE id = $1 AND deleted = 0) AND platform = $2`,
        [ruleId, platform, status, platformRuleId ?? null, textOrNull(error)],
      );
      await writeRuleChange(db, ruleId);
    });
  },
  changeRule: (accountId, ruleId, change, note, limits = {}) =>
    database.transaction(async (db) => {
      const rule = await owned(db, accountId, ruleId);
      if (rule === undefined) return false;
      const over = await platformsOver(db, rule.account, await newPlatforms(db, rule.number, change), limits);
      if (over !== undefined) return over;
      await changeRule(db, rule, ruleId, change, note?.at);
      return written(db, accountId, note, true);
    }),
  deleteRule: (accountId, ruleId, note, keep) =>
    database.transaction(async (db) => written(db, accountId, note, await deleteRule(db, accountId, ruleId, keep))),
  undoRule: (accountId, ruleId, note) =>
    database.transaction(async (db) => written(db, accountId, note, await undoRule(db, accountId, ruleId))),
});

/** The platforms that a change brings the rule to. */
async function newPlatforms(db: Db, rule: number, { platforms = {} }: RuleChange): Promise<Platform[]> {
  const held = await db.rows<{ platform: Platform }>('SELECT platform FROM rule_platforms WHERE rule = $1', [rule]);
  return platformsWith(platforms).filter((name) => !held.some(({ platform }) => platform === name));
}

/** Of the versions that matched something: see `keepTextsSql`. */
const KEEP_TEXTS = keepTextsSql(
  '$1',
  (end, row) => `(SELECT m.version FROM matches m WHERE m.rule = ${row}.rule AND m.platform = ${row}.platform
    ORDER BY m.position ${end === 'newest' ? 'DESC' : 'ASC'} LIMIT 1)`,
);

async function changeRule(
  db: Db,
  rule: Owned,
  ruleId: string,
  change: RuleChange,
  at: Date | undefined,
): Promise<void> {
  const { name, intent, paused, platforms, alerts } = change;
  if (platforms !== undefined) for (const statement of KEEP_TEXTS) await db.run(statement, [rule.number]);
  await db.run(
    `UPDATE rules SET name = coalesce($2, name), intent = coalesce($3, intent), paused = coalesce($4, paused),
       version = version + $5, relevance_version = relevance_version + $6, alerts = coalesce($7, alerts)
     WHERE number = $1`,
    [
      rule.number,
      textOrNull(name),
      textOrNull(intent),
      paused === undefined ? null : Number(paused),
      platforms === undefined ? 0 : 1,
      platforms === undefined && intent === undefined ? 0 : 1,
      alerts === undefined ? null : encodeAlerts(alerts),
    ],
  );
  if (platforms !== undefined) {
    const isAdded = await put(db, rule, platforms, change.at);
    await takeOff(db, rule, platforms, at);
    if (isAdded && alerts === undefined) await watchRestored(db, rule.number);
  }
  for (const platform of PLATFORMS) {
    const text = platforms?.[platform];
    if (text && at !== undefined) await applySuggestion(db, rule.number, platform, text.value, at);
  }
  if (alerts !== undefined) await startWatching(db, rule.number, alerts);
  await writeRuleChange(db, ruleId);
}

/** The matches that the rule had there stay, and are counted further when it comes back. */
async function takeOff(
  db: Db,
  rule: Owned,
  texts: NonNullable<RuleChange['platforms']>,
  at: Date | undefined,
): Promise<void> {
  const gone = PLATFORMS.filter((platform) => texts[platform] === null);
  if (gone.length === 0) return;
  const taken = await db.rows<{ platform: Platform }>(
    'DELETE FROM rule_platforms WHERE rule = $1 AND platform = ANY($2) RETURNING platform',
    [rule.number, gone],
  );
  const platforms = taken.map(({ platform }) => platform);
  await takeFromAccount(db, rule.account, platforms);
  await endWatching(db, rule.number, platforms, at);
}

async function deleteRule(db: Db, accountId: string, ruleId: string, keep?: RuleKeeping): Promise<boolean> {
  const rule = await owned(db, accountId, ruleId);
  if (rule === undefined) return false;
  await db.run('UPDATE rules SET deleted = 1, deleted_at = $2, restorable_until = $3 WHERE number = $1', [
    rule.number,
    keep?.at.getTime() ?? 0,
    keep?.until.getTime() ?? 0,
  ]);
  await db.run(
    `UPDATE account_rules SET rules = rules - 1
     WHERE account = $1 AND platform IN (SELECT platform FROM rule_platforms WHERE rule = $2)`,
    [rule.account, rule.number],
  );
  await endWatching(db, rule.number, PLATFORMS, keep?.at);
  await deleteFeedsOf(db, rule.number);
  if (keep === undefined) await removeGapsOfRule(db, accountId, ruleId);
  else await handGaps(db, ruleId, { from: accountId, to: hiddenOwner(accountId), end: keep.at });
  await startMoving(db, rule);
  await writeRuleChange(db, ruleId);
  return true;
}

async function undoRule(db: Db, accountId: string, ruleId: string): Promise<boolean> {
  const rule = await owned(db, accountId, ruleId);
  if (rule === undefined) return true;
  // The lock waits for a status that is just being written, and then sees it.
  const pending = await db.rows(
    `SELECT platform FROM rule_platforms WHERE rule = $1 AND status = 'pending' FOR UPDATE`,
    [rule.number],
  );
  return pending.length > 0 && deleteRule(db, accountId, ruleId);
}

async function* slices(next: (after: number) => Promise<RuleRow[]>): AsyncIterable<Rule[]> {
  for (let after = 0; ; ) {
    const { rules, last } = rulesOf(await next(after));
    if (last === undefined) return;
    yield rules;
    after = last;
  }
}

interface Owned {
  readonly number: number;
  readonly account: number;
}

/** Locked until the end of the transaction: a commit that is about to store a match of it waits, or is waited for. */
async function owned(db: Db, accountId: string, ruleId: string): Promise<Owned | undefined> {
  await db.run('SELECT pg_advisory_xact_lock($1)', [RULE_LOCK]);
  const [rule] = await db.rows<Owned>(
    `SELECT number, account FROM rules WHERE id = $2 AND ${OF_ACCOUNT} AND deleted = 0 FOR UPDATE`,
    [accountId, ruleId],
  );
  return rule;
}

async function addRule(db: Db, rule: NewRule, limits: RuleLimits): Promise<RuleAdded> {
  const [account] = await db.rows<{ number: number }>('SELECT number FROM accounts WHERE id = $1 FOR UPDATE', [
    rule.accountId,
  ]);
  const over = await platformsOver(db, account!.number, platformsWith(rule.platforms), limits);
  if (over !== undefined) return over;
  const [added] = await db.rows<{ number: number }>(
    `INSERT INTO rules (id, account, version, paused, deleted, created_at, name, intent, relevance_version, alerts)
     VALUES ($1, $2, 1, 0, 0, $3, $4, $5, $6, $7) RETURNING number`,
    [
      rule.id,
      account!.number,
      rule.createdAt.getTime(),
      encodeText(rule.name),
      encodeText(rule.intent),
      rule.intent === '' ? 0 : 1,
      encodeAlerts(rule.alerts ?? NO_ALERTS),
    ],
  );
  await put(db, { number: added!.number, account: account!.number }, rule.platforms);
  if (rule.alerts !== undefined) await startWatching(db, added!.number, rule.alerts);
  return 'added';
}

/** Answers whether one of the platforms is new to the rule. */
async function put(db: Db, rule: Owned, texts: NonNullable<RuleChange['platforms']>, addedAt?: Date): Promise<boolean> {
  let isAdded = false;
  for (const platform of PLATFORMS) {
    const text = texts[platform];
    if (text === undefined || text === null) continue;
    const [row] = await db.rows<{ added: boolean }>(
      `INSERT INTO rule_platforms AS p (rule, platform, holding, status, flags, value, platform_rule_id, added_at)
       VALUES ($1, $2, $3, $7, $4, $5, $6, $8)
       ON CONFLICT (rule, platform) DO UPDATE SET holding = excluded.holding, flags = excluded.flags,
         value = excluded.value, platform_rule_id = coalesce(excluded.platform_rule_id, p.platform_rule_id)
       RETURNING xmax = 0 AS added`,
      [
        rule.number,
        platform,
        holdingOf(text.value, text.flags),
        encodeFlags(text.flags),
        encodeText(text.value),
        text.platformRuleId ?? null,
        // What the platform has taken already is on it; a new rule waits for all of its platforms.
        text.platformRuleId === undefined ? 'pending' : 'active',
        timeOrNull(addedAt),
      ],
    );
    isAdded ||= row!.added;
    if (row!.added) await addToAccount(db, rule.account, platform);
  }
  return isAdded;
}
