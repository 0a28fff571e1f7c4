/**
 * Rules, and the answers kept for repeated requests to create one. A `note` goes into the audit log with the change, in one
 * transaction.
 */
import type { Change } from '../../domain/change.ts';
import type { Gap } from '../../domain/gap.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Rule, RuleFlags, RuleStatus } from '../../domain/rule.ts';

export interface RuleStore {
  /** Stores the rule in state `pending`, or answers `overLimit` when all of the account's premium rules are in use. */
  addRule(rule: NewRule, limits: RuleLimits, note?: Change): Promise<RuleAdded>;
  rule(accountId: string, ruleId: string): Promise<Rule | undefined>;
  /** Oldest first, in slices, so that a hundred thousand rules are never in memory twice. Deleted ones never show. */
  rules(accountId: string): AsyncIterable<Rule[]>;
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
  /** A deleted rule that can be restored. */
  deletedRule(accountId: string, ruleId: string, now: Date): Promise<DeletedRule | undefined>;
  /** All of them, the one that was deleted last first, in slices. */
  deletedRules(accountId: string, now: Date): AsyncIterable<DeletedRule[]>;
  /** Undefined when there is no such rule, or its time has ended. `moveMatches` then brings its matches back into lists. */
  restoreRule(
    accountId: string,
    ruleId: string,
    restoring: RuleRestoring,
    note?: Change,
  ): Promise<'restored' | RuleOverLimit | undefined>;
  /**
   * Brings a slice of the matches of a rule that was deleted or restored out of the lists and charts of its account, or
   * back. False when all of them are where they belong; `removeSlice` goes on with what is left. Not scoped.
   */
  moveMatches(ruleId: string): Promise<boolean>;
  /** Deletes the rule if some platform has not taken it yet. False when all have: a complete rule stays. */
  undoRule(accountId: string, ruleId: string, note?: Change): Promise<boolean>;
  /** How many live rules of any account, paused ones aside, need this value on a platform: an upstream's copy goes with the last. Not scoped. */
  countHolders(platform: Platform, value: string, flags: RuleFlags): Promise<number>;
}

export interface AnswerStore {
  /** The stored answer for this account and key, or undefined; an answer is kept for a day. */
  remembered(accountId: string, idempotencyKey: string): Promise<RememberedAnswer | undefined>;
  /** A later answer takes the place of an earlier one. */
  remember(accountId: string, idempotencyKey: string, bodyDigest: string, answer: unknown): Promise<void>;
  /**
   * Stores the answer unless the account has one under this key. Of any number of callers, on any number of nodes, one is
   * answered `claimed`; the others get the answer that is stored. With `instead`, the stored answer is replaced if it is
   * still that one. `full`: the account has used all of its keys for the day.
   */
  claimAnswer(claim: AnswerClaim): Promise<'claimed' | 'full' | RememberedAnswer>;
}

export interface RememberedAnswer {
  readonly bodyDigest: string;
  readonly answer: unknown;
}

export interface AnswerClaim extends RememberedAnswer {
  readonly accountId: string;
  readonly idempotencyKey: string;
  readonly instead?: unknown;
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

/** How many rules an account may have on a platform. */
export type RuleLimits = Readonly<Partial<Record<Platform, number>>>;

export interface RuleOverLimit {
  readonly overLimit: Platform;
  readonly used: number;
}

/** How long a deleted rule is kept. */
export interface RuleKeeping {
  readonly at: Date;
  readonly until: Date;
}

export interface DeletedRule extends Rule {
  readonly deletedAt: Date;
  readonly restorableUntil: Date;
}

export interface RuleRestoring {
  readonly now: Date;
  readonly limits: RuleLimits;
  /** The copies that the platforms hold by now. A platform that is left out holds none: the rule is paused. */
  readonly ids: Readonly<Partial<Record<Platform, string>>>;
  /** The time in which the rule was not watched. */
  readonly gaps: readonly Gap[];
}

export type RuleAdded = 'added' | RuleOverLimit;

/** What a platform holds of a rule, with the id of its copy there once it has one. */
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
