/** Reading stories: a walk along the newest matches of their parts. */
import { PLATFORMS } from '../../domain/platform.ts';
import { type MatchRow, matchOf } from '../rows/matches.ts';
import { type PartRow, storyPage } from '../rows/stories.ts';
import type { StoryStore } from '../store.ts';
import type { Database } from './connection.ts';
import { MATCH_COLUMNS, MATCH_JOINS, stateOf, subjectOf } from './matches.ts';

/** One seek for each platform. */
function walkSql(subject: 'account' | 'rule', platforms: number): string {
  const legs = PLATFORMS.slice(0, platforms).map(
    (_, index) => `(SELECT story, last FROM story_parts WHERE ${subject} = $1 AND platform = $${index + 5}
      AND last > $2 AND last < $3 ORDER BY last DESC LIMIT $4)`,
  );
  return `SELECT story, last FROM (${legs.join(' UNION ALL ')}) u ORDER BY last DESC LIMIT $4`;
}

const PARTS = `SELECT p.story, r.id AS rule_id, r.deleted, p.platform, p.source, p.matches, p.first, p.last
  FROM story_parts p JOIN rules r ON r.number = p.rule WHERE p.story = ANY($1)`;

export const storyStore = (db: Database): StoryStore => ({
  async stories(query) {
    const { oldest } = await stateOf(db);
    const subject = await subjectOf(db, { accountId: query.accountId, ...(query.ruleId && { ruleId: query.ruleId }) });
    if (subject === undefined) return { stories: [], next: undefined };
    const platforms = query.platform === undefined ? PLATFORMS : [query.platform];
    const text = walkSql(subject.column, platforms.length);
    return storyPage(query, oldest, {
      slice: (above, below, limit) => db.rows(text, [subject.number, above, below, limit, ...platforms]),
      parts: (stories) => db.rows<PartRow>(PARTS, [stories]),
      async matches(positions) {
        const rows = await db.rows<MatchRow>(
          `SELECT ${MATCH_COLUMNS} FROM matches m ${MATCH_JOINS} WHERE m.position = ANY($1)`,
          [positions],
        );
        return rows.map((row) => ({ match: matchOf(row), bytes: Buffer.byteLength(row.payload) }));
      },
    });
  },
});
