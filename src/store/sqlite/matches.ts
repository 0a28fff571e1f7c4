/**
 * Reading matches. Every list is a walk along one index from a position: of a rule or of an account, on one platform
 * or, merged, on all. Rows of deleted rules that are still on the disk, and rows without the wanted text, are walked
 * over in slices, so that no walk holds the program up.
 */
import type { Match } from '../../domain/match.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { findMatchId, findStoryId, positionAt } from '../order.ts';
import { MATCHED_BY, type MatchRow, matchOf, RATING_OF } from '../rows/matches.ts';
import { keptBy, type MatchSlice, READ_AT_ONCE, type Walk, walk } from '../rows/walk.ts';
import type { AfterPage, AfterQuery, MatchPage, MatchQuery, Position } from '../store.ts';
import { accountNumber } from './accounts.ts';
import { breathe } from './breathe.ts';
import { EVENTS_OF_KEY } from './event-names.ts';
import type { Sql } from './sql.ts';
import { TAIL } from './tails.ts';
import { SETTLED, STORY_FIRST, unpartedOf } from './unsettled.ts';

/** Rows walked between two breaths. */
const SLICE = 200;

export const COLUMNS = `m.position, m.platform, m.version, ${TAIL} AS tail, m.highlights, m.edit_of, r.id AS rule_id, r.name AS rule_name, r.deleted,
  e.post_id, e.payload, e.source, m.story, ${STORY_FIRST},
  r.relevance_version, ${RATING_OF}, ${MATCHED_BY}`;
export const JOINS =
  'CROSS JOIN matches m ON m.position = w.position JOIN rules r ON r.number = m.rule JOIN events e ON e.number = m.event';

/** Positions strictly between `above` and `below`, from one end; one seek for each platform. */
function walkSql({ subject: { column }, platforms, order, rating }: Walk): string {
  if (column === 'event')
    return `SELECT ${COLUMNS} FROM (SELECT position FROM (${EVENTS_OF_KEY}) k
      CROSS JOIN matches m INDEXED BY matches_of_event ON m.event = k.event
      WHERE m.account = :subject AND m.position > :above AND m.position < :below
      ORDER BY position ${order} LIMIT :limit) w ${JOINS} ORDER BY w.position ${order}`;
  if (column === 'rule' && rating === undefined) return ruleWalkSql(platforms, order);
  const table = rating === undefined ? 'matches' : 'ratings';
  const legs = platforms.map(
    (_, index) => `SELECT * FROM (SELECT position FROM ${table} INDEXED BY ${table}_of_${column}
      WHERE ${column} = :subject AND platform = :platform${index} ${rating === undefined ? '' : 'AND rating = :rating'} AND position > :above AND position < :below
      ORDER BY position ${order} LIMIT :limit)`,
  );
  return `SELECT ${COLUMNS} FROM (${legs.join(' UNION ALL ')} ORDER BY position ${order} LIMIT :limit) w ${JOINS} ORDER BY w.position ${order}`;
}

/** Along the matches that are settled by rule, and those that are not. */
function ruleWalkSql(platforms: readonly Platform[], order: Walk['order']): string {
  const names = platforms.map((_, index) => `:platform${index}`);
  const end = `AND position < :below ORDER BY position ${order} LIMIT :limit`;
  const legs = [
    ...names.map((name) => `rule_matches WHERE rule = :subject AND platform = ${name} AND position > :above ${end}`),
    `matches NOT INDEXED WHERE rule = :subject AND platform IN (${names.join(', ')}) AND position > max(:above, ${SETTLED}) ${end}`,
  ].map((leg) => `SELECT * FROM (SELECT position FROM ${leg})`);
  return `SELECT ${COLUMNS} FROM (${legs.join(' UNION ALL ')} ORDER BY position ${order} LIMIT :limit) w ${JOINS} ORDER BY w.position ${order}`;
}

const stateOf = (sql: Sql, name: 'latest' | 'oldest'): Position =>
  sql.row<{ value: Position }>('SELECT value FROM state WHERE name = ?', [name])!.value;

export const latestOf = (sql: Sql): Position => stateOf(sql, 'latest');
export const oldestOf = (sql: Sql): Position => stateOf(sql, 'oldest');

