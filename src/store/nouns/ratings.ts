/**
 * Ratings of matches, and the suggestions that were made from them. Both belong to the rule. A rating outlives its match: it
 * holds traits and digests of words, never the text. Erasing a post erases its ratings: `rated_posts` has what a tombstone of the
 * post would be. A rule's `relevance_version` grows with each change of its ratings.
 */

import type { Rating } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import type { Db } from '../db.ts';
import type { Position } from '../order.ts';
import { shareRules } from '../rows/locks.ts';
import { type RuleRow, raiseRelevance, rulesOf, selectRules } from '../rows/rule-rows.ts';
import { decodeText, encodeText } from '../rows/texts.ts';
import { nameRating } from './erasure/tombstones.ts';

export interface RatingStore {
  /** Null takes the rating back. False when the account has no such match. Beyond `limit` a rule's oldest rating goes. */
  rateMatch(rating: NewRating, limit: number): Promise<boolean>;
  /** The ratings behind the relevance of a rule's matches, latest first. Not scoped: the matches were read. */
  ratedRule(ruleId: string, limit: number): Promise<RatedRule | undefined>;
  /** Takes the place of the rule's earlier suggestions on the platform that were not applied. */
  keepSuggestions(accountId: string, ruleId: string, platform: Platform, made: readonly NewSuggestion[]): Promise<void>;
  /** The suggestions that a change of the rule has made its text, the latest first. */
  appliedSuggestions(accountId: string, ruleId: string, limit: number): Promise<AppliedSuggestion[]>;
}

