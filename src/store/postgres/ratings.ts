/** Ratings of matches, and suggestions. A rule's `relevance_version` grows with each change of its ratings. */
import type { Platform } from '../../domain/platform.ts';
import { MAX_APPLIED, type RatingRow, ratingOf, type SuggestionRow, suggestionOf } from '../rows/ratings.ts';
import { type RuleRow, rulesOf, selectRules } from '../rows/rules.ts';
import { encodeText } from '../rows/texts.ts';
import type { NewRating, NewSuggestion, Position, RatingStore } from '../store.ts';
import type { Database, Db } from './connection.ts';
import { RULE_LOCK } from './schema.ts';

const RULE = `(SELECT number FROM rules WHERE id = $2 AND deleted = 0
  AND account = (SELECT number FROM accounts WHERE id = $1))`;

export const ratingStore = (database: Database): RatingStore => ({
  rateMatch: (rating, limit) =>
    database.transaction(async (db) => {
      // An erasure takes it alone: no rating of an erased post stays behind.
      await db.run('SELECT pg_advisory_xact_lock_shared($1)', [RULE_LOCK]);
      return rate(db, rating, limit);
    }),
  async ratedRule(ruleId, limit) {
    const { rules, last } = rulesOf(await database.rows<RuleRow>(selectRules('id = $1'), [ruleId]));
    if (last === undefined) return undefined;
    const rows = await database.rows<RatingRow>(
      `SELECT position, platform, rating, rated_at, traces FROM ratings
       WHERE rule = $1 ORDER BY rated_at DESC, position DESC LIMIT $2`,
      [last, limit],
    );
    return { rule: rules[0]!, ratings: rows.map(ratingOf) };
  },
  keepSuggestions: (accountId, ruleId, platform, made) =>
    database.transaction((db) => keepSuggestions(db, accountId, ruleId, platform, made)),
  async appliedSuggestions(accountId, ruleId, limit) {
    const rows = await database.rows<SuggestionRow>(
      `SELECT id, platform, made_at, kind, was, value, share, applied_at FROM suggestions
       WHERE rule = ${RULE} AND applied_at IS NOT NULL ORDER BY applied_at DESC LIMIT $3`,
      [accountId, ruleId, limit],
    );
    return rows.map(suggestionOf);
  },
});

async function rate(
  db: Db,
  { accountId, position, rating, at, by, traces }: NewRating,
  limit: number,
): Promise<boolean> {
  const [match] = await db.rows<{ rule: number; account: number; platform: Platform }>(
    `SELECT m.rule, m.account, m.platform FROM matches m JOIN rules r ON r.number = m.rule
     WHERE m.position = $1 AND m.account = (SELECT number FROM accounts WHERE id = $2) AND r.deleted = 0`,
    [position, accountId],
  );
  if (match === undefined) return false;
  const { rule, account, platform } = match;
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
  if (changed === 0) return true;
  await db.run(
    `DELETE FROM ratings WHERE position IN (SELECT position FROM ratings
       WHERE rule = $1 ORDER BY rated_at DESC, position DESC OFFSET $2)`,
    [rule, limit],
  );
  await raiseVersions(db, [rule]);
  return true;
}

async function keepSuggestions(
  db: Db,
  accountId: string,
  ruleId: string,
  platform: Platform,
  made: readonly NewSuggestion[],
): Promise<void> {
  // The row of the rule is the lock under which its suggestions are replaced.
  const [rule] = await db.rows<{ number: number }>(
    `SELECT number FROM rules WHERE id = $2 AND deleted = 0
       AND account = (SELECT number FROM accounts WHERE id = $1) FOR UPDATE`,
    [accountId, ruleId],
  );
  if (rule === undefined) return;
  await db.run('DELETE FROM suggestions WHERE rule = $1 AND platform = $2 AND applied_at IS NULL', [
    rule.number,
    platform,
  ]);
  for (const { id, at, kind, was, value, share } of made)
    await db.run(
      `INSERT INTO suggestions (id, rule, platform, made_at, kind, was, value, share)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [id, rule.number, platform, at.getTime(), kind, encodeText(was), encodeText(value), share],
    );
}

/** Ratings that are taken back, or whose posts are erased. */
export async function forgetRatings(db: Db, positions: readonly Position[]): Promise<void> {
  const rated = await db.rows<{ rule: number }>('DELETE FROM ratings WHERE position = ANY($1) RETURNING rule', [
    positions,
  ]);
  const rules = [...new Set(rated.map(({ rule }) => rule))];
  if (rules.length > 0) await raiseVersions(db, rules);
}

const raiseVersions = (db: Db, rules: readonly number[]): Promise<number> =>
  db.run('UPDATE rules SET relevance_version = relevance_version + 1 WHERE number = ANY($1)', [rules]);

/** The rule has got this text: if a suggestion said so, its prediction can be checked from now on. */
export async function applySuggestion(
  db: Db,
  rule: number,
  platform: Platform,
  value: string,
  at: Date,
): Promise<void> {
  await db.run(
    'UPDATE suggestions SET applied_at = $1 WHERE rule = $2 AND platform = $3 AND value = $4 AND applied_at IS NULL',
    [at.getTime(), rule, platform, encodeText(value)],
  );
  await db.run(
    `DELETE FROM suggestions WHERE id IN (SELECT id FROM suggestions
       WHERE rule = $1 AND applied_at IS NOT NULL ORDER BY applied_at DESC OFFSET ${MAX_APPLIED})`,
    [rule],
  );
}