export const matchReads = (sql: Sql) => ({
  cursor: (name: string): string | undefined =>
    sql.row<{ value: string }>('SELECT value FROM cursors WHERE name = ?', [name])?.value,
  latest: (): Position => latestOf(sql),
  oldest: (): Position => oldestOf(sql),
  matches: (query: MatchQuery): Promise<MatchPage> => pageOf(sql, query),
  matchesAfter: (query: AfterQuery): Promise<AfterPage> => following(sql, query),

  match(accountId: string, id: string): Match | undefined {
    const place = findMatchId(id);
    const owner = accountNumber(sql, accountId);
    if (place === undefined || owner === undefined) return undefined;
    const row = sql.row<MatchRow>(
      `SELECT ${COLUMNS} FROM (SELECT position FROM matches NOT INDEXED WHERE position >= ? AND position < ? AND account = ?) w ${JOINS} WHERE ${TAIL} = ?`,
      [place.from, place.below, owner, place.tail],
    );
    return row === undefined || row.deleted === 1 ? undefined : matchOf(row);
  },
});

async function pageOf(sql: Sql, query: MatchQuery): Promise<MatchPage> {
  const latest = latestOf(sql);
  const subject = listSubject(sql, query);
  if (subject === undefined) return { matches: [], next: undefined, latest, walked: { rows: 0, bytes: 0 } };
  const { before, since, until, limit } = query;
  const { rows, stopped, walked } = await walk(
    {
      subject,
      platforms: platformsOf(query.platform),
      rating: isOf(subject) ? query.rating : undefined,
      order: 'DESC',
      above: since === undefined ? -1 : positionAt(since.getTime()) - 1,
      below: Math.min(latest + 1, before ?? Infinity, until === undefined ? Infinity : positionAt(until.getTime())),
      // One more than asked for tells whether there is a next page.
      wanted: limit + 1,
      bytes: query.bytes,
      most: query.walk,
      keeps: keptBy(query),
    },
    stepsOf(sql),
  );
  const page = rows.slice(0, limit);
  const next = rows.length > limit ? page.at(-1)!.position : stopped;
  return { matches: page.map(matchOf), next, latest, walked };
}

async function following(sql: Sql, query: AfterQuery): Promise<AfterPage> {
  const latest = latestOf(sql);
  const subject = subjectIn(sql, query);
  if (subject === undefined) return { matches: [], last: Math.max(latest, query.after), more: false };
  const { rows, stopped } = await walk(
    {
      subject,
      platforms: platformsOf(query.platform),
      order: 'ASC',
      above: query.after,
      below: latest + 1,
      wanted: query.limit,
      bytes: query.bytes,
      keeps: () => true,
    },
    stepsOf(sql),
  );
  return { matches: rows.map(matchOf), last: stopped ?? Math.max(latest, query.after), more: stopped !== undefined };
}

const stepsOf = (sql: Sql) => ({
  most: SLICE,
  slice: (plan: Walk, limit: number) => slice(sql, plan, limit),
  breathe,
});

function slice(sql: Sql, plan: Walk, limit: number): MatchSlice {
  const { subject, platforms, above, below, rating } = plan;
  const range = { subject: subject.number, above, below, limit };
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

/** The matches of a story or an event are walked over, whatever the rule. */
function listSubject(sql: Sql, query: MatchQuery): Walk['subject'] | undefined {
  const subject = subjectIn(sql, query);
  if (subject === undefined) return undefined;
  const owner = accountNumber(sql, query.accountId)!;
  if (query.eventKey !== undefined) return { column: 'event', number: owner, key: query.eventKey };
  if (query.storyId === undefined) return subject;
  const story = findStoryId(query.storyId);
  if (story === undefined) return undefined;
  const part = sql.row<object>(
    `SELECT 1 FROM story_parts WHERE story = :story AND account = :owner
     UNION ALL SELECT 1 FROM ${unpartedOf(':story')} AND u.account = :owner LIMIT 1`,
    { story, owner },
  );
  return part && { column: 'story', number: story };
}

/** What to walk along; undefined when the account or its rule is not there. */
export function subjectIn(
  sql: Sql,
  { accountId, ruleId }: { accountId: string; ruleId?: string },
): { column: 'rule' | 'account'; number: number } | undefined {
  const owner = accountNumber(sql, accountId);
  if (owner === undefined) return undefined;
  if (ruleId === undefined) return { column: 'account', number: owner };
  const rule = sql.row<{ number: number }>('SELECT number FROM rules WHERE id = ? AND account = ? AND deleted = 0', [
    ruleId,
    owner,
  ]);
  return rule && { column: 'rule', number: rule.number };
}

/** Only rules and accounts have an index of ratings. */
const isOf = ({ column }: Walk['subject']): boolean => column === 'rule' || column === 'account';

const platformsOf = (platform: Platform | undefined): readonly Platform[] =>
  platform === undefined ? PLATFORMS : [platform];