export interface NewRating {
  readonly accountId: string;
  readonly position: Position;
  readonly rating: Rating | null;
  readonly at: Date;
  /** The id of the key. */
  readonly by: string;
  /** The traits of the match's text that a model needs, without the text. */
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

/** Suggestions that were applied are kept this many times for each rule. */
const MAX_APPLIED = 10;

interface RatingRow {
  readonly position: Position;
  readonly platform: Platform;
  readonly rating: Rating;
  readonly rated_at: number;
  readonly traces: string;
}

interface SuggestionRow {
  readonly id: string;
  readonly platform: Platform;
  readonly made_at: number;
  readonly kind: SuggestionKind;
  readonly was: string;
  readonly value: string;
  readonly share: number;
  readonly applied_at: number;
}

const suggestionOf = (row: SuggestionRow): AppliedSuggestion => ({
  id: row.id,
  platform: row.platform,
  at: new Date(row.made_at),
  kind: row.kind,
  was: decodeText(row.was),
  value: decodeText(row.value),
  share: row.share,
  appliedAt: new Date(row.applied_at),
});

const RULE = `SELECT number FROM rules WHERE id = $2 AND deleted = 0
  AND account = (SELECT number FROM accounts WHERE id = $1)`;

export const ratingReads = (db: Db): Pick<RatingStore, 'ratedRule' | 'appliedSuggestions'> => ({
  async ratedRule(ruleId, limit) {
    const { rules, last } = rulesOf(await db.rows<RuleRow>(selectRules(db.dialect, 'id = $1'), [ruleId]));
    if (last === undefined) return undefined;
    const rows = await db.rows<RatingRow>(
      `SELECT position, platform, rating, rated_at, traces FROM ratings /*sqlite INDEXED BY ratings_by_time */
       WHERE rule = $1 ORDER BY rated_at DESC, position DESC LIMIT $2`,
      [last, limit],
    );
    return { rule: rules[0]!, ratings: rows.map(({ rated_at, ...row }) => ({ ...row, at: new Date(rated_at) })) };
  },
  async appliedSuggestions(accountId, ruleId, limit) {
    const rows = await db.rows<SuggestionRow>(
      `SELECT id, platform, made_at, kind, was, value, share, applied_at FROM suggestions /*sqlite INDEXED BY suggestions_applied */
       WHERE rule = (${RULE}) AND applied_at IS NOT NULL ORDER BY applied_at DESC LIMIT $3`,
      [accountId, ruleId, limit],
    );
    return rows.map(suggestionOf);
  },
});

export const ratingWrites = (db: Db): Pick<RatingStore, 'rateMatch' | 'keepSuggestions'> => ({
  rateMatch: (rating, limit) =>
    db.transaction(async (tx) => {
      // No rating of a post that is being erased stays behind.
      await shareRules(tx);
      return rate(tx, rating, limit);
    }),
  keepSuggestions: (accountId, ruleId, platform, made) =>
    db.transaction(async (tx) => {
      // The row of the rule is the lock under which its suggestions are replaced.
      const rule = await tx.row<{ number: number }>(`${RULE} FOR UPDATE`, [accountId, ruleId]);
      if (rule === undefined) return;
      await tx.run('DELETE FROM suggestions WHERE rule = $1 AND platform = $2 AND applied_at IS NULL', [
        rule.number,
        platform,
      ]);
      for (const { id, at, kind, was, value, share } of made)
        await tx.run(
          `INSERT INTO suggestions (id, rule, platform, made_at, kind, was, value, share)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
          [id, rule.number, platform, at.getTime(), kind, encodeText(was), encodeText(value), share],
        );
    }),
});

interface RatedMatch {
  readonly rule: number;
  readonly account: number;
  readonly platform: Platform;
  readonly post_id: string;
  readonly payload: string;
}

async function rate(
  db: Db,
  { accountId, position, rating, at, by, traces }: NewRating,
  limit: number,
): Promise<boolean> {
  const match = await db.row<RatedMatch>(
    `SELECT m.rule, m.account, m.platform, e.post_id, e.payload
     FROM matches m JOIN rules r ON r.number = m.rule JOIN events e ON e.number = m.event
     WHERE m.position = $1 AND m.account = (SELECT number FROM accounts WHERE id = $2) AND r.deleted = 0`,
    [position, accountId],
  );
  if (match === undefined) return false;
  const { rule, account, platform, post_id, payload } = match;
  if (rating === null) {
    await forgetRatings(db, [position]);
    return true;
  }
  const changed = await db.run(
    `INSERT INTO ratings AS q (position, rule, account, platform, rating, rated_at, rated_by, traces)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (position) DO UPDATE SET rating = excluded.rating,
       rated_at = excluded.rated_at, rated_by = excluded.rated_by, traces = excluded.traces
     WHERE q.rating <> excluded.rating`,
    [position, rule, account, platform, rating, at.getTime(), by, traces],
  );
  await nameRating(db, position, platform, { postId: decodeText(post_id), payload });
  if (changed === 0) return true;
  await db.run(
    `DELETE FROM ratings WHERE position IN (SELECT position FROM ratings /*sqlite INDEXED BY ratings_by_time */
       WHERE rule = $1 ORDER BY rated_at DESC, position DESC LIMIT ALL OFFSET $2)`,
    [rule, limit],
  );
  await raiseRelevance(db, [match]);
  return true;
}

/** Ratings that are taken back, or whose posts are erased. */
export async function forgetRatings(db: Db, positions: readonly Position[]): Promise<void> {
  await raiseRelevance(
    db,
    await db.rows<{ rule: number }>('DELETE FROM ratings WHERE position = ANY($1) RETURNING rule', [positions]),
  );
}

export async function removeRatingsOf(db: Db, rule: number): Promise<void> {
  await db.run('DELETE FROM ratings WHERE rule = $1', [rule]);
  await db.run('DELETE FROM suggestions WHERE rule = $1 AND applied_at IS NULL', [rule]);
  await db.run('DELETE FROM suggestions WHERE rule = $1 AND applied_at IS NOT NULL', [rule]);
}

/** The rule has got this text: if a suggestion said so, its prediction can be checked from now on. */
export async function markApplied(db: Db, rule: number, platform: Platform, value: string, at: Date): Promise<void> {
  await db.run(
    'UPDATE suggestions SET applied_at = $1 WHERE rule = $2 AND platform = $3 AND value = $4 AND applied_at IS NULL',
    [at.getTime(), rule, platform, encodeText(value)],
  );
  await db.run(
    `DELETE FROM suggestions WHERE id IN (SELECT id FROM suggestions /*sqlite INDEXED BY suggestions_applied */
       WHERE rule = $1 AND applied_at IS NOT NULL ORDER BY applied_at DESC LIMIT ALL OFFSET ${MAX_APPLIED})`,
    [rule],
  );
}
