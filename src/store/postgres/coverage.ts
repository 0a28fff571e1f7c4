/** Gaps and feeds. The gaps of a stream are written inside its commit, with the cursor that covers them. */
import type { Gap } from '../../domain/gap.ts';
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
import type { CoverageStore, FeedReport, GapQuery, RuleOfAccount } from '../store.ts';
import type { Database, Db } from './connection.ts';
import { readingsOf } from './readings.ts';

export const coverageStore = (database: Database): CoverageStore => ({
  gaps: (query) => gapsOf(database, query),
  openGaps: async (platform) =>
    (await database.rows<GapRow>('SELECT * FROM gaps WHERE platform = $1 AND to_at IS NULL', [platform])).map(gapOf),
  noteGaps: (gaps) => database.transaction((db) => putGaps(db, gaps)),
  async coverage(platform) {
    const [row] = await database.rows<{ through: number }>('SELECT through FROM coverage WHERE platform = $1', [
      platform,
    ]);
    return dateOrNone(row?.through ?? null);
  },
  feeds: async (platform, accountId = '') =>
    (
      await database.rows<FeedRow>(
        `SELECT * FROM feeds WHERE platform = $1 AND kind IN ('stream', 'source', 'demo', 'audit')
         UNION ALL SELECT * FROM feeds WHERE platform = $1 AND kind = 'push' AND name IN ('', $2)`,
        [platform, accountId],
      )
    ).map(feedOf),
  noteFeeds: (reports) => database.transaction((db) => putFeeds(db, reports)),
  async keepSources(platform, names) {
    await database.run(`DELETE FROM feeds WHERE platform = $1 AND kind = 'source' AND NOT name = ANY($2::text[])`, [
      platform,
      names,
    ]);
  },
  readings: (source, from, to) => readingsOf(database, source, from, to),
  rulesWith: (platform, value, flags) =>
    database.rows<RuleOfAccount>(
      `SELECT a.id AS "accountId", r.id AS "ruleId" FROM rule_platforms p
       JOIN rules r ON r.number = p.rule JOIN accounts a ON a.number = r.account
       WHERE p.platform = $1 AND p.holding = $2 AND p.value = $3 AND p.flags = $4 AND p.status <> 'deleting'
         AND r.deleted = 0 AND r.paused = 0 AND (p.platform <> 'x' OR a.x_spent_in IS NULL)`,
      [platform, holdingOf(value, flags), encodeText(value), encodeFlags(flags)],
    ),
});

/** One question, however many owners are asked about. */
async function gapsOf(database: Database, query: GapQuery): Promise<Gap[]> {
  const { platform, since, until, limit, isMissing } = query;
  const owners = gapOwners(query);
  const parts = owners.map(
    ({ rule }, index) => `(SELECT * FROM gaps WHERE platform = $1 AND owner = $${5 + 2 * index}
       AND ${rule === undefined ? `$${6 + 2 * index}::text IS NULL` : `rule = $${6 + 2 * index}`}
       ${isMissing ? 'AND recovered = 0' : ''} AND from_at < $3 AND coalesce(to_at, $3) >= $2
     ORDER BY from_at DESC LIMIT $4)`,
  );
  const rows = await database.rows<GapRow>(parts.join(' UNION ALL '), [
    platform,
    since?.getTime() ?? 0,
    until?.getTime() ?? Number.MAX_SAFE_INTEGER,
    limit,
    ...owners.flatMap(({ owner, rule }) => [owner, rule ?? null]),
  ]);
  return newestGaps(rows.map(gapOf), limit);
}

export async function putGaps(db: Db, gaps: readonly Gap[]): Promise<void> {
  for (const gap of gaps) {
    await db.run(
      `INSERT INTO gaps AS g (platform, owner, rule, source, from_at, to_at, cause, recovered) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (platform, owner, rule, from_at, source) DO UPDATE SET
         to_at = excluded.to_at, cause = excluded.cause,
         recovered = CASE WHEN g.cause = excluded.cause THEN excluded.recovered ELSE least(g.recovered, excluded.recovered) END`,
      gapValues(gap),
    );
  }
}

/** The gaps of a rule go with it. */
export const removeGapsOfRule = (db: Db, owner: string, ruleId: string): Promise<number> =>
  db.run(`DELETE FROM gaps WHERE platform IN ('x', 'firehose') AND owner = $1 AND rule = $2`, [owner, ruleId]);

/**
 * Those of a rule go to an owner that nothing asks for, or back. Those that last end at a time. Another node that ended a pause
 * while the rule was deleted may have left a gap of the same start: it gives way, or the rule could not be restored.
 */
export async function handGaps(
  db: Db,
  ruleId: string,
  { from, to, end }: { readonly from: string; readonly to: string; readonly end?: Date },
): Promise<void> {
  await db.run(
    `DELETE FROM gaps g USING gaps moved
     WHERE moved.platform IN ('x', 'firehose') AND moved.owner = $1 AND moved.rule = $3 AND g.owner = $2 AND g.rule = $3
       AND g.platform = moved.platform AND g.from_at = moved.from_at AND g.source = moved.source`,
    [from, to, ruleId],
  );
  await db.run(
    `UPDATE gaps SET owner = $2, to_at = coalesce(to_at, $4)
     WHERE platform IN ('x', 'firehose') AND owner = $1 AND rule = $3`,
    [from, to, ruleId, timeOrNull(end)],
  );
}

async function putFeeds(db: Db, reports: readonly FeedReport[]): Promise<void> {
  // In one order, so that two nodes that report the same feeds do not wait for each other in a circle.
  const sorted = reports.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  for (const report of sorted) {
    await db.run(
      `INSERT INTO feeds AS f (platform, kind, name, state, reason, through, since, at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (platform, kind, name) DO UPDATE SET state = excluded.state, reason = excluded.reason,
         at = excluded.at,
         since = CASE WHEN f.kind = 'source' AND f.through IS NULL THEN coalesce(excluded.through, excluded.since) ELSE f.since END,
         through = greatest(f.through, excluded.through)`,
      feedValues(report),
    );
  }
}

const keyOf = ({ platform, kind, name }: FeedReport): string => `${platform} ${kind} ${name}`;
