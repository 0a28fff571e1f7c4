/**
 * The store: everything durable, behind one interface that SQLite and PostgreSQL both satisfy. It knows nothing of rule
 * languages, engines or HTTP. A promise that resolves means that the change survives a power cut. What a caller asks
 * for is always scoped by account; the few calls that are not say so.
 */
import type { Clock } from '../base/clock.ts';
import type { Account, Key, Plan } from '../domain/account.ts';
import type { Event } from '../domain/event.ts';
import type { Gap } from '../domain/gap.ts';
import type { Highlight, Match } from '../domain/match.ts';
import type { Platform } from '../domain/platform.ts';
import type { Registration } from '../domain/registration.ts';
import type { Rule, RuleFlags, RuleStatus } from '../domain/rule.ts';
import type { Usage } from '../domain/usage.ts';
import type { Attempt, Delivery, DeliveryStatus, Webhook, WebhookHealth } from '../domain/webhook.ts';

export interface Store extends AsyncDisposable {
  // Accounts and keys: the operator's business, not scoped.
  addAccount(account: Account): Promise<void>;
  /** By id or by name. */
  account(idOrName: string): Promise<Account | undefined>;
  accounts(): Promise<Account[]>;
  changeAccount(id: string, change: AccountChange): Promise<boolean>;
  addKey(key: Key, digest: Uint8Array): Promise<void>;
  /** The key with this SHA-256 digest, expired or not; undefined when unknown or revoked. */
  keyByDigest(digest: Uint8Array): Promise<Key | undefined>;
  keys(accountId: string): Promise<Key[]>;
  /** Revoked keys are gone; false when there was none. */
  revokeKey(accountId: string, keyId: string): Promise<boolean>;
  touchKey(keyId: string, at: Date): Promise<void>;

  // Passes: what stands for a key for a while, known by a digest. The operator's business, not scoped.
  addPass(pass: Pass): Promise<void>;
  /** As long as it is good, and was used lately where that matters. */
  pass(digest: string, now: Date): Promise<Pass | undefined>;
  usePass(digest: string, now: Date): Promise<void>;
  /** Whoever takes it is the only one: undefined for everybody else. */
  takePass(digest: string, now: Date): Promise<Pass | undefined>;

  // Rules.
  /** Stores the rule as it is given (pending), or answers `over-limit` when the account's premium rules are all used. */
  addRule(rule: NewRule, limits: Partial<Record<Platform, number>>): Promise<RuleAdded>;
  rule(accountId: string, ruleId: string): Promise<Rule | undefined>;
  /** Oldest first, in slices, so that a hundred thousand rules are never in memory twice. Deleted ones never show. */
  rules(accountId: string): AsyncIterable<Rule[]>;
  /** All accounts' rules in any state, for the start and for reconciliation. Not scoped. */
  everyRule(): AsyncIterable<Rule[]>;
  /** Those of them that some platform has not taken yet. */
  unfinishedRules(): AsyncIterable<Rule[]>;
  countRules(accountId: string): Promise<Partial<Record<Platform, number>>>;
  /** After an upstream answered: the new state of one rule on one platform. */
  setRuleStatus(
    ruleId: string,
    platform: Platform,
    state: { status: RuleStatus; platformRuleId?: string; error?: string },
  ): Promise<void>;
  /** Changes what is given; a change of texts also raises the version. False when the account has no such rule. */
  changeRule(accountId: string, ruleId: string, change: RuleChange): Promise<boolean>;
  /** Out of sight at once, with its matches; they leave the disk through `removeSlice`. */
  deleteRule(accountId: string, ruleId: string): Promise<boolean>;
  /** How many live rules of any account, paused ones aside, need this value on a platform: an upstream's copy goes with the last. Not scoped. */
  countHolders(platform: Platform, value: string, flags: RuleFlags): Promise<number>;

