import type { Platform } from './platform.ts';
import type { Agreement } from './usage.ts';

/** What a user named, with one text per platform. */
export interface Rule {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly intent: string;
  /** Grows by one with each change of a text; a match says which it came from. */
  readonly version: number;
  readonly paused: boolean;
  readonly createdAt: Date;
  readonly platforms: Partial<Record<Platform, PlatformRule>>;
}

export interface PlatformRule {
  /** The text as registered: what the caller wrote, trimmed. */
  readonly value: string;
  readonly flags: RuleFlags;
  readonly status: RuleStatus;
  /** Why it failed, when it did. */
  readonly error: string | undefined;
  /** The upstream's own id; undefined until it is active for the first time. */
  readonly platformRuleId: string | undefined;
  /** All that were ever stored, whether retention has taken them since or not. */
  readonly matchCount: number;
  readonly lastMatchAt: Date | undefined;
  /** Undefined where no upstream has said anything of it. */
  readonly agreement?: Agreement | undefined;
}

/** Firehose's own flags; what is left out is left to the platform's default. */
export interface RuleFlags {
  readonly quality?: boolean;
  readonly nsfw?: boolean;
}

/** pending → active → deleting → gone; failed when an upstream drops or refuses it later. */
export const RULE_STATUSES = ['pending', 'active', 'deleting', 'failed'] as const;
export type RuleStatus = (typeof RULE_STATUSES)[number];
