import type { Migration } from './migration.ts';

/**
 * Ratings of matches and suggested changes of rules. `relevance_version` grows whenever a rule's relevance may change: zero is
 * a rule without an intent that was never rated.
 */
export const ratings: Migration = {
  name: '0016-ratings',
  sql: `
    ALTER TABLE rules ADD COLUMN relevance_version INTEGER NOT NULL DEFAULT 0;
    UPDATE rules SET relevance_version = 1 WHERE intent <> '""';
    CREATE TABLE ratings (
      position INTEGER PRIMARY KEY,
      rule INTEGER NOT NULL,
      account INTEGER NOT NULL,
      platform TEXT NOT NULL,
      rating TEXT NOT NULL,
      rated_at INTEGER NOT NULL,
      rated_by TEXT NOT NULL,
      traces TEXT NOT NULL
    );
    CREATE INDEX ratings_of_rule ON ratings (rule, platform, rating, position);
    CREATE INDEX ratings_of_account ON ratings (account, platform, rating, position);
    CREATE INDEX ratings_by_time ON ratings (rule, rated_at, position);
    CREATE TABLE suggestions (
      id TEXT PRIMARY KEY,
      rule INTEGER NOT NULL,
      platform TEXT NOT NULL,
      made_at INTEGER NOT NULL,
      kind TEXT NOT NULL,
      was TEXT NOT NULL,
      value TEXT NOT NULL,
      share REAL NOT NULL,
      applied_at INTEGER
    ) WITHOUT ROWID;
    CREATE INDEX suggestions_of_rule ON suggestions (rule, platform) WHERE applied_at IS NULL;
    CREATE INDEX suggestions_applied ON suggestions (rule, applied_at) WHERE applied_at IS NOT NULL;
  `,
};
