/** Rows of ratings and suggestions. */
import type { Platform } from '../../domain/platform.ts';
import type { Rating } from '../../domain/rating.ts';
import type { AppliedSuggestion, StoredRating, SuggestionKind } from '../store/ratings.ts';
import type { Position } from '../store.ts';
import { decodeText } from './texts.ts';

/** Suggestions that were applied are kept this many times for each rule. */
export const MAX_APPLIED = 10;

export interface RatingRow {
  readonly position: Position;
  readonly platform: Platform;
  readonly rating: Rating;
  readonly rated_at: number;
  readonly traces: string;
}

export const ratingOf = ({ position, platform, rating, rated_at, traces }: RatingRow): StoredRating => ({
  position,
  platform,
  rating,
  at: new Date(rated_at),
  traces,
});

export interface SuggestionRow {
  readonly id: string;
  readonly platform: Platform;
  readonly made_at: number;
  readonly kind: SuggestionKind;
  readonly was: string;
  readonly value: string;
  readonly share: number;
  readonly applied_at: number;
}

export const suggestionOf = (row: SuggestionRow): AppliedSuggestion => ({
  id: row.id,
  platform: row.platform,
  at: new Date(row.made_at),
  kind: row.kind,
  was: decodeText(row.was),
  value: decodeText(row.value),
  share: row.share,
  appliedAt: new Date(row.applied_at),
});
