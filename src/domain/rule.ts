import type { Alert } from './alert.ts';
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
