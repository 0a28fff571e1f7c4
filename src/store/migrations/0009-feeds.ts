import type { Migration } from './migration.ts';

/** Gaps of one account, rule or source beside those of everybody, and what gapsAndFeeds each platform. */
export const gapsAndFeeds: Migration = {
  name: '0009-feeds',
  sql: `
    -- Whose events are missing: an account by its id, a rule by its id, a source by its name; empty where it is none.
    CREATE TABLE gaps_of (
      platform TEXT NOT NULL,
      owner TEXT NOT NULL,
      rule TEXT NOT NULL,
      from_at INTEGER NOT NULL,
      source TEXT NOT NULL,
      to_at INTEGER,
      cause TEXT NOT NULL,
      recovered INTEGER NOT NULL,
      PRIMARY KEY (platform, owner, rule, from_at, source)
    ) WITHOUT ROWID;
    INSERT INTO gaps_of (platform, owner, rule, from_at, source, to_at, cause, recovered)
      SELECT platform, '', '', from_at, '', to_at, cause, recovered FROM gaps;
    DROP TABLE gaps;
    ALTER TABLE gaps_of RENAME TO gaps;
    CREATE INDEX gaps_by_end ON gaps (to_at) WHERE to_at IS NOT NULL;
    CREATE INDEX gaps_open ON gaps (platform) WHERE to_at IS NULL;
    CREATE INDEX gaps_of_owner ON gaps (platform, owner, from_at);
    CREATE INDEX gaps_missing ON gaps (platform, owner, from_at) WHERE recovered = 0;

    -- The last report on everything that gapsAndFeeds a platform.
    CREATE TABLE feeds (
      platform TEXT NOT NULL,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      state TEXT NOT NULL,
      reason TEXT,
      through INTEGER,
      since INTEGER NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (platform, kind, name)
    ) WITHOUT ROWID;
  `,
};
