/** Reading stories: a walk along the newest matches of their parts. */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { type MatchRow, matchOf } from '../rows/matches.ts';
import { type PartRow, storyPage } from '../rows/stories.ts';
import type { StoryPage, StoryQuery } from '../store.ts';
import { breathe } from './breathe.ts';
import { COLUMNS, JOINS, oldestOf, subjectIn } from './matches.ts';
import type { Sql } from './sql.ts';

/** One seek for each platform. */
function walkSql(subject: 'account' | 'rule', platforms: readonly Platform[]): string {
  const legs = platforms.map(
    (_, index) => `SELECT * FROM (SELECT story, last FROM story_parts INDEXED BY story_parts_of_${subject}
      WHERE ${subject} = :subject AND platform = :platform${index} AND last > :above AND last < :below
      ORDER BY last DESC LIMIT :limit)`,
  );
  return `SELECT story, last FROM (${legs.join(' UNION ALL ')} ORDER BY last DESC LIMIT :limit)`;
}

const PARTS = `SELECT p.story, r.id AS rule_id, r.deleted, p.platform, p.source, p.matches, p.first, p.last
  FROM json_each(:stories) j CROSS JOIN story_parts p ON p.story = j.value CROSS JOIN rules r ON r.number = p.rule`;

const MATCHES = `SELECT ${COLUMNS} FROM (SELECT value AS position FROM json_each(:positions)) w ${JOINS}`;

export const storyReads = (sql: Sql) => ({
  async stories(query: StoryQuery): Promise<StoryPage> {
    const subject = subjectIn(sql, { accountId: query.accountId, ...(query.ruleId && { ruleId: query.ruleId }) });
    if (subject === undefined) return { stories: [], next: undefined };
    const { column, number } = subject;
    const platforms = query.platform === undefined ? PLATFORMS : [query.platform];
    const named = Object.fromEntries(platforms.map((platform, index) => [`platform${index}`, platform]));
    const text = walkSql(column, platforms);
    return storyPage(query, oldestOf(sql), {
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
