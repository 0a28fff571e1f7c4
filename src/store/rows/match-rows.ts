/** The row of a match, with the rule and the event it belongs to. */
import { createLru } from '../../base/lru.ts';
import { type Highlight, type MatchJudgement, type Rating, type StoredMatch, withPayload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { RuleFlags } from '../../domain/rule.ts';
import { DEMO_SOURCE } from '../../domain/source.ts';
import { digits, matchId, type Position, storyId, timeOf } from '../order.ts';
import { decodeName, decodeText, parseColumn } from './texts.ts';
import { unpartedOf } from './unsettled.ts';

export interface MatchRow {
  readonly position: Position;
  /** Also where the rule is deleted and may be restored. */
  readonly account: number;
  readonly event: number;
  readonly platform: Platform;
  readonly version: number;
  readonly tail: string;
  /** Empty when they are found by `matched_by`. */
  readonly highlights: string;
  /** `["text", flags]`; null when highlights are stored, or the text is no longer known. */
  readonly matched_by: string | null;
  readonly edit_of: string | null;
  readonly rule_id: string;
  readonly rule_name: string;
  readonly deleted: number;
  readonly post_id: string;
  /** The payload; of a cold match, until it is read, the list that `cold-text.ts` describes. */
  readonly payload: string;
  readonly source: string | null;
  readonly source_name: string | null;
  readonly story: Position | null;
  /** Whether no match of the story that can be seen is older. */
  readonly story_first: boolean | number;
  readonly rating: Rating | null;
  /** As JSON; null when nobody asked the judge. */
  readonly judgement: string | null;
  readonly relevance_version: number;
}

/** That value in SQL, which asks for few rows: the parts of a story that began before. `more` is a further condition. */
const storyFirst = (more: string): string =>
  `(m.story IS NOT NULL AND (m.story = m.position OR NOT EXISTS (SELECT 1 FROM story_parts p JOIN rules o ON o.number = p.rule
  WHERE p.story = m.story AND p.first < m.position AND o.deleted = 0) ${more}))`;

export const STORY_FIRST = {
  sqlite: storyFirst(`AND NOT EXISTS (SELECT 1 FROM ${unpartedOf('m.story')} AND u.position < m.position
    AND EXISTS (SELECT 1 FROM rules o WHERE o.number = u.rule AND o.deleted = 0))`),
  postgres: storyFirst(''),
};

/**
 * The part of a match's id after the time: its rank, and a key. On SQLite the key is the end of the rule's id, which is
 * random and stored once for all matches of the rule, so new matches have an empty tail. Older ones have a tail of
 * their own.
 */
export const MATCH_TAIL = {
  sqlite: `CASE m.tail WHEN '' THEN ${digits('m.position % 4096', 3)} || substr('${'0'.repeat(16)}' || r.id, -16) ELSE m.tail END`,
  postgres: 'm.tail',
};

/** A column of the match `m`. */
export const RATING_OF = '(SELECT rating FROM ratings WHERE ratings.position = m.position)';

/** The judgement of the match `m`. */
const JUDGEMENT_OF = '(SELECT judgement FROM judgements WHERE judgements.position = m.position)';

/** The text of the version that matched: the rule's own, or one that it had before. A column of the match `m` of the rule `r`. */
const MATCHED_BY = `CASE WHEN m.highlights = '' THEN CASE WHEN m.version = r.version
    THEN (SELECT '[' || t.value || ',' || t.flags || ']' FROM rule_platforms t WHERE t.rule = m.rule AND t.platform = m.platform)
    ELSE (SELECT '[' || t.value || ',' || t.flags || ']' FROM past_texts t
      WHERE t.rule = m.rule AND t.platform = m.platform AND t.version = m.version) END END`;

/** The name that the account gave the source of the event `e`, if it is one of an account. */
const SOURCE_NAME = '(SELECT s.name FROM account_sources s WHERE s.id = e.source)';

/** `wanted` says in SQL which rows are read whole; of the others is known where they are, and of which source. */
function columnsOf(dialect: 'sqlite' | 'postgres', wanted?: string): string {
  const read = (column: string, name: string, other = 'NULL'): string =>
    wanted === undefined ? `${column} AS ${name}` : `CASE WHEN ${wanted} THEN ${column} ELSE ${other} END AS ${name}`;
  return `m.position, abs(m.account) AS account, m.event, m.platform, m.version, ${MATCH_TAIL[dialect]} AS tail, m.highlights, m.edit_of, r.id AS rule_id,
   r.name AS rule_name, r.deleted, e.post_id, e.source, m.story, r.relevance_version,
   ${read('e.payload', 'payload', "''")}, ${read(SOURCE_NAME, 'source_name')}, ${read(STORY_FIRST[dialect], 'story_first')},
   ${read(RATING_OF, 'rating')}, ${read(JUDGEMENT_OF, 'judgement')}, ${read(MATCHED_BY, 'matched_by')}`;
}

/** The columns of the match `m` that a `MatchRow` needs, with the joins below. */
export const MATCH_COLUMNS = { sqlite: columnsOf('sqlite'), postgres: columnsOf('postgres') };

/** These columns are for a walk to the matches of one source, `given` in SQL. Before events had a source, payloads said it. */
export const columnsOfSource = (dialect: 'sqlite' | 'postgres', given: string): string =>
  columnsOf(dialect, `coalesce(e.source, ${given}) = ${given}`);

export const MATCH_JOINS = 'JOIN rules r ON r.number = m.rule JOIN events e ON e.number = m.event';
/** On SQLite the positions of `w` come first. */
export const WALKED_MATCHES = `w CROSS JOIN matches m ON m.position = w.position ${MATCH_JOINS}`;

export const matchOf = (row: MatchRow): StoredMatch =>
  withPayload({
    id: matchId(row.position, row.tail),
    createdAt: new Date(timeOf(row.position)),
    position: row.position,
    platform: row.platform,
    platformPostId: decodeText(row.post_id),
    ruleId: row.rule_id,
    ruleName: decodeName(row.rule_name),
    ruleVersion: row.version,
    json: row.payload,
    highlights: row.highlights === '' ? undefined : parseColumn<Highlight[]>(row.highlights),
    matchedBy: row.matched_by === null ? undefined : ruleTextIn(row.matched_by),
    source: sourceOf(row),
    sourceName: row.source_name === null ? undefined : decodeName(row.source_name),
    storyId: row.story === null ? undefined : storyId(row.story),
    storyFirst: row.story === null ? undefined : Boolean(row.story_first),
    relevanceVersion: row.relevance_version,
    rating: row.rating ?? undefined,
    judgement: row.judgement === null ? undefined : judgementIn(row.judgement),
    editOf: row.edit_of ?? undefined,
  });

export type ToMatch = (row: MatchRow) => StoredMatch;

/** The weight of a match: its row, its fields and its payload. */
const BYTES_OF_MATCH = 1_024;
const BYTES_OF_CHARACTER = 2;
/** Bytes of all: the newest 4,000 posts or so. */
const KEPT_BYTES = 8 * 1024 * 1024;

/**
 * Keeps the matches that were read last. A row that reads as it did is the same match, the same object: whatever a reader has made of it
 * still holds. Every row is read and compared, so a match that was changed or erased, by whoever, is no longer found here.
 */
export function keepMatches(limit = KEPT_BYTES): ToMatch {
  const kept = createLru<Position, { readonly row: MatchRow; readonly match: StoredMatch }>({
    limit,
    weightOf: ({ row }) => BYTES_OF_MATCH + BYTES_OF_CHARACTER * row.payload.length,
  });
  return (row) => {
    const known = kept.get(row.position);
    if (known !== undefined && readsAs(row, known.row)) return known.match;
    const match = matchOf(row);
    kept.set(row.position, { row, match });
    return match;
  };
}

function readsAs<Row extends object>(row: Row, before: Row): boolean {
  for (const name in row) if (row[name] !== before[name]) return false;
  return true;
}

/** The text of a column, which we wrote. */
export function judgementIn(column: string): MatchJudgement {
  const { at, ...said } = parseColumn<Omit<MatchJudgement, 'at'> & { readonly at: number }>(column);
  return { ...said, at: new Date(at) };
}

function ruleTextIn(column: string): StoredMatch['matchedBy'] {
  const [value, flags] = parseColumn<[string, RuleFlags]>(column);
  return { value, flags };
}

/** The demo feed marked its payloads before events had a source. */
const DEMO_PAYLOAD = '{"demo":true,';

export const sourceOf = ({ source, payload }: Pick<MatchRow, 'source' | 'payload'>): string | undefined =>
  source ?? (payload.startsWith(DEMO_PAYLOAD) ? DEMO_SOURCE : undefined);

/**
 * The view `sql_matches`: matches for people who ask the database itself. `matches` is the name of the table behind it, whose
 * columns change with versions of Sluice; those of the view are documented in docs/export.md and only grow. It is dropped
 * before a migration and made again after the last one, so that no migration has to care for it.
 */

export const DROP_SQL_MATCHES = 'DROP VIEW IF EXISTS sql_matches';

interface Dialect {
  /** A text that is stored in the form of a JSON string. */
  text(column: string): string;
  /** A time, of milliseconds since 1970. */
  time(milliseconds: string): string;
}

const SQLITE: Dialect = {
  text: (column) => `json_extract(${column}, '$')`,
  time: (milliseconds) => `strftime('%Y-%m-%dT%H:%M:%fZ', (${milliseconds}) / 1000.0, 'unixepoch')`,
};

const POSTGRES: Dialect = {
  // A text of PostgreSQL has no NUL and no half of a surrogate pair: such a text stays in its stored form.
  text: (column) =>
    `CASE WHEN ${column} ~ '\\\\u(0000|[dD][89a-fA-F])' THEN ${column} ELSE ${column}::json #>> '{}' END`,
  time: (milliseconds) => `timestamptz 'epoch' + (${milliseconds}) * interval '1 millisecond'`,
};

/** `order.ts` has what a position is. */
const timeIn = (position: string): string => `${position} / 4096 + ${Date.UTC(2026, 0, 1)}`;

const viewOf = ({ text, time }: Dialect, first: string, tail: string): string => `CREATE VIEW sql_matches AS
  SELECT a.id AS account_id, ${text('a.name')} AS account_name,
    'match_' || ${digits(timeIn('m.position'), 10)} || ${tail} AS id,
    ${time(timeIn('m.position'))} AS created_at, m.platform, ${text('e.post_id')} AS platform_post_id,
    r.id AS rule_id, ${text('r.name')} AS rule_name, m.version AS rule_version, CASE WHEN substr(e.payload, 1, 1) <> '[' THEN e.payload END AS payload, NULLIF(m.highlights, '') AS highlights, m.edit_of,
    'event_' || e.key AS event_id, e.source,
    CASE WHEN m.story IS NOT NULL
      THEN 'st_' || ${digits(timeIn('m.story'), 10)} || ${digits('m.story % 4096', 3)} END AS story_id,
    ${first} AS story_first, ${RATING_OF} AS rating
  FROM matches m JOIN accounts a ON a.number = m.account JOIN rules r ON r.number = m.rule
    JOIN events e ON e.number = m.event
  WHERE r.deleted = 0 AND m.position >= (SELECT value FROM state WHERE name = 'oldest')`;

export const MATCH_VIEW = {
  sqlite: viewOf(SQLITE, STORY_FIRST.sqlite, MATCH_TAIL.sqlite),
  postgres: viewOf(POSTGRES, STORY_FIRST.postgres, MATCH_TAIL.postgres),
};
