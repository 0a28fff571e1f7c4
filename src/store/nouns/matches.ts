/**
 * Matches: pages and streams. Every list is a walk along one index from a position: of a rule or of an account, on one platform
 * or, merged, on all. How a slice of the walk is read is the business of each database.
 */
import { textFinder } from '../../base/text-finder.ts';
import type { Payload, Rating, StoredMatch } from '../../domain/match.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { traitsFilter, traitsOf } from '../../signal/event-traits.ts';
import { unescaped } from '../../signal/shown-text.ts';
import type { Db } from '../db.ts';
import { findMatchId, findStoryId, type Position, positionAt, storyId } from '../order.ts';
import {
  MATCH_COLUMNS,
  MATCH_JOINS,
  MATCH_TAIL,
  type MatchRow,
  matchOf,
  sourceOf,
  type ToMatch,
  WALKED_MATCHES,
} from '../rows/match-rows.ts';
import { parseColumn } from '../rows/texts.ts';
import { unpartedOf } from '../rows/unsettled.ts';
import { type Walk, type WalkBudget, type WalkSteps, walk } from '../rows/walk.ts';
import { wholeRows, wholeSteps } from '../rows/whole-rows.ts';

export interface MatchStore {
  /** Newest first by creation time, then id; an index seek for every combination of rule and platform. */
  matches(query: MatchQuery): Promise<MatchPage>;
  match(accountId: string, matchId: string): Promise<StoredMatch | undefined>;
  /** Matches after a position, oldest first, for streams and waiting. */
  matchesAfter(query: AfterQuery): Promise<AfterPage>;
  /** The position of the newest match of all accounts; nothing after it has been seen. */
  latest(): Promise<Position>;
  /** Positions below this may have lost matches to retention. */
  oldest(): Promise<Position>;
}

export interface MatchQuery {
  readonly accountId: string;
  readonly ruleId?: string;
  readonly platform?: Platform;
  readonly storyId?: string;
  /** Matches of one event. Those that were stored before events had keys are not found by them. */
  readonly eventKey?: string;
  /** Created at or after. */
  readonly since?: Date;
  /** Created before. */
  readonly until?: Date;
  /** Case-blind substring of the payload's text. */
  readonly text?: string;
  /** A name, with or without `@`, or an id. */
  readonly author?: string;
  /** The domain of a page, or of a link in a post; subdomains count. */
  readonly domain?: string;
  readonly language?: string;
  /** The name of the source that brought the event. */
  readonly source?: string;
  /** Rated so; a walk along the ratings, whatever the number of matches. */
  readonly rating?: Rating;
  readonly before?: Position;
  readonly limit: number;
  /** The page ends with the match that brings its payloads to this many bytes. */
  readonly bytes?: number;
  /** The page ends after this much, whatever it found. */
  readonly walk?: WalkBudget;
}

export interface AfterQuery {
  readonly accountId: string;
  readonly ruleId?: string;
  readonly platform?: Platform;
  /** The name of the source that brought the event. */
  readonly source?: string;
  readonly after: Position;
  readonly limit: number;
  /** The page ends with the match that brings its payloads to this many bytes. */
  readonly bytes?: number;
  /** The page ends after this much, whatever it found. */
  readonly walk?: WalkBudget;
}

export interface AfterPage {
  /** Oldest first. */
  readonly matches: StoredMatch[];
  /** The position to go on from. */
  readonly last: Position;
  /** There may be more after `last`: the page ended by its limit, its bytes or the length of its walk. */
  readonly more: boolean;
  /** How much was gone through for it. */
  readonly walked: WalkBudget;
}

export interface MatchPage {
  readonly matches: StoredMatch[];
  /** The position at which older ones begin; undefined on the last page. */
  readonly next: Position | undefined;
  readonly latest: Position;
  /** How much was gone through for it. */
  readonly walked: WalkBudget;
}

const stateOf = async (db: Db, name: 'latest' | 'oldest'): Promise<Position> =>
  (await db.row<{ value: Position }>('SELECT value FROM state WHERE name = $1', [name]))!.value;

export const latestOf = (db: Db): Promise<Position> => stateOf(db, 'latest');
/** Walks begin here: they pass over matches past retention, whether these have left the disk already or not. */
export const oldestOf = (db: Db): Promise<Position> => stateOf(db, 'oldest');

