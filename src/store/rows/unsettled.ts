/**
 * How readers on SQLite add the matches that are not settled yet: see `sqlite/settle.ts`. They ask for the end of what is settled
 * within the statement that reads the tables: whatever is written between two statements, no match is missed or counted twice.
 */
import { PLATFORMS } from '../../domain/platform.ts';

export const SETTLED = `(SELECT value FROM state WHERE name = 'settled')`;

const IN_PLATFORMS = `IN (${PLATFORMS.map((platform) => `'${platform}'`).join(', ')})`;

/** The matches of a story that are in none of its parts, under the name `u`, along the index of stories. */
export const unpartedOf = (story: string, joins = ''): string =>
  `matches u INDEXED BY matches_of_story ${joins}
   WHERE u.story = ${story} AND u.platform ${IN_PLATFORMS} AND u.position > ${partedUpTo(story)}`;

/** A story of one event has no parts: its matches tell them. */
const partedUpTo = (story: string): string =>
  `CASE WHEN EXISTS (SELECT 1 FROM story_parts s WHERE s.story = ${story}) THEN ${SETTLED} ELSE -1 END`;
