/**
 * Rules: how they are read, come, change and go. A deleted rule is out of sight at once, and removal takes it off the disk. A
 * `note` goes into the audit log with the change, in one transaction.
 */
import type { Change } from '../../domain/change.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { NO_ALERTS, type Rule, type RuleFlags, type RuleStatus } from '../../domain/rule.ts';
import type { Db } from '../db.ts';
import { lockAccount, lockRules } from '../rows/locks.ts';
import {
  countRule,
  encodeAlerts,
  encodeFlags,
  firstOver,
  heldBy,
  holdingOf,
  platformsIn,
  type RuleLimits,
  type RuleOverLimit,
  type RuleRow,
  rulesOf,
  selectRules,
} from '../rows/rule-rows.ts';
import { encodeText, textOrNull } from '../rows/texts.ts';
import { endWatching, watchAgain, watchRule } from './alerts.ts';
import { noteChange, noted } from './changes.ts';
import { dropGapsOfRule, moveGapsOfRule } from './coverage.ts';
import { forgetOtherIntent } from './judging/judgements.ts';
import { noteRuleChange } from './nodes.ts';
import { markApplied } from './ratings.ts';
import { keepTexts, type RuleTextReads, ruleTextReads } from './rule-texts.ts';
import { dropSharedFeeds } from './shared-feeds.ts';
import { beginToMove, hiddenOwner } from './trash.ts';

export interface RuleStore {
  /** Stores the rule in state `pending`, or answers `overLimit` when all of the account's premium rules are in use. */
  addRule(rule: NewRule, limits: RuleLimits, note?: Change): Promise<RuleAdded>;
  rule(accountId: string, ruleId: string): Promise<Rule | undefined>;
  /**
   * Oldest first, in slices, so that a hundred thousand rules are never in memory twice. Deleted ones never show. After a rule
   * that is named, also a deleted one; none after one that is not there.
   */
  rules(accountId: string, afterId?: string): AsyncIterable<Rule[]>;
  /** The named rules that are there, oldest first. Not scoped. */
  rulesNamed(ruleIds: readonly string[]): Promise<Rule[]>;
  /** All accounts' rules in any state, for the start and for reconciliation. Not scoped. */
  everyRule(): AsyncIterable<Rule[]>;
  /** The rules that some platform has not taken yet. Not scoped. */
  unfinishedRules(): AsyncIterable<Rule[]>;
  countRules(accountId: string): Promise<Partial<Record<Platform, number>>>;
  /** After an upstream answered: the new state of one rule on one platform. */
  setRuleStatus(
    ruleId: string,
    platform: Platform,
    state: { status: RuleStatus; platformRuleId?: string; error?: string },
  ): Promise<void>;
  /**
   * Changes the given fields; a change of texts or platforms also raises the version. False when the account has no such
   * rule; `overLimit`, and nothing done, when it has no room for it on a platform that is new to the rule.
   */
  changeRule(
    accountId: string,
    ruleId: string,
    change: RuleChange,
    note?: Change,
    limits?: RuleLimits,
  ): Promise<boolean | RuleOverLimit>;
  /**
   * Out of sight at once, with its matches. Without `keep` they leave the disk through `removeSlice`; with it only when it
   * has ended, and `restoreRule` takes the rule back before.
   */
  deleteRule(accountId: string, ruleId: string, note?: Change, keep?: RuleKeeping): Promise<boolean>;
  /** Deletes the rule if some platform has not taken it yet. False when all have: a complete rule stays. */
  undoRule(accountId: string, ruleId: string, note?: Change): Promise<boolean>;
  /** How many live rules of any account, paused ones aside, need this value on a platform: an upstream's copy goes with the last. Not scoped. */
  countHolders(platform: Platform, value: string, flags: RuleFlags): Promise<number>;
}

export interface NewRule {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly intent: string;
  readonly createdAt: Date;
  /** Nothing when it is left out. */
  readonly alerts?: Rule['alerts'];
  readonly platforms: Partial<Record<Platform, { value: string; flags: RuleFlags }>>;
}

/** How long a deleted rule is kept. */
export interface RuleKeeping {
  readonly at: Date;
  readonly until: Date;
}

export type RuleAdded = 'added' | RuleOverLimit;

/** The text that a platform holds of a rule, with the id of its copy there once it has one. */
export interface PlacedText {
  readonly value: string;
  readonly flags: RuleFlags;
  readonly platformRuleId?: string;
}

export interface RuleChange {
  readonly name?: string;
  readonly intent?: string;
  readonly paused?: boolean;
  readonly alerts?: Rule['alerts'];
  /** The platforms' new texts, with the ids of the copies they hold by now; null takes the rule off a platform. */
  readonly platforms?: Readonly<Partial<Record<Platform, PlacedText | null>>>;
  /** When the rule came to the platforms that are new to it. */
  readonly at?: Date;
}

/** Rules read at a time: one or two milliseconds of work. */
const SLICE = 250;

