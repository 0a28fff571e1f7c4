import type { Platform } from './platform.ts';

/** A span of time in which events may be missing. */
export interface Gap {
  readonly platform: Platform;
  readonly from: Date;
  /** It is undefined while the gap lasts. */
  readonly to: Date | undefined;
  readonly cause: string;
  /** Whether the missed events have been fetched since. */
  readonly recovered: boolean;
  /** The account whose rules missed events; every account when it is left out. */
  readonly accountId?: string;
  /** The one rule of the account that missed events. */
  readonly ruleId?: string;
  /** The source whose events are missing. */
  readonly source?: string;
}

/**
 * The feeds that bring events to a platform, or vouch for them: the stream of an upstream, an open source, pushes, the
 * demo; `audit` is the comparison of what an upstream holds with what it should hold.
 */
const FEED_KINDS = ['stream', 'source', 'push', 'demo', 'audit'] as const;

/** The last report on a feed. A feed that reports no more is not known to work. */
export interface FeedState {
  readonly platform: Platform;
  readonly kind: (typeof FEED_KINDS)[number];
  /** The name of a source; the account that pushes, empty where pushes reach every account; empty for the rest. */
  readonly name: string;
  /** In the words of the kind, such as `live`. */
  readonly state: string;
  readonly reason: string | undefined;
  /** Everything up to then has come. */
  readonly through: Date | undefined;
  /** When it was first reported; of a source, how far it was complete when that was first known. */
  readonly since: Date;
  /** When it was last reported. */
  readonly at: Date;
}

/**
 * Why an answer may lack matches, as stable codes. A reason about a source ends with its name, as in `source_down:news`.
 */
export const COVERAGE_REASONS = {
  no_feed: 'Nothing feeds the platform: it has no source, and nothing was pushed in the last hour.',
  demo: 'Only the demo feeds the platform. Its posts and pages are invented.',
  source_down: 'A source cannot be reached.',
  source_silent: 'A source is connected, and nothing comes from it.',
  source_blind: 'What a source sends cannot be read, or some of its addresses cannot be.',
  stream_down: "The upstream's stream is not connected.",
  token_refused: 'The upstream refuses the token.',
  over_limit: 'A limit of the upstream is reached: of rules, of requests or of posts.',
  registration_missing: 'The upstream does not hold a rule that it should hold. It is being registered again.',
  rule_refused: 'The upstream refuses the text of a rule.',
  budget_spent: "The account's budget of this month is spent, so its rules match nothing.",
  account_suspended: 'The operator has suspended the account, so its rules match nothing.',
  matches_per_day:
    'The account has had the matches that its limit allows for this day (UTC), so its rules match nothing until the next.',
  stored_bytes:
    'The matches of the account take the room that its limit allows, so its rules match nothing until some have gone.',
  paused: 'The rule is paused.',
  gap: 'Events are missing from a part of the time; `gaps` says from which.',
  not_started: 'Sluice has not listened for all of the time that was asked about.',
  node_behind: 'This node does not know all rules yet, or cannot follow the other nodes.',
  not_stored: 'The store takes nothing at the moment, so events wait or are refused.',
} as const satisfies Record<string, string>;

export type CoverageReason = keyof typeof COVERAGE_REASONS;
