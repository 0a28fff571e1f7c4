/** Alerts, and the watches behind them: what is kept of each rule and platform that is watched. */
import type { Alert } from '../../domain/alert.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import type { Lease } from './upstreams.ts';
import type { NoticeDelivery } from './webhooks.ts';

export interface AlertStore {
  /** Of an account, newest first. */
  alerts(query: AlertQuery): Promise<{ alerts: Alert[]; next: number | undefined }>;
  alert(accountId: string, alertId: string): Promise<Alert | undefined>;
  /** The rules of an account with an alert that lasts, once for each, up to a number. */
  alertingRules(accountId: string, limit: number): Promise<string[]>;
}

/** For the one process that watches. Not scoped by account. */
export interface WatchStore {
  /** How many watches there are, up to a number, and when the first of them is due. */
  watchAgenda(most: number): Promise<{ readonly watches: number; readonly firstDue: Date | undefined }>;
  /** Walks the rules that had matches in a minute, a slice at a time, and answers which of them are watched. */
  watchedIn(minute: number, after: RulePlace | undefined, limit: number): Promise<WatchedSlice>;
  /** These watches, with their matches of the last 10 and 60 minutes up to a minute, but without their past. */
  watchesOf(places: readonly RulePlace[], minute: number): Promise<RuleWatch[]>;
  /** Those that are due, the first due first, with their past. */
  dueWatches(now: Date, minute: number, limit: number): Promise<RuleWatch[]>;
  /** Matches by the minute, from a minute on and before another. */
  minutesOf(places: readonly RulePlace[], from: number, to: number): Promise<MinuteOfRule[]>;
  /**
   * Stores what looks found: watches, alerts and deliveries, all or nothing. A watch whose rule was changed or deleted since
   * it was read is left out with its alert. Answers the ids of the alerts that were stored. Throws `fenced` when another
   * process has the lease.
   */
  keepWatches(lease: Lease, changes: readonly WatchChange[]): Promise<string[]>;
}

export interface AlertQuery {
  readonly accountId: string;
  /** Only alerts of these rules. */
  readonly ruleIds?: readonly string[];
  /** Alerts older than this one. */
  readonly before?: number;
  readonly limit: number;
}

/** A rule, by its number in the store, on a platform. */
export interface RulePlace {
  readonly rule: number;
  readonly platform: Platform;
}

export interface WatchedSlice {
  readonly watched: readonly RulePlace[];
  /** Where to go on; undefined when all were seen. */
  readonly last: RulePlace | undefined;
}

export interface RuleWatch extends RulePlace {
  readonly ruleId: string;
  readonly ruleName: string;
  readonly accountId: string;
  readonly createdAt: Date;
  /** Neither paused nor refused by its platform. */
  readonly isRunning: boolean;
  readonly alerts: Rule['alerts'];
  /** The version of the rule now, and the one that the past is of. */
  readonly version: number;
  readonly pastVersion: number;
  /** Texts that only the one who watches reads: for the looks of this hour, and for the next hours. */
  readonly now: string | undefined;
  readonly past: string | undefined;
  readonly ten: number;
  readonly sixty: number;
}

export interface MinuteOfRule extends RulePlace {
  readonly minute: number;
  readonly matches: number;
}

export interface WatchChange {
  /** As it was read. */
  readonly watch: Pick<RuleWatch, 'rule' | 'platform' | 'ruleId' | 'accountId' | 'version' | 'alerts'>;
  /** Undefined: the rule is no longer watched. */
  readonly next: { readonly dueAt: Date; readonly now: string; readonly past?: string } | undefined;
  readonly alerts: readonly AlertChange[];
  readonly deliveries: readonly NoticeDelivery[];
}

/** A new alert, or an alert that is stored and has another end or rate by now. */
export interface AlertChange extends Pick<Alert, 'id' | 'from' | 'to' | 'rate' | 'usualRate'> {
  readonly kind: Alert['kind'];
}
