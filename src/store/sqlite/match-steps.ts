/** How SQLite walks along matches: in slices that end when what was read is long, so that no walk holds the program up. */
import type { Platform } from '../../domain/platform.ts';
import { columnsOfSource, MATCH_COLUMNS, type MatchRow, WALKED_MATCHES } from '../rows/match-rows.ts';
import { SETTLED } from '../rows/unsettled.ts';
import { type MatchSlice, READ_AT_ONCE, type Walk, type WalkSteps } from '../rows/walk.ts';
import { EVENTS_OF_KEY } from './event-names.ts';
import type { Keeper } from './keeper.ts';
import type { Sql } from './sql.ts';

/** Rows walked at a time. */
const SLICE = 200;

const MATCHES = `SELECT ${MATCH_COLUMNS.sqlite} FROM`;
const MATCHES_OF_SOURCE = `SELECT ${columnsOfSource('sqlite', ':source')} FROM`;

/** Positions strictly between `above` and `below`, from one end; one seek for each platform. */
function walkSql({ subject: { column }, platforms, order, rating, source }: Walk): string {
  const matches = source === undefined ? MATCHES : MATCHES_OF_SOURCE;
  if (column === 'event')
    return `${matches} (SELECT position FROM (${EVENTS_OF_KEY}) k
      CROSS JOIN matches m INDEXED BY matches_of_event ON m.event = k.event
      WHERE m.account = :subject AND m.position > :above AND m.position < :below
      ORDER BY position ${order} LIMIT :limit) ${WALKED_MATCHES} ORDER BY w.position ${order}`;
  if (column === 'rule' && rating === undefined) return ruleWalkSql(matches, platforms, order);
  const table = rating === undefined ? 'matches' : 'ratings';
  const legs = platforms.map(
    (_, index) => `SELECT * FROM (SELECT position FROM ${table} INDEXED BY ${table}_of_${column}
      WHERE ${column} = :subject AND platform = :platform${index} ${rating === undefined ? '' : 'AND rating = :rating'} AND position > :above AND position < :below
      ORDER BY position ${order} LIMIT :limit)`,
  );
  return `${matches} (${legs.join(' UNION ALL ')} ORDER BY position ${order} LIMIT :limit) ${WALKED_MATCHES} ORDER BY w.position ${order}`;
}

/** Along the matches that are settled by rule, and those that are not. */
function ruleWalkSql(matches: string, platforms: readonly Platform[], order: Walk['order']): string {
  const names = platforms.map((_, index) => `:platform${index}`);
  const end = `AND position < :below ORDER BY position ${order} LIMIT :limit`;
  const legs = [
    ...names.map((name) => `rule_matches WHERE rule = :subject AND platform = ${name} AND position > :above ${end}`),
    `matches NOT INDEXED WHERE rule = :subject AND platform IN (${names.join(', ')}) AND position > max(:above, ${SETTLED}) ${end}`,
  ].map((leg) => `SELECT * FROM (SELECT position FROM ${leg})`);
  return `${matches} (${legs.join(' UNION ALL ')} ORDER BY position ${order} LIMIT :limit) ${WALKED_MATCHES} ORDER BY w.position ${order}`;
}

export const walkSteps = (run: Keeper<Sql>['run']): WalkSteps => ({
  most: SLICE,
  slice: (plan, limit) => run((sql) => slice(sql, plan, limit)),
});

function slice(sql: Sql, plan: Walk, limit: number): MatchSlice {
  const { subject, platforms, above, below, rating, source } = plan;
  const range = { subject: subject.number, above, below, limit, ...(source !== undefined && { source }) };
  if (subject.column === 'event') return sliceOf(sql.each(walkSql(plan), { ...range, key: subject.key }));
  const named = Object.fromEntries(platforms.map((platform, index) => [`platform${index}`, platform]));
  return sliceOf(sql.each(walkSql(plan), { ...range, ...named, ...(rating && { rating }) }));
}

/** The rows up to the one that makes them long. */
function sliceOf(found: Iterable<MatchRow>): MatchSlice {
  const rows: MatchRow[] = [];
  let read = 0;
  for (const row of found) {
    rows.push(row);
    read += row.payload.length;
    if (read >= READ_AT_ONCE) return { rows, isCut: true };
  }
  return { rows, isCut: false };
}
