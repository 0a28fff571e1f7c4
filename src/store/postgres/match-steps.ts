/** How PostgreSQL walks along matches. */
import type { Rating } from '../../domain/match.ts';
import type { Db } from '../db.ts';
import { columnsOfSource, MATCH_COLUMNS, MATCH_JOINS, type MatchRow } from '../rows/match-rows.ts';
import type { Walk, WalkSteps } from '../rows/walk.ts';

/** Rows walked at a time. */
const SLICE = 500;

/** A source is the parameter with this number. */
const matchesSql = (source: string | undefined, parameter: number): string =>
  `SELECT ${source === undefined ? MATCH_COLUMNS.postgres : columnsOfSource('postgres', `$${parameter}::text`)} FROM`;

const given = (source: string | undefined): readonly string[] => (source === undefined ? [] : [source]);

export const walkSteps = (db: Db): WalkSteps => ({
  most: SLICE,
  slice: async (plan, limit) => ({ rows: await slice(db, plan, limit), isCut: false }),
});

/** Positions strictly between `above` and `below`, from one end; one seek for each platform. */
function slice(db: Db, plan: Walk, limit: number): Promise<MatchRow[]> {
  const { subject, platforms, order, above, below, rating, source } = plan;
  if (subject.column === 'event')
    return db.rows<MatchRow>(
      `${matchesSql(source, 6)} (SELECT * FROM matches WHERE event = ANY(ARRAY(SELECT number FROM events WHERE key = $5))
         AND account = $1 AND position > $2 AND position < $3 ORDER BY position ${order} LIMIT $4) m ${MATCH_JOINS}
       ORDER BY m.position ${order}`,
      [subject.number, above, below, limit, subject.key, ...given(source)],
    );
  if (rating !== undefined) return ratedSlice(db, plan, rating, limit);
  const legs = platforms.map(
    (_, index) => `(SELECT * FROM matches WHERE ${subject.column} = $1 AND platform = $${index + 5}
      AND position > $2 AND position < $3 ORDER BY position ${order} LIMIT $4)`,
  );
  return db.rows<MatchRow>(
    `${matchesSql(source, platforms.length + 5)} (SELECT * FROM (${legs.join(' UNION ALL ')}) u ORDER BY position ${order} LIMIT $4) m ${MATCH_JOINS}
     ORDER BY m.position ${order}`,
    [subject.number, above, below, limit, ...platforms, ...given(source)],
  );
}

function ratedSlice(
  db: Db,
  { subject, platforms, order, above, below, source }: Walk,
  rating: Rating,
  limit: number,
): Promise<MatchRow[]> {
  const legs = platforms.map(
    (
      _,
      index,
    ) => `(SELECT position FROM ratings WHERE ${subject.column} = $1 AND platform = $${index + 6} AND rating = $5
      AND position > $2 AND position < $3 ORDER BY position ${order} LIMIT $4)`,
  );
  return db.rows<MatchRow>(
    `${matchesSql(source, platforms.length + 6)} (SELECT * FROM (${legs.join(' UNION ALL ')}) u ORDER BY position ${order} LIMIT $4) w
     JOIN matches m ON m.position = w.position ${MATCH_JOINS} ORDER BY m.position ${order}`,
    [subject.number, above, below, limit, rating, ...platforms, ...given(source)],
  );
}
