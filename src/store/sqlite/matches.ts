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
import type { AfterQuery, MatchPage, MatchQuery, Position } from '../store.ts';

/** Rows walked between two breaths, and before a page ends short of its limit. */
const SLICE = 200;
const LONGEST_WALK = 50_000;

export const COLUMNS = `m.position, m.platform, m.version, m.tail, m.highlights, m.edit_of, r.id AS rule_id, r.name AS rule_name, r.deleted,
  e.post_id, e.payload`;
export const JOINS =
  'CROSS JOIN matches m ON m.position = w.position JOIN rules r ON r.number = m.rule JOIN events e ON e.number = m.event';

type Subject = 'rule' | 'account';
type Order = 'ASC' | 'DESC';

/** Positions strictly between `above` and `below`, from one end; one seek for each platform. */
function walkSql(subject: Subject, platforms: number, order: Order): string {
  const legs = PLATFORMS.slice(0, platforms).map(
    (_, index) => `SELECT * FROM (SELECT position FROM matches INDEXED BY matches_of_${subject}
      WHERE ${subject} = :subject AND platform = :platform${index} AND position > :above AND position < :below
      ORDER BY position ${order} LIMIT :limit)`,
  );
  return `SELECT ${COLUMNS} FROM (${legs.join(' UNION ALL ')} ORDER BY position ${order} LIMIT :limit) w ${JOINS} ORDER BY w.position ${order}`;
}

interface Walk {
  readonly subject: Subject;
  readonly number: number;
  readonly platforms: readonly Platform[];
  readonly order: Order;
  readonly above: Position;
  readonly below: Position;
  readonly wanted: number;
  readonly keeps: (row: MatchRow) => boolean;
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

  function slice(
    { subject, number, platforms, order }: Walk,
    above: Position,
    below: Position,
    limit: number,
  ): MatchRow[] {
    const name = `${subject} ${platforms.length} ${order}`;
    const statement = statements.get(name) ?? db.prepare(walkSql(subject, platforms.length, order));
    statements.set(name, statement);
    const named = Object.fromEntries(platforms.map((platform, index) => [`platform${index}`, platform]));
    return statement.all({ subject: number, above, below, limit, ...named }) as unknown as MatchRow[];
  }

  /** The rows that are kept, and where the walk stopped: undefined when it came to the end. */
  async function walk(plan: Walk): Promise<{ rows: MatchRow[]; stopped: Position | undefined }> {
    const rows: MatchRow[] = [];
    let { above, below } = plan;
    for (let walked = 0; ; ) {
      const limit = Math.min(SLICE, plan.wanted - rows.length + (walked === 0 ? 0 : SLICE));
      const found = slice(plan, above, below, limit);
      for (const row of found) {
        if (row.deleted === 1 || !plan.keeps(row)) continue;
        rows.push(row);
        if (rows.length === plan.wanted) return { rows, stopped: row.position };
      }
      const last = found.at(-1);
      if (last === undefined || found.length < limit) return { rows, stopped: undefined };
      if (plan.order === 'DESC') below = last.position;
      else above = last.position;
      walked += found.length;
      if (walked >= LONGEST_WALK) return { rows, stopped: last.position };
      await breathe();
    }
  }

  /** What to walk along; undefined when the account or its rule is not there. */
  function subjectOf({
    accountId,
    ruleId,
  }: {
    accountId: string;
    ruleId?: string;
  }): Pick<Walk, 'subject' | 'number'> | undefined {
    const owner = numberOf(account.get(accountId));
    if (owner === undefined || ruleId === undefined)
      return owner === undefined ? undefined : { subject: 'account', number: owner };
    const number = numberOf(rule.get(ruleId, owner));
    return number === undefined ? undefined : { subject: 'rule', number };
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
      const { rows, stopped } = await walk({
        ...subject,
        platforms: platformsOf(query.platform),
        order: 'DESC',
        above: since === undefined ? -1 : positionAt(since.getTime()) - 1,
        below: Math.min(newest + 1, before ?? Infinity, until === undefined ? Infinity : positionAt(until.getTime())),
        // One more than asked for tells whether there is a next page.
        wanted: limit + 1,
        keeps: (row) => has === undefined || has(row.payload),
      });
      const page = rows.slice(0, limit);
      const next = rows.length > limit ? page.at(-1)!.position : stopped;
      return { matches: page.map(matchOf), next, latest: newest };
    },

    async matchesAfter(query: AfterQuery): Promise<{ matches: Match[]; last: Position }> {
      const newest = positionIn(latest.get());
      const subject = subjectOf(query);
      if (subject === undefined) return { matches: [], last: Math.max(newest, query.after) };
      const { rows, stopped } = await walk({
        ...subject,
        platforms: platformsOf(query.platform),
        order: 'ASC',
        above: query.after,
        below: newest + 1,
        wanted: query.limit,
        keeps: () => true,
      });
      return { matches: rows.map(matchOf), last: stopped ?? Math.max(newest, query.after) };
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