const ONE = {
  sqlite: `SELECT ${MATCH_COLUMNS.sqlite} FROM (SELECT position FROM matches NOT INDEXED
      WHERE position >= $1 AND position < $2 AND account = (SELECT number FROM accounts WHERE id = $3)) ${WALKED_MATCHES}
    WHERE ${MATCH_TAIL.sqlite} = $4 AND r.deleted = 0`,
  postgres: `SELECT ${MATCH_COLUMNS.postgres} FROM matches m ${MATCH_JOINS}
    WHERE m.position >= $1 AND m.position < $2 AND m.account = (SELECT number FROM accounts WHERE id = $3)
      AND m.tail = $4 AND r.deleted = 0 AND m.position >= (SELECT value FROM state WHERE name = 'oldest')`,
};

export const matchReads = (db: Db, steps: WalkSteps, keptMatch: ToMatch): MatchStore => ({
  latest: () => latestOf(db),
  oldest: () => oldestOf(db),
  matches: (query) =>
    // A walk through many matches would push out those that readers come back to.
    pageOf(db, wholeSteps(db, steps), query, query.walk === undefined ? keptMatch : matchOf),
  matchesAfter: (query) => following(db, wholeSteps(db, steps), query, keptMatch),
  async match(accountId, id) {
    const place = findMatchId(id);
    if (place === undefined) return undefined;
    const rows = await db.rows<MatchRow>(ONE[db.dialect], [place.from, place.below, accountId, place.tail]);
    const [row] = await wholeRows(db, rows);
    return row && keptMatch(row);
  },
});

async function pageOf(db: Db, steps: WalkSteps, query: MatchQuery, toMatch: ToMatch): Promise<MatchPage> {
  const [latest, oldest] = [await latestOf(db), await oldestOf(db)];
  const subject = await listSubject(db, query);
  if (subject === undefined) return { matches: [], next: undefined, latest, walked: { rows: 0, bytes: 0 } };
  const { before, since, until, limit, platform } = query;
  // Nothing of a story is older than its number.
  const start = subject.column === 'story' ? subject.number : 0;
  const { rows, stopped, walked } = await walk(
    {
      subject,
      platforms: platform === undefined ? PLATFORMS : [platform],
      // Only rules and accounts have an index of ratings.
      rating: subject.column === 'rule' || subject.column === 'account' ? query.rating : undefined,
      source: query.source,
      order: 'DESC',
      above: Math.max(oldest, start, since === undefined ? 0 : positionAt(since.getTime())) - 1,
      below: Math.min(latest + 1, before ?? latest + 1, until === undefined ? latest + 1 : positionAt(until.getTime())),
      // One more than asked for tells whether there is a next page.
      wanted: limit + 1,
      bytes: query.bytes,
      most: query.walk,
      keeps: keptBy(query),
    },
    steps,
  );
  const page = rows.slice(0, limit);
  const next = rows.length > limit ? page.at(-1)!.position : stopped;
  return { matches: page.map(toMatch), next, latest, walked };
}

/** A source may have no match among those of its account, and who waits for one is not charged by what is walked over. */
export const WALK_TO_SOURCE: WalkBudget = { rows: 5_000, bytes: 4 * 1024 * 1024 };

async function following(db: Db, steps: WalkSteps, query: AfterQuery, toMatch: ToMatch): Promise<AfterPage> {
  const [latest, oldest] = [await latestOf(db), await oldestOf(db)];
  const last = Math.max(latest, query.after);
  const subject = await subjectOf(db, query);
  if (subject === undefined) return { matches: [], last, more: false, walked: { rows: 0, bytes: 0 } };
  const { rows, stopped, walked } = await walk(
    {
      subject,
      platforms: query.platform === undefined ? PLATFORMS : [query.platform],
      source: query.source,
      order: 'ASC',
      above: Math.max(oldest - 1, query.after),
      below: latest + 1,
      wanted: query.limit,
      bytes: query.bytes,
      most: query.walk ?? (query.source === undefined ? undefined : WALK_TO_SOURCE),
      keeps: (row) => query.source === undefined || query.source === sourceOf(row),
    },
    steps,
  );
  return { matches: rows.map(toMatch), last: stopped ?? last, more: stopped !== undefined, walked };
}

