/** Matches: pages, streams, counts and erasure. */
import type { Match } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Rating } from '../../domain/rating.ts';
import type { Position } from './position.ts';

export interface MatchStore {
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
}

export interface MatchQuery {
  readonly accountId: string;
  readonly ruleId?: string;
  readonly platform?: Platform;
  readonly storyId?: string;
  /** Matches of one event. Those that were stored before events had keys are not found by them. */
  readonly eventKey?: string;
  /** Created at or after. */
  readonly since?: Date;
  /** Created before. */
  readonly until?: Date;
  /** Case-blind substring of the payload's text. */
  readonly text?: string;
  /** A name, with or without `@`, or an id. */
  readonly author?: string;
  /** Of a page, or of a link in a post; subdomains count. */
  readonly domain?: string;
  readonly language?: string;
  /** What brought the event. */
  readonly source?: string;
  /** Rated so; a walk along the ratings, whatever the number of matches. */
  readonly rating?: Rating;
  readonly before?: Position;
  readonly limit: number;
  /** The page ends with the match that brings its payloads to this many bytes. */
  readonly bytes?: number;
  /** The page ends after this much, whatever it found. */
  readonly walk?: WalkBudget;
}

/** How much is gone through for a page: rows, and characters of their payloads. */
export interface WalkBudget {
  readonly rows: number;
  readonly bytes: number;
}

export interface AfterQuery {
  readonly accountId: string;
  readonly ruleId?: string;
  readonly platform?: Platform;
  readonly after: Position;
  readonly limit: number;
  /** The page ends with the match that brings its payloads to this many bytes. */
  readonly bytes?: number;
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

export interface AfterPage {
  /** Oldest first. */
  readonly matches: Match[];
  /** Where to go on. */
  readonly last: Position;
  /** There may be more after `last`: the page ended by its limit or its bytes. */
  readonly more: boolean;
}

export interface MatchPage {
  readonly matches: Match[];
  /** Where older ones begin; undefined on the last page. */
  readonly next: Position | undefined;
  readonly latest: Position;
  /** How much was gone through for it. */
  readonly walked: WalkBudget;
}
