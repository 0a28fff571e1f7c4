/** Stories: what several matches tell, newest activity first. What their parts add up to for a caller, and pages of them. */
import type { StoredMatch, StoredStory } from '../../domain/match.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Db } from '../db.ts';
import { type Position, positionAt, storyId, timeOf } from '../order.ts';
import { MATCH_COLUMNS, MATCH_JOINS, type MatchRow, type ToMatch, WALKED_MATCHES } from '../rows/match-rows.ts';
import type { StoryDecisions, ToldMatch } from '../rows/story-books.ts';
import { SETTLED, unpartedOf } from '../rows/unsettled.ts';
import { wholeRows } from '../rows/whole-rows.ts';
import { oldestOf, subjectOf } from './matches.ts';

export interface StoryStore {
  /** By the newest match that the question is about. A story that is joined meanwhile moves to the front. */
  stories(query: StoryQuery): Promise<StoryPage>;
}

export interface StoryQuery {
  readonly accountId: string;
  /** Only stories that this rule has a match in. */
  readonly ruleId?: string;
  /** Only stories with a match on this platform. */
  readonly platform?: Platform;
  /** The rules that the caller may see: of stories, only their matches count. */
  readonly ruleIds?: readonly string[];
  /** Joined last at or after. */
  readonly since?: Date;
  /** Joined last before. */
  readonly until?: Date;
  readonly before?: Position;
  readonly limit: number;
  /** The page ends with the story that brings the payloads of first matches to this many bytes. */
  readonly bytes?: number;
}

export interface StoryPage {
  readonly stories: StoredStory[];
  /** The position at which older ones begin; undefined on the last page. */
  readonly next: Position | undefined;
}

/** The part of a story that is of one rule, platform and source. */
export interface PartRow {
  readonly story: Position;
  readonly rule_id: string;
  readonly deleted: number;
  readonly platform: Platform;
  readonly source: string;
  readonly matches: number;
  readonly first: Position;
  readonly last: Position;
}

export interface StoryPart {
  readonly story: Position;
  readonly rule: number;
  readonly platform: Platform;
  readonly source: string;
}

export interface NewPart extends StoryPart {
  readonly account: number;
  readonly matches: number;
  readonly first: Position;
  readonly last: Position;
}

/** The parts that a commit adds to, each once. */
export function newParts(platform: Platform, matches: readonly ToldMatch[], { stories }: StoryDecisions): NewPart[] {
  const parts = new Map<string, NewPart>();
  for (const [index, { account, ruleNumber: rule, position, source }] of matches.entries()) {
    const part = { story: stories[index]!, rule, platform, source: source ?? '', account };
    const key = `${part.story} ${rule} ${part.source}`;
    const known = parts.get(key) ?? { ...part, matches: 0, first: position, last: position };
    parts.set(key, { ...known, matches: known.matches + 1, last: position });
  }
  return [...parts.values()];
}

/** Rows read at a time, and how many before a page ends short of its limit. */
const SLICE = 100;
const LONGEST_WALK = 10_000;
/** First matches read at a time: each may hold a megabyte. */
const READ_SLICE = 16;

interface Reading {
  /** Rows before a page ends short, where they are matches and not parts. */
  readonly longest?: number | undefined;
  /** The last matches of parts strictly between two positions, newest first, of the rule or account that is asked about. Other matches do no harm. */
  slice(above: Position, below: Position, limit: number): Steps<{ story: Position; last: Position }>;
  parts(stories: readonly Position[]): Steps<PartRow>;
  matches(positions: readonly Position[]): Steps<{ match: StoredMatch; bytes: number }>;
}

type Steps<T> = readonly T[] | Promise<readonly T[]>;

