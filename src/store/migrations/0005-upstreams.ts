import type { Migration } from './migration.ts';

/** What the streams of upstreams leave behind beside matches: who reads them, what they missed, and what they cost. */
export const upstreams: Migration = {
  name: '0005-upstreams',
  sql: `
    -- Whoever holds a lease may write under its name. The fence grows with each new holder, so that an earlier one is told apart.
    CREATE TABLE leases (
      name TEXT PRIMARY KEY,
      holder TEXT NOT NULL,
      fence INTEGER NOT NULL,
      until INTEGER NOT NULL
    ) WITHOUT ROWID;

    -- Spans in which completeness cannot be shown. Without an end: it lasts.
    CREATE TABLE gaps (
      platform TEXT NOT NULL,
      from_at INTEGER NOT NULL,
      to_at INTEGER,
      cause TEXT NOT NULL,
      recovered INTEGER NOT NULL,
      PRIMARY KEY (platform, from_at)
    ) WITHOUT ROWID;

    -- Up to when a stream was whole, gaps aside.
    CREATE TABLE coverage (platform TEXT PRIMARY KEY, through INTEGER NOT NULL) WITHOUT ROWID;

    -- Records that could not be read, the newest ones: their beginning, for whoever mends the reader.
    CREATE TABLE broken (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      platform TEXT NOT NULL,
      at INTEGER NOT NULL,
      reason TEXT NOT NULL,
      sample TEXT NOT NULL
    );
    CREATE INDEX broken_of_platform ON broken (platform, number);
    CREATE INDEX broken_by_age ON broken (at);

    -- How often the upstream and our engine said the same of a rule.
    CREATE TABLE agreement (
      rule INTEGER NOT NULL,
      platform TEXT NOT NULL,
      agreed INTEGER NOT NULL,
      upstream_only INTEGER NOT NULL,
      engine_only INTEGER NOT NULL,
      PRIMARY KEY (rule, platform)
    ) WITHOUT ROWID;

    -- By the month, as 202611: of a rule by its number, of an account by its number negated. A rule's row says whose it is.
    CREATE TABLE usage (
      subject INTEGER NOT NULL,
      owner INTEGER,
      platform TEXT NOT NULL,
      month INTEGER NOT NULL,
      reads INTEGER NOT NULL,
      matches INTEGER NOT NULL,
      PRIMARY KEY (subject, platform, month)
    ) WITHOUT ROWID;
    CREATE INDEX usage_by_rule ON usage (owner, platform, month, reads) WHERE owner IS NOT NULL;

    -- What an account may spend on x in a month; no limit when null.
    ALTER TABLE accounts ADD COLUMN x_budget REAL;
    -- The month in which its budget was used up, as 202611.
    ALTER TABLE accounts ADD COLUMN x_spent_in INTEGER;

    -- The match of an earlier version of the same post, by its id.
    ALTER TABLE matches ADD COLUMN edit_of TEXT;
  `,
};
