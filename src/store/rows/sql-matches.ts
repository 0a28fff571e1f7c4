/**
 * The view `sql_matches`: matches for people who ask the database itself. `matches` is the name of the table behind it, whose
 * columns change with versions of Sluice; those of the view are documented in docs/export.md and only grow. It is dropped
 * before a migration and made again after the last one, so that no migration has to care for it.
 */
import { digits } from '../order.ts';
import { MATCH_TAIL, RATING_OF, STORY_FIRST } from './match-rows.ts';

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
    ${first}, ${RATING_OF}
  FROM matches m JOIN accounts a ON a.number = m.account JOIN rules r ON r.number = m.rule
    JOIN events e ON e.number = m.event
  WHERE r.deleted = 0 AND m.position >= (SELECT value FROM state WHERE name = 'oldest')`;

export const MATCH_VIEW = {
  sqlite: viewOf(SQLITE, STORY_FIRST.sqlite, MATCH_TAIL.sqlite),
  postgres: viewOf(POSTGRES, STORY_FIRST.postgres, MATCH_TAIL.postgres),
};