  // Registrations: what upstreams hold for us. Not scoped.
  /** The name of this instance: the first that was ever offered. */
  instance(offered: string): Promise<string>;
  registrations(platform: Platform): Promise<Registration[]>;
  /** All of it in one transaction. */
  changeRegistrations(change: RegistrationChange): Promise<void>;

  // Repeated requests.
  /** The stored answer for this account and key, or undefined; an answer is kept for a day. */
  remembered(accountId: string, idempotencyKey: string): Promise<{ bodyDigest: string; answer: unknown } | undefined>;
  /**
   * Stores the answer if there is none for this account and key, or if it is still `earlier`. Undefined when it was
   * stored; else the answer that is there. Of several claims at once, on any number of nodes, one wins.
   */
  claimAnswer(claim: AnswerClaim): Promise<{ bodyDigest: string; answer: unknown } | undefined>;
  /** A later answer takes the place of an earlier one. */
  remember(accountId: string, idempotencyKey: string, bodyDigest: string, answer: unknown): Promise<void>;

  // Matches.
  /** Events with their matches, and the stream's cursor, in one transaction. Repeats of a match are not added again. */
  commit(batch: Commit): Promise<Committed>;
  /** The cursor that was last committed under this name. */
  cursor(name: string): Promise<string | undefined>;
  /** Newest first by creation time, then id; an index seek for every combination of rule and platform. */
  matches(query: MatchQuery): Promise<MatchPage>;
  match(accountId: string, matchId: string): Promise<Match | undefined>;
  /** Matches after a position, oldest first, for streams and waiting. */
  matchesAfter(query: AfterQuery): Promise<AfterPage>;
  /** The position of the newest match of all accounts; nothing after it has been seen. */
  latest(): Promise<Position>;
  /** Positions below this may have lost matches to retention. */
  oldest(): Promise<Position>;
  /** Intervals that have matches, oldest first. Counts are kept by the minute, so times and lengths are whole minutes. */
  matchCounts(query: CountQuery): Promise<{ at: Date; count: number }[]>;
  /** Erases what the account holds of a post, on the disk too. Answers how many matches went. */
  deleteMatches(accountId: string, platform: Platform, postId: string): Promise<number>;

  // Webhooks and deliveries.
  /** False when the account has `limit` webhooks already. */
  addWebhook(webhook: Webhook, limit: number): Promise<boolean>;
  /** Oldest first. */
  webhooks(accountId: string): Promise<Webhook[]>;
  webhook(accountId: string, webhookId: string): Promise<Webhook | undefined>;
  /** Changes what is given. False when the account has no such webhook. */
  changeWebhook(accountId: string, webhookId: string, change: WebhookChange): Promise<boolean>;
  /** Out of sight at once, with its deliveries; they leave the disk through `removeSlice`. */
  deleteWebhook(accountId: string, webhookId: string): Promise<boolean>;
  /** Newest first. */
  deliveries(query: DeliveryQuery): Promise<{ deliveries: Delivery[]; next: number | undefined }>;
  delivery(accountId: string, deliveryId: string): Promise<Delivery | undefined>;
  /** Makes a delivery due again, with the same id and bytes. False when its bytes are gone, or it is. */
  redeliver(accountId: string, deliveryId: string, now: Date): Promise<boolean>;
  /** Makes every delivery of a webhook since a time due again, and owes it what was stored since and is in none. */
  redeliverSince(
    accountId: string,
    webhookId: string,
    since: Date,
    now: Date,
  ): Promise<{ deliveries: number; matches: number }>;

