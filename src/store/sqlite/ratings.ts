/** Ratings of matches, and suggestions. A rule's `relevance_version` grows with each change of its ratings. */
import type { Platform } from '../../domain/platform.ts';
import { MAX_APPLIED, type RatingRow, ratingOf, type SuggestionRow, suggestionOf } from '../rows/ratings.ts';
import { type RuleRow, rulesOf } from '../rows/rules.ts';
import { encodeText } from '../rows/texts.ts';
import type { AppliedSuggestion, NewRating, NewSuggestion, Position, RatedRule } from '../store.ts';
import { transaction } from './connection.ts';
import type { Sql } from './sql.ts';
import { selectCountedRules } from './unsettled.ts';

const RULE = `(SELECT number FROM rules WHERE id = :rule AND deleted = 0
  AND account = (SELECT number FROM accounts WHERE id = :account))`;

export const ratingReads = (sql: Sql) => ({
  ratedRule(id: string, limit: number): RatedRule | undefined {
    const { rules, last } = rulesOf(sql.rows<RuleRow>(selectCountedRules('id = :rule'), { rule: id }));
    if (last === undefined) return undefined;
    const rows = sql.rows<RatingRow>(
      `SELECT position, platform, rating, rated_at, traces FROM ratings INDEXED BY ratings_by_time
       WHERE rule = ? ORDER BY rated_at DESC, position DESC LIMIT ?`,
      [last, limit],
    );
    return { rule: rules[0]!, ratings: rows.map(ratingOf) };
  },
  appliedSuggestions: (account: string, rule: string, limit: number): AppliedSuggestion[] =>
    sql
      .rows<SuggestionRow>(
        `SELECT id, platform, made_at, kind, was, value, share, applied_at FROM suggestions INDEXED BY suggestions_applied
         WHERE rule = ${RULE} AND applied_at IS NOT NULL ORDER BY applied_at DESC LIMIT :limit`,
        { account, rule, limit },
      )
      .map(suggestionOf),
});

export const ratingWrites = (sql: Sql) => ({
  rateMatch: (rating: NewRating, limit: number): boolean => transaction(sql, () => rate(sql, rating, limit)),
  keepSuggestions: (account: string, rule: string, platform: Platform, made: readonly NewSuggestion[]): void =>
    transaction(sql, () => {
      sql.run(`DELETE FROM suggestions WHERE rule = ${RULE} AND platform = :platform AND applied_at IS NULL`, {
        account,
        rule,
        platform,
      });
      for (const { id, at, kind, was, value, share } of made)
        sql.run(
          `INSERT INTO suggestions (id, rule, platform, made_at, kind, was, value, share)
           SELECT :id, number, :platform, :at, :kind, :was, :value, :share FROM rules
           WHERE id = :rule AND deleted = 0 AND account = (SELECT number FROM accounts WHERE id = :account)`,
          {
            account,
            rule,
            platform,
            id,
            at: at.getTime(),
            kind,
            was: encodeText(was),
            value: encodeText(value),
            share,
          },
        );
    }),
});

function rate(sql: Sql, { accountId, position, rating, at, by, traces }: NewRating, limit: number): boolean {
  const match = sql.row<{ rule: number; account: number; platform: Platform }>(
    `SELECT m.rule, m.account, m.platform FROM matches m JOIN rules r ON r.number = m.rule
     WHERE m.position = ? AND m.account = (SELECT number FROM accounts WHERE id = ?) AND r.deleted = 0`,
    [position, accountId],
  );
  if (match === undefined) return false;
  const { rule, account, platform } = match;
  if (rating === null) {
    forgetRating(sql, position);
    return true;
  }
  const changed = sql.run(
    `INSERT INTO ratings (position, rule, account, platform, rating, rated_at, rated_by, traces)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (position) DO UPDATE SET rating = excluded.rating,
       rated_at = excluded.rated_at, rated_by = excluded.rated_by, traces = excluded.traces
     WHERE rating <> excluded.rating`,
    [position, rule, account, platform, rating, at.getTime(), by, traces],
  );
  if (changed === 0) return true;
  sql.run(
    `DELETE FROM ratings WHERE position IN (SELECT position FROM ratings INDEXED BY ratings_by_time
       WHERE rule = ? ORDER BY rated_at DESC, position DESC LIMIT -1 OFFSET ?)`,
    [rule, limit],
  );
  raiseVersion(sql, rule);
  return true;
}

/** A rating that is taken back, or whose post is erased. */
export function forgetRating(sql: Sql, position: Position): void {
  const rated = sql.row<{ rule: number }>('DELETE FROM ratings WHERE position = ? RETURNING rule', [position]);
  if (rated !== undefined) raiseVersion(sql, rated.rule);
}

const raiseVersion = (sql: Sql, rule: number): number =>
  sql.run('UPDATE rules SET relevance_version = relevance_version + 1 WHERE number = ?', [rule]);

export function removeRatingsOf(sql: Sql, rule: number): void {
  sql.run('DELETE FROM ratings WHERE rule = ?', [rule]);
  sql.run('DELETE FROM suggestions WHERE rule = ? AND applied_at IS NULL', [rule]);
  sql.run('DELETE FROM suggestions WHERE rule = ? AND applied_at IS NOT NULL', [rule]);
}

/** The rule has got this text: if a suggestion said so, its prediction can be checked from now on. */
export function markApplied(sql: Sql, rule: number, platform: Platform, value: string, at: Date): void {
  sql.run(
    'UPDATE suggestions SET applied_at = ? WHERE rule = ? AND platform = ? AND value = ? AND applied_at IS NULL',
    [at.getTime(), rule, platform, encodeText(value)],
  );
  sql.run(
    `DELETE FROM suggestions WHERE id IN (SELECT id FROM suggestions INDEXED BY suggestions_applied
       WHERE rule = ? AND applied_at IS NOT NULL ORDER BY applied_at DESC LIMIT -1 OFFSET ${MAX_APPLIED})`,
    [rule],
  );
}