const OF_ACCOUNT = 'account = (SELECT number FROM accounts WHERE id = $1)';
const UNFINISHED = `number IN (SELECT rule FROM rule_platforms WHERE status = 'pending')`;

type RuleReads = Pick<
  RuleStore,
  'rule' | 'rules' | 'rulesNamed' | 'everyRule' | 'unfinishedRules' | 'countRules' | 'countHolders'
>;

export function ruleReads(db: Db): RuleReads & RuleTextReads {
  const select = (which: string): string => selectRules(db.dialect, which);
  const next = (number: string): string => `number > ${number} ORDER BY number LIMIT ${SLICE}`;
  return {
    ...ruleTextReads(db),
    rule: async (accountId, ruleId) =>
      rulesOf(await db.rows<RuleRow>(select(`${OF_ACCOUNT} AND id = $2`), [accountId, ruleId])).rules[0],
    async *rules(accountId, afterId = '') {
      const named =
        afterId === ''
          ? { number: 0 }
          : await db.row<{ number: number }>('SELECT number FROM rules WHERE id = $1', [afterId]);
      const read = (after: number) => db.rows<RuleRow>(select(`${OF_ACCOUNT} AND ${next('$2')}`), [accountId, after]);
      if (named !== undefined) yield* slices(read, named.number);
    },
    rulesNamed: async (ruleIds) => rulesOf(await db.rows<RuleRow>(select('id = ANY($1)'), [ruleIds])).rules,
    everyRule: () => slices((after) => db.rows(select(next('$1')), [after])),
    unfinishedRules: () => slices((after) => db.rows(select(`${UNFINISHED} AND ${next('$1')}`), [after])),
    async countRules(accountId) {
      const rows = await db.rows<{ platform: Platform; rules: number }>(
        `SELECT platform, rules FROM account_rules WHERE ${OF_ACCOUNT} AND rules > 0`,
        [accountId],
      );
      return Object.fromEntries(rows.map(({ platform, rules }) => [platform, rules]));
    },
    async countHolders(platform, value, flags) {
      const row = await db.row<{ holders: number }>(
        `SELECT count(*) AS holders FROM rule_platforms p
         JOIN rules r ON r.number = p.rule JOIN accounts a ON a.number = r.account
         WHERE p.platform = $1 AND p.holding = $2 AND p.value = $3 AND p.flags = $4 AND p.status <> 'deleting'
           AND r.deleted = 0 AND r.paused = 0 AND (p.platform <> 'x' OR a.x_spent_in IS NULL)
           AND a.suspended_at IS NULL`,
        [platform, holdingOf(value, flags), encodeText(value), encodeFlags(flags)],
      );
      return row!.holders;
    },
  };
}

async function* slices(next: (after: number) => Promise<RuleRow[]>, first = 0): AsyncIterable<Rule[]> {
  for (let after = first; ; ) {
    const { rules, last } = rulesOf(await next(after));
    if (last === undefined) return;
    yield rules;
    after = last;
  }
}

export const ruleWrites = (db: Db): Omit<RuleStore, keyof RuleReads> => ({
  addRule: (rule, limits, note) =>
    db.transaction(async (tx) => {
      const added = await addRule(tx, rule, limits);
      if (added === 'added') await noteChange(tx, rule.accountId, note);
      return added;
    }),
  setRuleStatus: (ruleId, platform, { status, platformRuleId, error }) =>
    db.transaction(async (tx) => {
      await tx.run(
        `UPDATE rule_platforms SET status = $3, platform_rule_id = coalesce($4, platform_rule_id), error = $5
         WHERE rule = (SELECT number FROM rules WHERE id = $1 AND deleted = 0) AND platform = $2`,
        [ruleId, platform, status, platformRuleId ?? null, textOrNull(error)],
      );
      await noteRuleChange(tx, ruleId);
    }),
  changeRule: (accountId, ruleId, change, note, limits = {}) =>
    db.transaction(async (tx) => {
      const rule = await owned(tx, accountId, ruleId);
      if (rule === undefined) return false;
      const held = await heldBy(tx, rule.number);
      const added = platformsIn(change.platforms ?? {}).filter((platform) => !held.includes(platform));
      const over = await firstOver(tx, rule.account, added, limits);
      if (over !== undefined) return over;
      await changeRule(tx, rule, ruleId, change, note?.at);
      return noted(tx, accountId, note, true);
    }),
  deleteRule: (accountId, ruleId, note, keep) =>
    db.transaction(async (tx) => noted(tx, accountId, note, await deleteRule(tx, accountId, ruleId, keep))),
  undoRule: (accountId, ruleId, note) =>
    db.transaction(async (tx) => noted(tx, accountId, note, await undoRule(tx, accountId, ruleId))),
});

interface Owned {
  readonly number: number;
  readonly account: number;
}

/** Locked until the end of the transaction: a commit that is about to store a match of it waits, or is waited for. */
async function owned(db: Db, accountId: string, ruleId: string): Promise<Owned | undefined> {
  await lockRules(db);
  return db.row<Owned>(`SELECT number, account FROM rules WHERE id = $2 AND ${OF_ACCOUNT} AND deleted = 0 FOR UPDATE`, [
    accountId,
    ruleId,
  ]);
}