  // What is owed, for whoever delivers it. Not scoped.
  /** Active webhooks that are owed something: all of them, of an account, or one. */
  agenda(of: { accountId?: string; webhookId?: string }): Promise<Agenda[]>;
  /** Takes an active webhook for one holder until a time, unless another has it. Answers who has it now. */
  claimWebhook(webhookId: string, claim: { holder: string; now: Date; until: Date }): Promise<string | undefined>;
  /** Gives back what a holder has. */
  releaseWebhooks(holder: string): Promise<void>;
  /**
   * What waits for a batch, oldest first: matches stored before a time, of rules that are still there. The list ends with
   * the match that brings it to `bytes` of payload.
   */
  owedMatches(webhookId: string, until: Date, limit: number, bytes?: number): Promise<Match[]>;
  /** Makes a delivery of matches that waited. False, and nothing done, when one of them is gone or taken meanwhile. */
  freeze(batch: Batch): Promise<boolean>;
  /** The next ones due, soonest first. */
  pendingDeliveries(webhookId: string, limit: number): Promise<PendingDelivery[]>;
  /** The frozen bytes; undefined when the delivery is gone or no longer pending. */
  pendingBody(deliveryId: string): Promise<string | undefined>;
  /** An attempt with all that follows from it, in one transaction. */
  recordAttempt(record: AttemptRecord): Promise<void>;

  // Upstreams. Not scoped, but for what an account has used.
  /** The right to write for a stream: taken when it is free, renewed when it is the holder's own; else who holds it. */
  takeLease(wish: LeaseWish): Promise<Lease | { readonly heldBy: string }>;
  /** Somebody else may take it at once. */
  releaseLease(lease: Lease): Promise<void>;
  /** Newest first. */
  gaps(query: GapQuery): Promise<Gap[]>;
  /** Up to when the platform's stream was whole, gaps aside. */
  coverage(platform: Platform): Promise<Date | undefined>;
  /** Records that could not be read, newest first. */
  broken(platform: Platform, limit: number): Promise<(Broken & { readonly at: Date })[]>;
  /** What the account's rules have used in a month, as 202611. */
  usage(accountId: string, platform: Platform, month: number): Promise<Usage>;
  /** The same by rule, largest first. */
  ruleUsage(accountId: string, platform: Platform, month: number, limit: number): Promise<RuleUsage[]>;

  // Several nodes on one store. Not scoped.
  /** Whether several processes may serve from it at a time. */
  readonly isShared: boolean;
  /**
   * Hears that something was written, by whichever node, with the accounts whose matches were added; none means that
   * nothing is known of them. It is only a bell: whoever must miss nothing asks for `news` as well. Answers how to stop.
   */
  bell(hear: (accountIds: readonly string[]) => void): Promise<() => Promise<void>>;
  news(): Promise<News>;
  /** What changed of rules after a change, oldest first: nothing that is still to come is ever before what was read. */
  ruleChanges(after: number, limit: number): Promise<RuleChanged[]>;
  /** A node says that it is there, for so long, and up to which change it knows the rules. */
  reportNode(node: NodeReport, now: Date, milliseconds: number): Promise<void>;
  /** It is no longer there. */
  removeNode(id: string): Promise<void>;
  /** Those that are there. */
  nodes(now: Date): Promise<NodeReport[]>;

  // Recent events, for preview.
  /** The account's view of the ring, newest first: shared events and its own. */
  recentEvents(accountId: string, platform: Platform, limit: number): AsyncIterable<RecentEvent[]>;
  /** How full the ring is, all accounts' events together. Not scoped. */
  recentTotals(platform: Platform): Promise<{ events: number; bytes: number }>;

  /** Two equal answers mean that nothing was changed in between, by whomever: what was read then is still true. */
  version(): Promise<string>;

  // Keeping house. Each call does a small slice and says whether there is more.
  removeSlice(now: Date): Promise<{ more: boolean }>;
  backup(path: string): Promise<void>;
  /** Throws unless the database is writable and its settings are the required ones. */
  check(): Promise<void>;
}

export interface StoreOptions {
  readonly clock?: Clock;
  /** Matches older than this go. */
  readonly retentionDays?: number;
  /** The ring of recent events, for each platform. */
  readonly recent?: { readonly events?: number; readonly bytes?: number };
}

export interface Pass {
  readonly digest: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly endsAt: Date;
  readonly usedAt: Date;
}

