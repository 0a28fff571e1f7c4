/** What is known of missing events: the feeds of each platform, and the gaps. Not scoped, but for gaps of an account. */
import type { FeedState } from '../../domain/feed.ts';
import type { Gap } from '../../domain/gap.ts';
import type { Platform } from '../../domain/platform.ts';
import type { RuleFlags } from '../../domain/rule.ts';

export interface CoverageStore {
  /** Newest first. */
  gaps(query: GapQuery): Promise<Gap[]>;
  /** Those that last, of every account. */
  openGaps(platform: Platform): Promise<Gap[]>;
  /**
   * A gap that is stored already, by what it is of and its start, takes the new end, cause and recovery; but what one
   * cause has lost is not recovered by the end of another.
   */
  noteGaps(gaps: readonly Gap[]): Promise<void>;
  /** Up to when the stream of an upstream was whole, gaps aside. */
  coverage(platform: Platform): Promise<Date | undefined>;
  /** The feeds of a platform: all, but of the pushes only those that reach the account. */
  feeds(platform: Platform, accountId?: string): Promise<FeedState[]>;
  /** `through` never goes back; a report without it does not change it. */
  noteFeeds(reports: readonly FeedReport[]): Promise<void>;
  /** Forgets the sources of a platform but these. */
  keepSources(platform: Platform, names: readonly string[]): Promise<void>;
  /** What an open source has read in the minutes from one time to another, the last one included. */
  readings(source: string, from: Date, to: Date): Promise<Reading>;
  /** The live rules of any account that want this text held, paused ones aside. */
  rulesWith(platform: Platform, value: string, flags: RuleFlags): Promise<RuleOfAccount[]>;
}

/** How many events were stored, and the cursor after the first of them and after the last; none where nothing was read. */
export interface Reading {
  readonly events: number;
  readonly firstCursor: string | undefined;
  readonly lastCursor: string | undefined;
}

/** Without `since` a feed begins with its first report; a source where it was first complete to. */
export type FeedReport = Omit<FeedState, 'since'> & { readonly since?: Date };

export interface RuleOfAccount {
  readonly accountId: string;
  readonly ruleId: string;
}

export interface GapQuery {
  readonly platform: Platform;
  /** Gaps that last beyond this time. */
  readonly since?: Date;
  /** Gaps that begin before this time. */
  readonly until?: Date;
  /** Also the gaps of this account; without it, only those of every account. */
  readonly accountId?: string;
  /** Of the gaps of single rules only those of this rule. It needs the account. */
  readonly ruleId?: string;
  /** Only those that were not recovered. */
  readonly isMissing?: true;
  readonly limit: number;
}
