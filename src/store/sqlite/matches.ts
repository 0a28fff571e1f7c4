/**
 * Reading matches. Every list is a walk along one index from a position: of a rule or of an account, on one platform
 * or, merged, on all. Rows of deleted rules that are still on the disk, and rows without the wanted text, are walked
 * over in slices, so that no walk holds the program up.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Match } from '../../domain/match.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { findMatchId, positionAt } from '../order.ts';
import { type MatchRow, matchOf } from '../rows/matches.ts';
import { textFilter } from '../rows/text-filter.ts';
import { type Walk, walk } from '../rows/walk.ts';
import type { AfterPage, AfterQuery, MatchPage, MatchQuery, Position } from '../store.ts';

/** Rows walked between two breaths. */
const SLICE = 200;

export const COLUMNS = `m.position, m.platform, m.version, m.tail, m.highlights, m.edit_of, r.id AS rule_id, r.name AS rule_name, r.deleted,
  e.post_id, e.payload`;
export const JOINS =
  'CROSS JOIN matches m ON m.position = w.position JOIN rules r ON r.number = m.rule JOIN events e ON e.number = m.event';

/** Positions strictly between `above` and `below`, from one end; one seek for each platform. */
function walkSql(subject: Walk['subject']['column'], platforms: number, order: Walk['order']): string {
  const legs = PLATFORMS.slice(0, platforms).map(
    (_, index) => `SELECT * FROM (SELECT position FROM matches INDEXED BY matches_of_${subject}
      WHERE ${subject} = :subject AND platform = :platform${index} AND position > :above AND position < :below
      ORDER BY position ${order} LIMIT :limit)`,
  );
  return `SELECT ${COLUMNS} FROM (${legs.join(' UNION ALL ')} ORDER BY position ${order} LIMIT :limit) w ${JOINS} ORDER BY w.position ${order}`;
}

export function matchReads(db: DatabaseSync, breathe: () => Promise<void>) {
  const statements = new Map<string, StatementSync>();
  const account = db.prepare('SELECT number FROM accounts WHERE id = ?');
  const rule = db.prepare('SELECT number FROM rules WHERE id = ? AND account = ? AND deleted = 0');
  const latest = db.prepare(`SELECT value FROM state WHERE name = 'latest'`);
  const oldest = db.prepare(`SELECT value FROM state WHERE name = 'oldest'`);
  const cursor = db.prepare('SELECT value FROM cursors WHERE name = ?');
  const one = db.prepare(
    `SELECT ${COLUMNS} FROM (SELECT position FROM matches NOT INDEXED WHERE position >= ? AND position < ? AND account = ? AND tail = ?) w ${JOINS}`,
  );

  const numberOf = (row: unknown): number | undefined => (row as { number: number } | undefined)?.number;
  const positionIn = (row: unknown): Position => (row as { value: Position }).value;

  function slice({ subject, platforms, order, above, below }: Walk, limit: number): MatchRow[] {
    const name = `${subject.column} ${platforms.length} ${order}`;
    const statement = statements.get(name) ?? db.prepare(walkSql(subject.column, platforms.length, order));
    statements.set(name, statement);
    const named = Object.fromEntries(platforms.map((platform, index) => [`platform${index}`, platform]));
    return statement.all({ subject: subject.number, above, below, limit, ...named }) as unknown as MatchRow[];
  }
  const steps = { most: SLICE, slice, breathe };

  /** What to walk along; undefined when the account or its rule is not there. */
  function subjectOf({ accountId, ruleId }: AfterQuery | MatchQuery): Walk['subject'] | undefined {
    const owner = numberOf(account.get(accountId));
    if (owner === undefined || ruleId === undefined)
      return owner === undefined ? undefined : { column: 'account', number: owner };
    const number = numberOf(rule.get(ruleId, owner));
    return number === undefined ? undefined : { column: 'rule', number };
  }

  const platformsOf = (platform: Platform | undefined): readonly Platform[] =>
    platform === undefined ? PLATFORMS : [platform];

  return {
    cursor: (name: string): string | undefined => (cursor.get(name) as { value: string } | undefined)?.value,
    latest: (): Position => positionIn(latest.get()),
    oldest: (): Position => positionIn(oldest.get()),

    async matches(query: MatchQuery): Promise<MatchPage> {
      const newest = positionIn(latest.get());
      const subject = subjectOf(query);
      if (subject === undefined) return { matches: [], next: undefined, latest: newest };
      const { before, since, until, text, limit } = query;
      const has = text === undefined ? undefined : textFilter(text);
      const { rows, stopped } = await walk(
        {
          subject,
          platforms: platformsOf(query.platform),
          order: 'DESC',
          above: since === undefined ? -1 : positionAt(since.getTime()) - 1,
          below: Math.min(newest + 1, before ?? Infinity, until === undefined ? Infinity : positionAt(until.getTime())),
          // One more than asked for tells whether there is a next page.
          wanted: limit + 1,
          keeps: (row) => has === undefined || has(row.payload),
        },
        steps,
      );
      const page = rows.slice(0, limit);
      const next = rows.length > limit ? page.at(-1)!.position : stopped;
      return { matches: page.map(matchOf), next, latest: newest };
    },

    async matchesAfter(query: AfterQuery): Promise<AfterPage> {
      const newest = positionIn(latest.get());
      const subject = subjectOf(query);
      if (subject === undefined) return { matches: [], last: Math.max(newest, query.after), more: false };
      const { rows, stopped } = await walk(
        {
          subject,
          platforms: platformsOf(query.platform),
          order: 'ASC',
          above: query.after,
          below: newest + 1,
          wanted: query.limit,
          bytes: query.bytes,
          keeps: () => true,
        },
        steps,
      );
      return {
        matches: rows.map(matchOf),
        last: stopped ?? Math.max(newest, query.after),
        more: stopped !== undefined,
      };
    },

    match(accountId: string, id: string): Match | undefined {
      const place = findMatchId(id);
      const owner = numberOf(account.get(accountId));
      if (place === undefined || owner === undefined) return undefined;
      const row = one.get(place.from, place.below, owner, place.tail) as MatchRow | undefined;
      return row === undefined || row.deleted === 1 ? undefined : matchOf(row);
    },
  };
}