/** What was written last, of all accounts. */
export interface News {
  readonly latest: Position;
  readonly ruleChange: number;
}

/** A rule became active or failed, was changed, or deleted. */
export interface RuleChanged {
  readonly number: number;
  readonly accountId: string;
  readonly ruleId: string;
}

export interface NodeReport {
  readonly id: string;
  readonly roles: readonly string[];
  readonly applied: number;
}

/** A place in the order of matches; opaque, comparable by the store alone. */
export type Position = number;

export interface NewRule {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly intent: string;
  readonly createdAt: Date;
  readonly platforms: Partial<Record<Platform, { value: string; flags: RuleFlags }>>;
}

export type RuleAdded = 'added' | { readonly overLimit: Platform; readonly used: number };

export interface RuleChange {
  readonly name?: string;
  readonly intent?: string;
  readonly paused?: boolean;
  /** The platforms' new texts, with the ids of the copies they hold by now; a platform not named keeps its own. */
  readonly platforms?: Partial<Record<Platform, { value: string; flags: RuleFlags; platformRuleId?: string }>>;
}

export interface AnswerClaim {
  readonly accountId: string;
  readonly idempotencyKey: string;
  readonly bodyDigest: string;
  readonly answer: unknown;
  /** The answer that was read before, which may be replaced. */
  readonly earlier?: unknown;
}

export interface RegistrationChange {
  /** New ones, and others in their new state. */
  readonly put?: readonly Registration[];
  /** Tags of those to be forgotten. */
  readonly drop?: readonly string[];
  /** What became of a text, for every rule that has it and was answered for. */
  readonly holders?: readonly {
    readonly platform: Platform;
    readonly value: string;
    readonly flags: RuleFlags;
    readonly status: 'active' | 'failed';
    readonly platformRuleId?: string;
    readonly error?: string;
  }[];
}

export interface Commit {
  readonly platform: Platform;
  readonly at: Date;
  readonly events: readonly CommitEvent[];
  readonly cursor?: Cursor;
  /** What the stream of an upstream brings beside events. Reads and verdicts are counted only with it. */
  readonly upstream?: UpstreamCommit;
}

export interface UpstreamCommit {
  /** The commit is refused (`fenced`) when somebody else has the lease by now. */
  readonly lease: Lease;
  /** The stream was whole up to then. */
  readonly completeThrough?: Date;
  /** A gap that is stored already, by its platform and start, takes the new end, cause and recovery. */
  readonly gaps: readonly Gap[];
  readonly broken: readonly Broken[];
}

/** A record that could not be read: why, and how it begins. */
export interface Broken {
  readonly reason: string;
  readonly sample: string;
}

export interface LeaseWish {
  readonly name: string;
  readonly holder: string;
  readonly now: Date;
  readonly milliseconds: number;
  /** A holder that is known to have ended: what it held is free. */
  readonly gone?: string;
}

export interface Lease {
  readonly name: string;
  /** Grows with each new holder. */
  readonly fence: number;
}

export interface GapQuery {
  readonly platform: Platform;
  /** Gaps that last beyond this time. */
  readonly since?: Date;
  /** Gaps that begin before this time. */
  readonly until?: Date;
  readonly limit: number;
}

export interface RuleUsage extends Usage {
  readonly ruleId: string;
}

/** What is null is taken away. A new budget is looked at afresh. */
export interface AccountChange {
  readonly plan?: Plan;
  readonly xRules?: number;
  readonly xBudget?: number | null;
  readonly xSpentIn?: number | null;
}

/** Where a stream resumes after these events. An upstream's cursor has the name of its platform; each source has its own. */
export interface Cursor {
  readonly name: string;
  readonly value: string;
}

export interface CommitEvent {
  readonly event: Event;
  readonly matches: readonly CommitMatch[];
  /** Rules that our engine alone found the event to satisfy; counted with the event's first match. */
  readonly engineOnly?: readonly string[];
  /** The ids of earlier versions of the same post: its matches point to theirs. */
  readonly earlier?: readonly string[];
}

