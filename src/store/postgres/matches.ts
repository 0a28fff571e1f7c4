/**
 * Reading matches. Every list is a walk along one index from a position: of a rule or of an account, on one platform or,
 * merged, on all. What is past retention is walked around, whether its partition is gone already or not.
 */
import { setImmediate } from 'node:timers/promises';
import { PLATFORMS } from '../../domain/platform.ts';
import { findMatchId, findStoryId, positionAt } from '../order.ts';
import { MATCHED_BY, type MatchRow, matchOf, RATING_OF, storyFirst } from '../rows/matches.ts';
import { keptBy, type Walk, walk } from '../rows/walk.ts';
import type { AfterPage, AfterQuery, CommitStore, MatchPage, MatchQuery, MatchStore, Position } from '../store.ts';
import type { Database, Db } from './connection.ts';

/** Rows walked at a time. */
const SLICE = 500;

export const MATCH_COLUMNS = `m.position, m.platform, m.version, m.tail, m.highlights, m.edit_of, r.id AS rule_id,
  r.name AS rule_name, r.deleted, e.post_id, e.payload, e.source, m.story, ${storyFirst()},
  r.relevance_version, ${RATING_OF}, ${MATCHED_BY}`;
export const MATCH_JOINS = 'JOIN rules r ON r.number = m.rule JOIN events e ON e.number = m.event';

type MatchReads = Pick<MatchStore, 'latest' | 'oldest' | 'matches' | 'match' | 'matchesAfter'> &
  Pick<CommitStore, 'cursor'>;

export const matchStore = (db: Database): MatchReads => ({
  async cursor(name) {
    const [row] = await db.rows<{ value: string }>('SELECT value FROM cursors WHERE name = $1', [name]);
    return row?.value;
  },
  latest: async () => (await stateOf(db)).latest,
  oldest: async () => (await stateOf(db)).oldest,
  matches: (query) => pageOf(db, query),
  matchesAfter: (query) => following(db, query),
  async match(accountId, id) {
    const place = findMatchId(id);
    if (place === undefined) return undefined;
    const [row] = await db.rows<MatchRow>(
      `SELECT ${MATCH_COLUMNS} FROM matches m ${MATCH_JOINS}
       WHERE m.position >= $1 AND m.position < $2 AND m.account = (SELECT number FROM accounts WHERE id = $3)
         AND m.tail = $4 AND r.deleted = 0 AND m.position >= (SELECT value FROM state WHERE name = 'oldest')`,
      [place.from, place.below, accountId, place.tail],
    );
    return row && matchOf(row);
  },
});

async function pageOf(db: Db, query: MatchQuery): Promise<MatchPage> {
  const { latest, oldest } = await stateOf(db);
  const subject = await listSubject(db, query);
  if (subject === undefined) return { matches: [], next: undefined, latest, walked: { rows: 0, bytes: 0 } };
  const { before, since, until, limit, platform } = query;
  // Nothing of a story is older than its number.
  const start = subject.column === 'story' ? subject.number : 0;
  const { rows, stopped, walked } = await walk(
    {
      subject,
      platforms: platform === undefined ? PLATFORMS : [platform],
      rating: subject.column === 'rule' || subject.column === 'account' ? query.rating : undefined,
      order: 'DESC',
      above: Math.max(oldest, start, since === undefined ? 0 : positionAt(since.getTime())) - 1,
      below: Math.min(latest + 1, before ?? latest + 1, until === undefined ? latest + 1 : positionAt(until.getTime())),
      // One more than asked for tells whether there is a next page.
      wanted: limit + 1,
      bytes: query.bytes,
      most: query.walk,
      keeps: keptBy(query),
    },
    stepsOf(db),
  );
  const page = rows.slice(0, limit);
  const next = rows.length > limit ? page.at(-1)!.position : stopped;
  return { matches: page.map(matchOf), next, latest, walked };
}

async function following(db: Db, query: AfterQuery): Promise<AfterPage> {
  const { latest, oldest } = await stateOf(db);
  const last = Math.max(latest, query.after);
  const subject = await subjectOf(db, query);
  if (subject === undefined) return { matches: [], last, more: false };
  const { rows, stopped } = await walk(
    {
      subject,
      platforms: query.platform === undefined ? PLATFORMS : [query.platform],
      order: 'ASC',
      above: Math.max(oldest - 1, query.after),
      below: latest + 1,
      wanted: query.limit,
      bytes: query.bytes,
      keeps: () => true,
    },
    stepsOf(db),
  );
  return { matches: rows.map(matchOf), last: stopped ?? last, more: stopped !== undefined };
}

