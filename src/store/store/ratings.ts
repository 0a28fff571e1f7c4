/**
 * Ratings of matches, and the suggestions that were made from them. Both belong to the rule. A rating outlives its match: it
 * holds traits and digests of words, never the text. Erasing a post erases its ratings.
 */
import type { Platform } from '../../domain/platform.ts';
import type { Rating } from '../../domain/rating.ts';
import type { Rule } from '../../domain/rule.ts';
import type { Position } from './position.ts';

export interface RatingStore {
  /** Null takes the rating back. False when the account has no such match. Beyond `limit` a rule's oldest rating goes. */
  rateMatch(rating: NewRating, limit: number): Promise<boolean>;
  /** What the relevance of a rule's matches rests on; the latest ratings first. Not scoped: it is asked for matches that were read. */
  ratedRule(ruleId: string, limit: number): Promise<RatedRule | undefined>;
  /** Takes the place of the rule's earlier suggestions on the platform that were not applied. */
  keepSuggestions(accountId: string, ruleId: string, platform: Platform, made: readonly NewSuggestion[]): Promise<void>;
  /** Those that a change of the rule has made its text, the latest first. */
  appliedSuggestions(accountId: string, ruleId: string, limit: number): Promise<AppliedSuggestion[]>;
}

export interface NewRating {
  readonly accountId: string;
  readonly position: Position;
  readonly rating: Rating | null;
  readonly at: Date;
  /** The id of the key. */
  readonly by: string;
  /** What a model needs of the match's text, without the text. */
  readonly traces: string;
}

export interface StoredRating {
  readonly position: Position;
  readonly platform: Platform;
  readonly rating: Rating;
  readonly at: Date;
  readonly traces: string;
}

export interface RatedRule {
  readonly rule: Rule;
  readonly ratings: readonly StoredRating[];
}

/** `exclude`: a word that keeps noise out. `narrow`: a word that must be there. `widen`: more than before matches. */
export type SuggestionKind = 'exclude' | 'narrow' | 'widen';

export interface NewSuggestion {
  readonly id: string;
  readonly at: Date;
  readonly kind: SuggestionKind;
  /** The text that it would replace. */
  readonly was: string;
  readonly value: string;
  /** Which share of the rule's matches it said it would take away. */
  readonly share: number;
}

export interface AppliedSuggestion extends NewSuggestion {
  readonly platform: Platform;
  readonly appliedAt: Date;
}
