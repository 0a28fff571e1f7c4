import type { Migration } from './migration.ts';

/**
 * The texts that a rule had before it was changed, of the versions that matched something: highlights of those matches are found by
 * them. The view of matches is made again with every migration.
 */
export const pastTexts: Migration = {
  name: '0027-past-texts',
  sql: `
    CREATE TABLE past_texts (
      rule INTEGER NOT NULL,
      platform TEXT NOT NULL,
      version INTEGER NOT NULL,
      flags TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (rule, platform, version)
    ) WITHOUT ROWID;
  `,
};
