/** Reading stories: a walk along matches, of which the newest of each story stands for it. */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { type MatchRow, matchOf } from '../rows/matches.ts';
import { type PartRow, storyPage } from '../rows/stories.ts';
import type { StoryPage, StoryQuery } from '../store.ts';
import { breathe } from './breathe.ts';
import { COLUMNS, JOINS, oldestOf, subjectIn } from './matches.ts';
import type { Sql } from './sql.ts';
import { SETTLED, unpartedOf } from './unsettled.ts';

/** Along the matches of a rule or an account, with one seek for each platform: the newest match of a story is among them. */
function walkSql(subject: 'account' | 'rule', platforms: readonly Platform[]): string {
  const names = platforms.map((_, index) => `:platform${index}`);
  const range = 'AND position > :above AND position < :below';
  const walks = names.map((name) =>
    subject === 'rule'
      ? `rule_matches WHERE rule = :subject AND platform = ${name} ${range}`
      : `matches INDEXED BY matches_of_account WHERE account = :subject AND platform = ${name} ${range}`,
  );
  const unsettled = `matches NOT INDEXED WHERE rule = :subject AND platform IN (${names.join(', ')}) ${range} AND position > ${SETTLED}`;
  const legs = (subject === 'rule' ? [...walks, unsettled] : walks).map(
    (walk) =>
      `SELECT * FROM (SELECT coalesce(story, 0) AS story, position AS last FROM ${walk} ORDER BY position DESC LIMIT :limit)`,
  );
  return `SELECT story, last FROM (${legs.join(' UNION ALL ')} ORDER BY last DESC LIMIT :limit)`;
}

const PARTS = `SELECT p.story, r.id AS rule_id, r.deleted, p.platform, p.source, p.matches, p.first, p.last
  FROM json_each(:stories) j CROSS JOIN story_parts p ON p.story = j.value CROSS JOIN rules r ON r.number = p.rule
  UNION ALL SELECT u.story, r.id, r.deleted, u.platform, coalesce(e.source, ''), 1, u.position, u.position
  FROM json_each(:stories) j
  CROSS JOIN ${unpartedOf('j.value', 'CROSS JOIN rules r ON r.number = u.rule CROSS JOIN events e ON e.number = u.event')}`;

const MATCHES = `SELECT ${COLUMNS} FROM (SELECT value AS position FROM json_each(:positions)) w ${JOINS}`;

/** Matches before a page ends short: a story may have very many of them. */
const LONGEST_WALK = 100_000;

export const storyReads = (sql: Sql) => ({
  async stories(query: StoryQuery): Promise<StoryPage> {
    const subject = subjectIn(sql, { accountId: query.accountId, ...(query.ruleId && { ruleId: query.ruleId }) });
    if (subject === undefined) return { stories: [], next: undefined };
    const { column, number } = subject;
    const platforms = query.platform === undefined ? PLATFORMS : [query.platform];
    const named = Object.fromEntries(platforms.map((platform, index) => [`platform${index}`, platform]));
    const text = walkSql(column, platforms);
    return storyPage(query, oldestOf(sql), {
      longest: LONGEST_WALK,
      slice: (above, below, limit) => sql.rows(text, { subject: number, above, below, limit, ...named }),
      parts: (stories) => sql.rows<PartRow>(PARTS, { stories: JSON.stringify(stories) }),
      matches: (positions) =>
        sql
          .rows<MatchRow>(MATCHES, { positions: JSON.stringify(positions) })
          .map((row) => ({ match: matchOf(row), bytes: Buffer.byteLength(row.payload) })),
      breathe,
    });
  },
});