/** Nothing older than `oldest` is there any more. */
export async function storyPage(query: StoryQuery, oldest: Position, reading: Reading): Promise<StoryPage> {
  const { since, until, before, limit } = query;
  const above = Math.max(oldest, since === undefined ? 0 : positionAt(since.getTime())) - 1;
  let below = Math.min(before ?? Infinity, until === undefined ? Number.MAX_SAFE_INTEGER : positionAt(until.getTime()));
  const found: Seen[] = [];
  /** The newest match of each story that was met. Matches stored meanwhile belong to the next question. */
  const newest = new Map<Position, Position>();
  for (let walked = 0; ; ) {
    const rows = await reading.slice(above, Math.min(below, Number.MAX_SAFE_INTEGER), SLICE);
    const unknown = rows.filter(({ story, last }) => (newest.get(story) ?? last) === last).map(({ story }) => story);
    const parts = await reading.parts([...new Set(unknown)]);
    const seenOfStory = new Map<Position, Seen | undefined>();
    for (const [number, its] of Map.groupBy(parts, ({ story }) => story)) seenOfStory.set(number, seenOf(its, query));
    for (const { story, last } of rows) {
      below = last;
      const seen = seenOfStory.get(story);
      if (!newest.has(story)) newest.set(story, seen?.newest ?? 0);
      // The part with a story's newest match stands for the story.
      if (seen === undefined || seen.newest !== last) continue;
      found.push(seen);
      // One more than asked for tells whether there is a next page.
      if (found.length > limit) return withMatches(query, reading, found.slice(0, limit), found[limit - 1]!.newest);
    }
    walked += rows.length;
    const isEnd = rows.length < SLICE;
    if (isEnd || walked >= (reading.longest ?? LONGEST_WALK))
      return withMatches(query, reading, found, isEnd ? undefined : below);
  }
}

/** A story as the caller sees it. */
interface Seen {
  readonly parts: readonly PartRow[];
  readonly began: Position;
  /** The first and the newest match that the question is about. */
  readonly first: Position;
  readonly newest: Position;
}

function seenOf(rows: readonly PartRow[], { ruleId, platform, ruleIds }: StoryQuery): Seen | undefined {
  const parts = rows.filter(({ deleted, rule_id }) => deleted === 0 && (ruleIds?.includes(rule_id) ?? true));
  const asked = parts.filter(
    (part) => (ruleId ?? part.rule_id) === part.rule_id && (platform ?? part.platform) === part.platform,
  );
  if (asked.length === 0) return undefined;
  return {
    parts,
    began: parts.reduce((least, { first }) => Math.min(least, first), Infinity),
    first: asked.reduce((least, { first }) => Math.min(least, first), Infinity),
    newest: newestOf(asked),
  };
}

async function withMatches(
  { bytes: most = Infinity }: StoryQuery,
  reading: Reading,
  found: readonly Seen[],
  next: Position | undefined,
): Promise<StoryPage> {
  const stories: StoredStory[] = [];
  let bytes = 0;
  for (let from = 0; from < found.length; from += READ_SLICE) {
    const slice = found.slice(from, from + READ_SLICE);
    const matches = await reading.matches([...new Set(slice.flatMap(({ began, first }) => [began, first]))]);
    const byPosition = new Map(matches.map((one) => [one.match.position, one]));
    for (const seen of slice) {
      const [began, first] = [byPosition.get(seen.began), byPosition.get(seen.first)];
      // It went between two reads: the story is told by others from the next page on.
      if (began === undefined || first === undefined) continue;
      stories.push(storyOf(seen, began.match, first.match));
      bytes += first.bytes + (began === first ? 0 : began.bytes);
      if (bytes >= most && seen !== found.at(-1)) return { stories, next: seen.newest };
    }
  }
  return { stories, next };
}

/** A story may have more parts than a call has arguments. */
const newestOf = (parts: readonly PartRow[]): Position => parts.reduce((most, { last }) => Math.max(most, last), 0);

const storyOf = ({ parts }: Seen, began: StoredMatch, first: StoredMatch): StoredStory => ({
  id: storyId(parts[0]!.story),
  size: parts.reduce((sum, { matches }) => sum + matches, 0),
  began,
  first,
  lastAt: new Date(timeOf(newestOf(parts))),
  platforms: distinct(parts.map(({ platform }) => platform)),
  sources: distinct(parts.map(({ source }) => source)).filter((source) => source !== ''),
  ruleIds: distinct(parts.map(({ rule_id }) => rule_id)),
});

/** In the order of their names. */
const distinct = <T extends string>(values: readonly T[]): T[] => [...new Set(values)].toSorted();