const STORY_OF_ACCOUNT = {
  sqlite: `SELECT 1 FROM story_parts WHERE story = $1 AND account = $2
    UNION ALL SELECT 1 FROM ${unpartedOf('$1')} AND u.account = $2 LIMIT 1`,
  postgres: 'SELECT 1 FROM story_parts WHERE story = $1 AND account = $2 LIMIT 1',
};

/** The matches of a story or an event are walked over, whatever the rule. */
async function listSubject(db: Db, query: MatchQuery): Promise<Walk['subject'] | undefined> {
  const subject = await subjectOf(db, query);
  if (subject === undefined) return undefined;
  if (query.eventKey !== undefined) return { column: 'event', number: subject.account, key: query.eventKey };
  if (query.storyId === undefined) return subject;
  const story = findStoryId(query.storyId);
  if (story === undefined) return undefined;
  const part = await db.row(STORY_OF_ACCOUNT[db.dialect], [story, subject.account]);
  return part === undefined ? undefined : { column: 'story', number: story };
}

/** Finds the account or the rule to walk along. Returns undefined when it is not there. */
export async function subjectOf(
  db: Db,
  { accountId, ruleId }: { accountId: string; ruleId?: string },
): Promise<{ column: 'rule' | 'account'; number: number; account: number } | undefined> {
  const row = await db.row<{ account: number; rule: number | null }>(
    `SELECT a.number AS account, r.number AS rule FROM accounts a
     LEFT JOIN rules r ON r.account = a.number AND r.id = $2 AND r.deleted = 0 WHERE a.id = $1`,
    [accountId, ruleId ?? null],
  );
  if (row === undefined) return undefined;
  if (ruleId === undefined) return { column: 'account', number: row.account, account: row.account };
  return row.rule === null ? undefined : { column: 'rule', number: row.rule, account: row.account };
}

/** Decides which rows along its walk a list keeps. A walk along ratings meets only rows with the right one. */
function keptBy(query: MatchQuery): Walk['keeps'] {
  const { ruleId, rating, text, platform, source, storyId: story } = query;
  const has = text === undefined ? undefined : textFilter(text);
  const isWanted = wantsTraits(query) ? traitsFilter(query) : undefined;
  return (row) =>
    (ruleId ?? row.rule_id) === row.rule_id &&
    (platform ?? row.platform) === row.platform &&
    (story === undefined || (row.story !== null && storyId(row.story) === story)) &&
    (rating === undefined || rating === row.rating) &&
    (source === undefined || source === sourceOf(row)) &&
    (has === undefined || has(row.payload, row.platform)) &&
    (isWanted === undefined || isWanted(traitsOf(row.platform, parseColumn<Payload>(row.payload))));
}

const wantsTraits = ({ author, domain, language }: MatchQuery): boolean =>
  author !== undefined || domain !== undefined || language !== undefined;

/** The keys under which posts and pages have their text, or a list of texts, wherever in the payload. */
const TEXT_KEYS: ReadonlySet<string> = new Set(['text', 'title', 'markdown', 'added']);

/** The case-blind search in a payload: in what people wrote and read, not in ids, links or language codes. */
export function textFilter(wanted: string): (payload: string, platform: Platform) => boolean {
  const needle = fold(wanted);
  const finder = textFinder(needle);
  // JSON writes nothing of it in another way, unless it writes characters by their numbers.
  const isPlain = JSON.stringify(needle) === `"${needle}"` && !needle.includes('/');
  // X writes these signs in another way: between two of them the text stands as it is.
  const parts = needle.split(/[&<>]/).toSorted((one, other) => other.length - one.length);
  const longest = textFinder(parts[0]!);
  return (payload, platform) => {
    // Most payloads do not have it anywhere, and need not be read.
    if (isPlain && !payload.includes('\\u') && longest.indexIn(fold(payload)) < 0) return false;
    const texts = textsIn(JSON.parse(payload));
    return texts.some((text) => finder.indexIn(fold(platform === 'x' ? unescaped(text) : text)) >= 0);
  };
}

/** By way of lower case, so that letters with several small or capital forms become one. */
const fold = (text: string): string => text.toLowerCase().toUpperCase();

/** The texts of a list stand under the key of the list. */
function textsIn(value: unknown, key = ''): string[] {
  if (typeof value === 'string') return TEXT_KEYS.has(key) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((inside) => textsIn(inside, key));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inside]) => textsIn(inside, name));
}