export interface CommitMatch {
  readonly ruleId: string;
  readonly version: number;
  readonly highlights: readonly Highlight[];
  /** What our engine makes of the upstream's word; absent where there is nothing to compare. */
  readonly verdict?: Verdict;
}

export type Verdict = 'agreed' | 'upstream_only';

export interface Committed {
  /** How many matches were new. Those of rules that were deleted, paused or changed meanwhile are not kept. */
  readonly added: number;
  /** The same, for each event in the order given: pushes that share a commit are each told their own. */
  readonly addedByEvent: readonly number[];
  /** Events with matches that were all stored before. */
  readonly repeats: number;
  readonly latest: Position;
  /** Whose matches were added. */
  readonly accountIds: readonly string[];
}

export interface MatchQuery {
  readonly accountId: string;
  readonly ruleId?: string;
  readonly platform?: Platform;
  /** Created at or after. */
  readonly since?: Date;
  /** Created before. */
  readonly until?: Date;
  /** Case-blind substring of the payload's text. */
  readonly text?: string;
  readonly before?: Position;
  readonly limit: number;
}

export interface AfterQuery {
  readonly accountId: string;
  readonly ruleId?: string;
  readonly platform?: Platform;
  readonly after: Position;
  readonly limit: number;
  /** The page ends with the match that brings it to this many bytes of payload. */
  readonly bytes?: number;
}

export interface AfterPage {
  readonly matches: Match[];
  /** Everything up to this position was read. */
  readonly last: Position;
  /** The page ended before everything was read. */
  readonly more: boolean;
}

export interface CountQuery {
  readonly accountId: string;
  readonly ruleId?: string;
  readonly platform?: Platform;
  readonly from: Date;
  readonly to: Date;
  /** The length of an interval. */
  readonly seconds: number;
}

export interface MatchPage {
  readonly matches: Match[];
  /** Where older ones begin; undefined on the last page. */
  readonly next: Position | undefined;
  readonly latest: Position;
}

/** What is null is taken away. */
export interface WebhookChange {
  readonly url?: string;
  readonly description?: string;
  readonly ruleIds?: Webhook['ruleIds'] | null;
  readonly platforms?: Webhook['platforms'] | null;
  readonly format?: Webhook['format'];
  readonly every?: number | null;
  /** Made active, a webhook starts with a clean record. */
  readonly status?: 'active' | 'paused';
  readonly secrets?: Webhook['secrets'];
}

export interface DeliveryQuery {
  readonly accountId: string;
  readonly webhookId?: string;
  readonly status?: DeliveryStatus;
  readonly before?: number;
  readonly limit: number;
}

export interface Agenda {
  readonly webhook: Webhook;
  /** When the oldest match that waits for a batch was stored. */
  readonly owedSince: Date | undefined;
  /** How many wait, counted up to a full batch. */
  readonly owed: number;
  /** Deliveries under way, counted up to a thousand. */
  readonly pending: number;
  readonly nextAt: Date | undefined;
}

export interface Batch {
  readonly id: string;
  readonly webhookId: string;
  readonly positions: readonly Position[];
  readonly body: string;
  readonly at: Date;
}

export interface PendingDelivery {
  readonly id: string;
  readonly nextAt: Date;
  /** Attempts made since it was created or asked for again. */
  readonly made: number;
}

export interface AttemptRecord {
  readonly deliveryId: string;
  readonly attempt: Attempt;
  readonly outcome:
    | { readonly status: 'delivered' }
    | { readonly status: 'pending'; readonly nextAt: Date }
    | { readonly status: 'failed'; readonly reason: string };
  readonly health: WebhookHealth;
  /** The webhook works again: what waits for its next attempt need not wait. */
  readonly recovered: boolean;
  /** Why the webhook is disabled from now on. */
  readonly disable: string | undefined;
}

export interface RecentEvent {
  readonly event: Event;
  readonly at: Date;
}
