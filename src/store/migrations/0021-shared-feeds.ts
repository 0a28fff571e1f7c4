import type { Migration } from './migration.ts';

/** Feeds of matches at secret addresses: the table has a digest of each secret. A feed without a rule is of all rules. */
export const sharedFeeds: Migration = {
  name: '0021-shared-feeds',
  sql: `
    CREATE TABLE shared_feeds (
      id TEXT PRIMARY KEY,
      account INTEGER NOT NULL REFERENCES accounts,
      rule INTEGER,
      digest TEXT NOT NULL UNIQUE,
      contents TEXT NOT NULL,
      name TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX shared_feeds_of_account ON shared_feeds (account, id);
    CREATE INDEX shared_feeds_of_rule ON shared_feeds (rule) WHERE rule IS NOT NULL;
  `,
};