async function addRule(db: Db, rule: NewRule, limits: RuleLimits): Promise<RuleAdded> {
  const account = (await lockAccount(db, rule.accountId))!;
  const over = await firstOver(db, account, platformsIn(rule.platforms), limits);
  if (over !== undefined) return over;
  const added = await db.row<{ number: number }>(
    `INSERT INTO rules (id, account, version, paused, deleted, created_at, name, intent, relevance_version, alerts)
     VALUES ($1, $2, 1, 0, 0, $3, $4, $5, $6, $7) RETURNING number`,
    [
      rule.id,
      account,
      rule.createdAt,
      encodeText(rule.name),
      encodeText(rule.intent),
      rule.intent === '' ? 0 : 1,
      encodeAlerts(rule.alerts ?? NO_ALERTS),
    ],
  );
  const { number } = added!;
  await putTexts(db, { number, account }, rule.platforms);
  if (rule.alerts !== undefined) await watchRule(db, number, rule.alerts);
  return 'added';
}

async function changeRule(
  db: Db,
  rule: Owned,
  ruleId: string,
  change: RuleChange,
  at: Date | undefined,
): Promise<void> {
  const { name, intent, paused, platforms, alerts } = change;
  if (platforms !== undefined) await keepTexts(db, rule.number);
  if (intent !== undefined) await forgetOtherIntent(db, rule.number, intent);
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
    const isAdded = await putTexts(db, rule, platforms, change.at);
    await takeOff(db, rule, platforms, at);
    if (isAdded && alerts === undefined) await watchAgain(db, rule.number);
  }
  for (const platform of PLATFORMS) {
    const text = platforms?.[platform];
    if (text && at !== undefined) await markApplied(db, rule.number, platform, text.value, at);
  }
  if (alerts !== undefined) await watchRule(db, rule.number, alerts);
  await noteRuleChange(db, ruleId);
}

/** Answers whether one of the platforms is new to the rule. */
async function putTexts(
  db: Db,
  rule: Owned,
  texts: NonNullable<RuleChange['platforms']>,
  addedAt?: Date,
): Promise<boolean> {
  const held = await heldBy(db, rule.number);
  for (const platform of PLATFORMS) {
    const text = texts[platform];
    if (text === undefined || text === null) continue;
    await db.run(
      `INSERT INTO rule_platforms AS p (rule, platform, holding, status, flags, value, platform_rule_id, added_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (rule, platform) DO UPDATE SET holding = excluded.holding, flags = excluded.flags,
         value = excluded.value, platform_rule_id = coalesce(excluded.platform_rule_id, p.platform_rule_id),
         added_at = coalesce(excluded.added_at, p.added_at)`,
      [
        rule.number,
        platform,
        holdingOf(text.value, text.flags),
        // A text that the platform has accepted already is active; a new rule waits for all of its platforms.
        text.platformRuleId === undefined ? 'pending' : 'active',
        encodeFlags(text.flags),
        encodeText(text.value),
        text.platformRuleId ?? null,
        addedAt ?? null,
      ],
    );
    if (!held.includes(platform)) await countRule(db, rule.account, platform, 1);
  }
  return platformsIn(texts).some((platform) => !held.includes(platform));
}

/** The matches that the rule had there stay, and are counted further when it comes back. */
async function takeOff(
  db: Db,
  rule: Owned,
  texts: NonNullable<RuleChange['platforms']>,
  at: Date | undefined,
): Promise<void> {
  const taken = await db.rows<{ platform: Platform }>(
    'DELETE FROM rule_platforms WHERE rule = $1 AND platform = ANY($2) RETURNING platform',
    [rule.number, PLATFORMS.filter((platform) => texts[platform] === null)],
  );
  for (const { platform } of taken) await countRule(db, rule.account, platform, -1);
  await endWatching(
    db,
    rule.number,
    taken.map(({ platform }) => platform),
    at,
  );
}

async function deleteRule(db: Db, accountId: string, ruleId: string, keep?: RuleKeeping): Promise<boolean> {
  const rule = await owned(db, accountId, ruleId);
  if (rule === undefined) return false;
  await db.run('UPDATE rules SET deleted = 1, deleted_at = $2, restorable_until = $3 WHERE number = $1', [
    rule.number,
    keep?.at.getTime() ?? 0,
    keep?.until.getTime() ?? 0,
  ]);
  for (const platform of await heldBy(db, rule.number)) await countRule(db, rule.account, platform, -1);
  await endWatching(db, rule.number, PLATFORMS, keep?.at);
  if (keep === undefined) {
    await dropSharedFeeds(db, rule.number);
    await dropGapsOfRule(db, accountId, ruleId);
  } else await moveGapsOfRule(db, ruleId, { from: accountId, to: hiddenOwner(accountId), end: keep.at });
  await beginToMove(db, rule);
  await noteRuleChange(db, ruleId);
  return true;
}

/** A rule that is already gone is undone, too. */
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