export async function stateOf(db: Db): Promise<{ latest: Position; oldest: Position }> {
  const rows = await db.rows<{ name: string; value: Position }>('SELECT name, value FROM state');
  const values = new Map(rows.map(({ name, value }) => [name, value]));
  return { latest: values.get('latest') ?? 0, oldest: values.get('oldest') ?? 0 };
}

/** The matches of a story or an event are walked over, whatever the rule. */
async function listSubject(db: Db, query: MatchQuery): Promise<Walk['subject'] | undefined> {
  const subject = await subjectOf(db, query);
  if (subject === undefined) return undefined;
  if (query.eventKey !== undefined) return { column: 'event', number: subject.account, key: query.eventKey };
  if (query.storyId === undefined) return subject;
  const story = findStoryId(query.storyId);
  const parts = await db.rows(
    'SELECT 1 FROM story_parts WHERE story = $1 AND account = (SELECT number FROM accounts WHERE id = $2) LIMIT 1',
    [story ?? -1, query.accountId],
  );
  return parts.length === 0 ? undefined : { column: 'story', number: story! };
}

export async function subjectOf(
  db: Db,
  { accountId, ruleId }: { accountId: string; ruleId?: string },
): Promise<{ column: 'rule' | 'account'; number: number; account: number } | undefined> {
  const [row] = await db.rows<{ account: number; rule: number | null }>(
    `SELECT a.number AS account, r.number AS rule FROM accounts a
     LEFT JOIN rules r ON r.account = a.number AND r.id = $2 AND r.deleted = 0 WHERE a.id = $1`,
    [accountId, ruleId ?? null],
  );
  if (row === undefined) return undefined;
  if (ruleId === undefined) return { column: 'account', number: row.account, account: row.account };
  return row.rule === null ? undefined : { column: 'rule', number: row.rule, account: row.account };
}

const stepsOf = (db: Db) => ({
  most: SLICE,
  slice: async (plan: Walk, limit: number) => ({ rows: await slice(db, plan, limit), isCut: false }),
  breathe: () => setImmediate(),
});

/** Positions strictly between `above` and `below`, from one end; one seek for each platform. */
function slice(db: Db, { subject, platforms, order, above, below, rating }: Walk, limit: number): Promise<MatchRow[]> {
  if (subject.column === 'event')
    return db.rows<MatchRow>(
      `SELECT ${MATCH_COLUMNS} FROM (SELECT * FROM matches WHERE event = ANY(ARRAY(SELECT number FROM events WHERE key = $5))
         AND account = $1 AND position > $2 AND position < $3 ORDER BY position ${order} LIMIT $4) m ${MATCH_JOINS}
       ORDER BY m.position ${order}`,
      [subject.number, above, below, limit, subject.key],
    );
  if (rating !== undefined) return ratedSlice(db, { subject, platforms, order, above, below, rating }, limit);
  const legs = platforms.map(
    (_, index) => `(SELECT * FROM matches WHERE ${subject.column} = $1 AND platform = $${index + 5}
      AND position > $2 AND position < $3 ORDER BY position ${order} LIMIT $4)`,
  );
  return db.rows<MatchRow>(
    `SELECT ${MATCH_COLUMNS} FROM (SELECT * FROM (${legs.join(' UNION ALL ')}) u ORDER BY position ${order} LIMIT $4) m ${MATCH_JOINS}
     ORDER BY m.position ${order}`,
    [subject.number, above, below, limit, ...platforms],
  );
}

function ratedSlice(
  db: Db,
  { subject, platforms, order, above, below, rating }: Omit<Walk, 'keeps' | 'wanted'>,
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
    `SELECT ${MATCH_COLUMNS} FROM (SELECT * FROM (${legs.join(' UNION ALL ')}) u ORDER BY position ${order} LIMIT $4) w
     JOIN matches m ON m.position = w.position ${MATCH_JOINS} ORDER BY m.position ${order}`,
    [subject.number, above, below, limit, rating, ...platforms],
  );
}
