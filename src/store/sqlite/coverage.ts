/** Gaps and feeds. The gaps of a stream are written inside its commit, with the cursor that covers them. */
import type { FeedState } from '../../domain/feed.ts';
import type { Gap } from '../../domain/gap.ts';
import type { Platform } from '../../domain/platform.ts';
import type { RuleFlags } from '../../domain/rule.ts';
import {
  type FeedRow,
  feedOf,
  feedValues,
  type GapRow,
  gapOf,
  gapOwners,
  gapValues,
  newestGaps,
} from '../rows/coverage.ts';
import { encodeFlags, holdingOf } from '../rows/rules.ts';
import { dateOrNone, encodeText, timeOrNull } from '../rows/texts.ts';
import type { FeedReport, GapQuery, RuleOfAccount } from '../store.ts';
import { transaction } from './connection.ts';
import { readingReads } from './readings.ts';
import type { Sql } from './sql.ts';

export const coverageReads = (sql: Sql) => ({
  ...readingReads(sql),
  gaps: (query: GapQuery): Gap[] =>
    newestGaps(
      gapOwners(query).flatMap(({ owner, rule }) => gapsOf(sql, query, owner, rule)),
      query.limit,
    ),
  openGaps: (platform: Platform): Gap[] =>
    sql
      .rows<GapRow>('SELECT * FROM gaps INDEXED BY gaps_open WHERE platform = ? AND to_at IS NULL', [platform])
      .map(gapOf),
  coverage(platform: Platform): Date | undefined {
    const row = sql.row<{ through: number }>('SELECT through FROM coverage WHERE platform = ?', [platform]);
    return dateOrNone(row?.through ?? null);
  },
  feeds: (platform: Platform, accountId = ''): FeedState[] =>
    sql
      .rows<FeedRow>(
        `SELECT * FROM feeds WHERE platform = :platform AND kind IN ('stream', 'source', 'demo', 'audit')
         UNION ALL SELECT * FROM feeds WHERE platform = :platform AND kind = 'push' AND name IN ('', :accountId)`,
        { platform, accountId },
      )
      .map(feedOf),
  rulesWith: (platform: Platform, value: string, flags: RuleFlags): RuleOfAccount[] =>
    sql.rows<RuleOfAccount>(
      `SELECT a.id AS accountId, r.id AS ruleId FROM rule_platforms p
       JOIN rules r ON r.number = p.rule JOIN accounts a ON a.number = r.account
       WHERE p.platform = ? AND p.holding = ? AND p.value = ? AND p.flags = ? AND p.status <> 'deleting'
         AND r.deleted = 0 AND r.paused = 0 AND (p.platform <> 'x' OR a.x_spent_in IS NULL)`,
      [platform, holdingOf(value, flags), encodeText(value), encodeFlags(flags)],
    ),
});

function gapsOf(sql: Sql, query: GapQuery, owner: string, rule: string | undefined): Gap[] {
  const { platform, since, until, limit, isMissing } = query;
  const span = { since: since?.getTime() ?? 0, until: until?.getTime() ?? Number.MAX_SAFE_INTEGER };
  return sql
    .rows<GapRow>(
      `SELECT * FROM gaps WHERE platform = :platform AND owner = :owner ${rule === undefined ? '' : 'AND rule = :rule'}
         ${isMissing ? 'AND recovered = 0' : ''} AND from_at < :until AND coalesce(to_at, :until) >= :since
       ORDER BY from_at DESC LIMIT :limit`,
      { platform, owner, limit, ...span, ...(rule !== undefined && { rule }) },
    )
    .map(gapOf);
}

export const coverageWrites = (sql: Sql) => ({
  noteGaps: (gaps: readonly Gap[]): void =>
    transaction(sql, () => {
      for (const gap of gaps) putGap(sql, gap);
    }),
  noteFeeds: (reports: readonly FeedReport[]): void =>
    transaction(sql, () => {
      for (const report of reports) putFeed(sql, report);
    }),
  keepSources: (platform: Platform, names: readonly string[]): void =>
    void sql.run(
      `DELETE FROM feeds WHERE platform = ? AND kind = 'source' AND name NOT IN (SELECT value FROM json_each(?))`,
      [platform, JSON.stringify(names)],
    ),
});

export const putGap = (sql: Sql, gap: Gap): void =>
  void sql.run(
    `INSERT INTO gaps (platform, owner, rule, source, from_at, to_at, cause, recovered) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (platform, owner, rule, from_at, source) DO UPDATE SET
       to_at = excluded.to_at, cause = excluded.cause,
       recovered = CASE WHEN cause = excluded.cause THEN excluded.recovered ELSE min(recovered, excluded.recovered) END`,
    gapValues(gap),
  );

/** The gaps of a rule go with it. */
export const dropGapsOfRule = (sql: Sql, owner: string, ruleId: string): void =>
  void sql.run(`DELETE FROM gaps WHERE platform IN ('x', 'firehose') AND owner = ? AND rule = ?`, [owner, ruleId]);

/** To an owner that nothing asks for, or back, in place of what is there of the same start. Those that last end at a time. */
export const moveGapsOfRule = (
  sql: Sql,
  ruleId: string,
  { from, to, end }: { readonly from: string; readonly to: string; readonly end?: Date },
): void =>
  void sql.run(
    `UPDATE OR REPLACE gaps SET owner = :to, to_at = coalesce(to_at, :end)
     WHERE platform IN ('x', 'firehose') AND owner = :from AND rule = :rule`,
    { from, to, rule: ruleId, end: timeOrNull(end) },
  );

const putFeed = (sql: Sql, report: FeedReport): void =>
  void sql.run(
    `INSERT INTO feeds (platform, kind, name, state, reason, through, since, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (platform, kind, name) DO UPDATE SET state = excluded.state, reason = excluded.reason, at = excluded.at,
       since = CASE WHEN kind = 'source' AND through IS NULL THEN coalesce(excluded.through, excluded.since) ELSE since END,
       through = max(coalesce(through, excluded.through), coalesce(excluded.through, through))`,
    feedValues(report),
  );
