import type { Migration } from './migration.ts';

/**
 * Counts, minutes, parts of stories and the matches of each rule are written for many commits at once: up to the position
 * `settled`. `unsettled` is how many matches lie behind it. A table takes the place of the index of matches by rule, because SQLite writes
 * an index with every row. Stories of a rule are found along that table.
 */
export const settled: Migration = {
  name: '0026-settled',
  sql: `
    INSERT INTO state SELECT 'settled', value FROM state WHERE name = 'latest';
    INSERT INTO state VALUES ('unsettled', 0);

    CREATE TABLE rule_matches (
      rule INTEGER NOT NULL,
      platform TEXT NOT NULL,
      position INTEGER NOT NULL,
      story INTEGER,
      PRIMARY KEY (rule, platform, position)
    ) WITHOUT ROWID;
    INSERT INTO rule_matches SELECT rule, platform, position, story FROM matches ORDER BY rule, platform, position;
    DROP INDEX matches_of_rule;
    DROP INDEX story_parts_of_rule;
  `,
};
