/**
 * The interfaces that live streams need of the store, and of the parts around them; and which matches a subscriber
 * asked for.
 */
import type { Clock } from '../../base/clock.ts';
import type { Match } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Silence } from '../../domain/wake.ts';

/** Matches as the store has them, oldest first. */
export interface MatchLog {
  latest(): Promise<number>;
  /** A page ends at `limit` matches, or with the match that brings it to `bytes` of payload. */
  matchesAfter(
    query: MatchFilter & { accountId: string; after: number; limit: number; bytes: number },
  ): Promise<MatchLogPage>;
}

export interface MatchLogPage {
  readonly matches: Match[];
  /** Everything up to this position was read. */
  readonly last: number;
  /** The page ended before everything was read. */
  readonly more: boolean;
  /** How many matches were gone through for it. */
  readonly walked?: { readonly rows: number };
}

export interface LiveDeps {
  readonly matches: MatchLog;
  readonly clock: Clock;
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** Turns a position into the id of an event. */
  readonly cursor: (accountId: string, position: number) => string;
  /** The cursor of a place between matches, which other accounts may have moved. */
  readonly placeCursor: (accountId: string, position: number) => string;
  /** The silences of an account that hold now. */
  readonly silences: (accountId: string) => Promise<readonly Silence[]>;
  /** Writes a match as JSON on one line. */
  readonly encode: (match: Match) => string;
  /** How far the matches of a stream can be relied on, as JSON on one line. */
  readonly coverage?: (accountId: string, filter: MatchFilter) => Promise<string>;
  /** Hears of matches that were read, or passed over, for a stream that catches up. */
  readonly onWalked?: (accountId: string, rows: number) => void;
  /** Tells whether a key still works. */
  readonly works: (accountId: string, keyId: string) => Promise<boolean>;
  /** Tells whether a session has not ended. */
  readonly sessionWorks: (session: string) => Promise<boolean>;
}

/** The most payload that one page holds, unless its first match alone is larger. Silences have it parsed in one turn. */
export const PAGE_BYTES = 1024 * 1024;

export interface MatchFilter {
  readonly ruleId?: string;
  readonly platform?: Platform;
  /** The source that brought the event. */
  readonly source?: string;
}

/**
 * The fields that a filter compares. A gap without a rule concerns every rule of its platform, and one without a source
 * every source.
 */
export interface Filtered {
  readonly platform: Platform;
  readonly ruleId: string | undefined;
  readonly source?: string | undefined;
}

/** Which matches a subscriber asked for. */
export const isWanted = (filter: MatchFilter, { ruleId, platform, source }: Filtered): boolean =>
  (filter.platform === undefined || filter.platform === platform) &&
  (filter.ruleId === undefined || ruleId === undefined || filter.ruleId === ruleId) &&
  (filter.source === undefined || source === undefined || filter.source === source);

/** Equal for equal filters: subscribers with the same key get the same bytes. */
export const filterKey = ({ ruleId, platform, source }: MatchFilter): string =>
  `${ruleId ?? ''} ${platform ?? ''} ${source ?? ''}`;