const merged = (legs: readonly string[]): string =>
  `SELECT story, last FROM (${legs.map((leg) => `SELECT * FROM (${leg}) l`).join(' UNION ALL ')}) u ORDER BY last DESC LIMIT $4`;

/** Stories with their newest matches between two positions, with one seek for each platform, the last values. */
const WALKS: Record<Db['dialect'], (subject: 'account' | 'rule', platforms: readonly Platform[]) => string> = {
  /** Along the matches themselves: the newest match of a story is among them. */
  sqlite(subject, platforms) {
    const names = platforms.map((_, index) => `$${index + 5}`);
    const range = 'AND position > $2 AND position < $3';
    const walks = names.map((name) =>
      subject === 'rule'
        ? `rule_matches WHERE rule = $1 AND platform = ${name} ${range}`
        : `matches INDEXED BY matches_of_account WHERE account = $1 AND platform = ${name} ${range}`,
    );
    const unsettled = `matches NOT INDEXED WHERE rule = $1 AND platform IN (${names.join(', ')}) ${range} AND position > ${SETTLED}`;
    return merged(
      (subject === 'rule' ? [...walks, unsettled] : walks).map(
        (found) => `SELECT coalesce(story, 0) AS story, position AS last FROM ${found} ORDER BY position DESC LIMIT $4`,
      ),
    );
  },
  /** Along the newest matches of their parts. */
  postgres: (subject, platforms) =>
    merged(
      platforms.map(
        (_, index) => `SELECT story, last FROM story_parts WHERE ${subject} = $1 AND platform = $${index + 5}
          AND last > $2 AND last < $3 ORDER BY last DESC LIMIT $4`,
      ),
    ),
};

const PART = 'r.id AS rule_id, r.deleted, p.platform, p.source, p.matches, p.first, p.last';

const PARTS = {
  sqlite: `SELECT p.story, ${PART} FROM unnest($1) AS j (story) CROSS JOIN story_parts p ON p.story = j.story
    CROSS JOIN rules r ON r.number = p.rule
    UNION ALL SELECT u.story, r.id, r.deleted, u.platform, coalesce(e.source, ''), 1, u.position, u.position
    FROM unnest($1) AS j (story)
    CROSS JOIN ${unpartedOf('j.story', 'CROSS JOIN rules r ON r.number = u.rule CROSS JOIN events e ON e.number = u.event')}`,
  postgres: `SELECT p.story, ${PART} FROM story_parts p JOIN rules r ON r.number = p.rule WHERE p.story = ANY($1)`,
};

const MATCHES = {
  sqlite: `SELECT ${MATCH_COLUMNS.sqlite} FROM (SELECT value AS position FROM json_each($1)) ${WALKED_MATCHES}`,
  postgres: `SELECT ${MATCH_COLUMNS.postgres} FROM matches m ${MATCH_JOINS} WHERE m.position = ANY($1)`,
};

/** Matches before a page on SQLite ends short: a story may have very many of them. */
const LONGEST_WALK_OF_MATCHES = 100_000;

export const storyReads = (db: Db, keptMatch: ToMatch): StoryStore => ({
  async stories(query) {
    const subject = await subjectOf(db, { accountId: query.accountId, ...(query.ruleId && { ruleId: query.ruleId }) });
    if (subject === undefined) return { stories: [], next: undefined };
    const platforms = query.platform === undefined ? PLATFORMS : [query.platform];
    const text = WALKS[db.dialect](subject.column, platforms);
    return storyPage(query, await oldestOf(db), {
      longest: db.dialect === 'sqlite' ? LONGEST_WALK_OF_MATCHES : undefined,
      slice: (above, below, limit) => db.rows(text, [subject.number, above, below, limit, ...platforms]),
      parts: (stories) => db.rows<PartRow>(PARTS[db.dialect], [stories]),
      async matches(positions) {
        const rows = await wholeRows(db, await db.rows<MatchRow>(MATCHES[db.dialect], [positions]));
        return rows.map((row) => ({ match: keptMatch(row), bytes: Buffer.byteLength(row.payload) }));
      },
    });
  },
});
