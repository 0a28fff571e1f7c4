import type { Platform } from './platform.ts';

/** A named rule with one text per platform. */
export interface Rule {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly intent: string;
  /** Grows by one with each change of a text. A match names the version that matched. */
  readonly version: number;
  readonly paused: boolean;
  readonly createdAt: Date;
  /** The kinds of alert that it is watched for. */
  readonly alerts: Readonly<Record<Alert['kind'], boolean>>;
  readonly platforms: Partial<Record<Platform, PlatformRule>>;
}

export interface PlatformRule {
  /** The registered text: the caller's text, trimmed. */
  readonly value: string;
  readonly flags: RuleFlags;
  readonly status: RuleStatus;
  /** Why it failed, if it did. */
  readonly error: string | undefined;
  /** The upstream's id; undefined until it is active for the first time. */
  readonly platformRuleId: string | undefined;
  /** All matches ever stored, including those that retention has deleted. */
  readonly matchCount: number;
  readonly lastMatchAt: Date | undefined;
  /** Since when the rule has this text on this platform, if that was after its creation. */
  readonly addedAt?: Date;
  /** It is undefined if no upstream has evaluated the rule. */
  readonly agreement?: Agreement | undefined;
}

/** Firehose's flags; its default applies to one that is left out. And on every platform the sources that a rule is limited to. */
export interface RuleFlags {
  readonly quality?: boolean;
  readonly nsfw?: boolean;
  /** Ids of sources of the account, and names of the operator's. Left out: events of all sources. */
  readonly sources?: readonly string[];
}

/** pending → active → deleting → gone; missing while an upstream no longer holds it, failed if it refuses it later. */
export const RULE_STATUSES = ['pending', 'active', 'missing', 'deleting', 'failed'] as const;
export type RuleStatus = (typeof RULE_STATUSES)[number];

/** The deliveries of an upstream for a rule or an account in a month. */
export interface Usage {
  /** Posts or pages, each counted once. The upstream charges for these. */
  readonly reads: number;
  readonly matches: number;
}

/** How often the upstream and our engine agreed on a rule. The upstream gives no verdict on a single packed rule. */
interface Agreement {
  readonly agreed: number;
  readonly upstreamOnly: number;
  readonly engineOnly: number;
}

export const ALERT_KINDS = ['surge', 'silence'] as const;

/** A rule is watched for nothing unless that is asked for. */
export const NO_ALERTS: Readonly<Record<Alert['kind'], boolean>> = { surge: false, silence: false };

/** One episode in which a rule did what is unusual for it. */
export interface Alert {
  readonly id: string;
  readonly accountId: string;
  readonly ruleId: string;
  readonly ruleName: string;
  readonly platform: Platform;
  readonly kind: (typeof ALERT_KINDS)[number];
  readonly from: Date;
  /** It is undefined while the alert lasts. */
  readonly to: Date | undefined;
  /** Matches an hour: the highest of a surge, 0 of a silence. */
  readonly rate: number;
  /** Matches an hour that were usual then. */
  readonly usualRate: number;
}

/**
 * The copy of one or several rule texts that an upstream holds. It is stored before the request to the upstream, so that a
 * lost answer leaves neither a duplicate nor an orphan.
 */
export interface Registration {
  /** Identifies it among all registrations at the upstream. */
  readonly tag: string;
  readonly platform: Platform;
  /** The text that the upstream gets. */
  readonly value: string;
  readonly flags: RuleFlags;
  /** The texts of its rules, all with these flags: one text, or the parts of a pack. */
  readonly texts: readonly string[];
  /** The upstream's id, once it is known. */
  readonly platformRuleId: string | undefined;
  readonly state: RegistrationState;
  /** Since when it is in this state. */
  readonly since: Date;
}

/**
 * wanted (requested, and not known to be held) → held → leaving (to be removed) → gone. A gone registration is kept for a
 * while, because the upstream may still deliver events for it.
 */
export type RegistrationState = 'wanted' | 'held' | 'leaving' | 'gone';

/** A rule that is tried on history, as a job. What was asked for is a text that the service reads. */
export interface Rehearsal {
  readonly id: string;
  readonly accountId: string;
  readonly status: RehearsalStatus;
  readonly createdAt: Date;
  readonly endedAt: Date | undefined;
  readonly request: string;
  /** How many events were read. */
  readonly events: number;
  /** How much of the history was read, from 0 to 1; undefined when its size is not known. */
  readonly progress: number | undefined;
  /** Why it failed. */
  readonly error: string | undefined;
}

/** One that waits has not begun. One that runs takes turns with those of other accounts. */
export type RehearsalStatus = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';
