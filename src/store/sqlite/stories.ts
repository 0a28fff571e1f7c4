/** Reading stories: a walk along the newest matches of their parts. */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { type MatchRow, matchOf } from '../rows/matches.ts';
import { type PartRow, storyPage } from '../rows/stories.ts';
import type { StoryPage, StoryQuery } from '../store.ts';
import { breathe } from './breathe.ts';
import { COLUMNS, JOINS, oldestOf, subjectIn } from './matches.ts';
import type { Sql } from './sql.ts';
import { SETTLED, unsettledOf } from './unsettled.ts';

/** What is settled, with one seek for each platform, and what is not. A part of a rule's story has its newest match among those of the rule. */
function walkSql(subject: 'account' | 'rule', platforms: readonly Platform[]): string {
  const names = platforms.map((_, index) => `:platform${index}`);
  const settled = names.map((name) =>
    subject === 'rule'
      ? `SELECT story, position AS last FROM rule_matches
         WHERE rule = :subject AND platform = ${name} AND position > :above AND position < :below ORDER BY position`
      : `SELECT story, last FROM story_parts INDEXED BY story_parts_of_account
         WHERE account = :subject AND platform = ${name} AND last > :above AND last < :below ORDER BY last`,
  );
  const unsettled = `SELECT story, position AS last FROM matches NOT INDEXED
    WHERE ${subject} = :subject AND platform IN (${names.join(', ')}) AND position > max(:above, ${SETTLED}) AND position < :below
    ORDER BY position`;
  const legs = [...settled, unsettled].map((leg) => `SELECT * FROM (${leg} DESC LIMIT :limit)`);
  return `SELECT story, last FROM (${legs.join(' UNION ALL ')} ORDER BY last DESC LIMIT :limit)`;
}

const PARTS = `SELECT p.story, r.id AS rule_id, r.deleted, p.platform, p.source, p.matches, p.first, p.last
  FROM json_each(:stories) j CROSS JOIN story_parts p ON p.story = j.value CROSS JOIN rules r ON r.number = p.rule
  UNION ALL SELECT u.story, r.id, r.deleted, u.platform, coalesce(e.source, ''), 1, u.position, u.position
  FROM json_each(:stories) j CROSS JOIN ${unsettledOf('j.value').replace(' WHERE', ' CROSS JOIN rules r CROSS JOIN events e WHERE')}
    AND r.number = u.rule AND e.number = u.event`;

const MATCHES = `SELECT ${COLUMNS} FROM (SELECT value AS position FROM json_each(:positions)) w ${JOINS}`;

/** Matches of a rule: a story may have very many of them. They are read along one table, a thousand in a millisecond. */
const LONGEST_RULE_WALK = 100_000;

export const storyReads = (sql: Sql) => ({
  async stories(query: StoryQuery): Promise<StoryPage> {
    const subject = subjectIn(sql, { accountId: query.accountId, ...(query.ruleId && { ruleId: query.ruleId }) });
    if (subject === undefined) return { stories: [], next: undefined };
    const { column, number } = subject;
    const platforms = query.platform === undefined ? PLATFORMS : [query.platform];
    const named = Object.fromEntries(platforms.map((platform, index) => [`platform${index}`, platform]));
    const text = walkSql(column, platforms);
    return storyPage(query, oldestOf(sql), {
      longest: column === 'rule' ? LONGEST_RULE_WALK : undefined,
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
