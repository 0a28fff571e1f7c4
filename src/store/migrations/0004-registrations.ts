import type { Migration } from './migration.ts';

/** What upstreams hold for us. Platforms of our own need no rows: their ids are made from what they stand for. */
export const registrations: Migration = {
  name: '0004-registrations',
  sql: `
    -- One row: what tells our registrations from those of another instance at the same upstream.
    CREATE TABLE instance (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL);

    CREATE TABLE registrations (
      tag TEXT PRIMARY KEY,
      platform TEXT NOT NULL,
      state TEXT NOT NULL,
      since INTEGER NOT NULL,
      platform_rule_id TEXT,
      flags TEXT NOT NULL,
      value TEXT NOT NULL,
      texts TEXT NOT NULL
    );
    CREATE INDEX registrations_of_platform ON registrations (platform);
  `,
};
