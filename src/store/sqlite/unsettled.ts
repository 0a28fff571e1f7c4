/**
 * How readers add the matches that are not settled yet. They ask for the end of what is settled within the statement that
 * reads the tables: whatever is written between two statements, no match is missed or counted twice.
 */
import { PLATFORMS } from '../../domain/platform.ts';
import { timeSql } from '../order.ts';
import { storyFirst } from '../rows/matches.ts';
import { selectRules } from '../rows/rules.ts';

export const SETTLED = `(SELECT value FROM state WHERE name = 'settled')`;

const IN_PLATFORMS = `IN (${PLATFORMS.map((platform) => `'${platform}'`).join(', ')})`;

/** The matches of a story that are in none of its parts, under the name `u`, along the index of stories. */
export const unpartedOf = (story: string, joins = ''): string =>
  `matches u INDEXED BY matches_of_story ${joins}
   WHERE u.story = ${story} AND u.platform ${IN_PLATFORMS} AND u.position > ${partedUpTo(story)}`;

/** A story of one event has no parts: its matches tell them. */
export const partedUpTo = (story: string): string =>
  `CASE WHEN EXISTS (SELECT 1 FROM story_parts s WHERE s.story = ${story}) THEN ${SETTLED} ELSE -1 END`;

/** Whether no match of the story that can be seen is older than the match `m`. */
export const STORY_FIRST = storyFirst(
  `AND NOT EXISTS (SELECT 1 FROM ${unpartedOf('m.story')} AND u.position < m.position
    AND EXISTS (SELECT 1 FROM rules o WHERE o.number = u.rule AND o.deleted = 0))`,
);

/** Of these rules alone: grouping all that wait takes far longer than passing over them. */
const newCounts = (
  which: string,
): string => `SELECT rule, platform, count(*) AS matches, ${timeSql('max(position)')} AS last_at
  FROM matches NOT INDEXED WHERE position > ${SETTLED} AND rule IN (SELECT number FROM rules WHERE deleted = 0 AND ${which})
  GROUP BY rule, platform`;

/** Live rules with all that they have matched. The parameters of `which` have names, since it stands there twice. */
export const selectCountedRules = (which: string): string => selectRules(which, 'live', newCounts(which));
