import type { Migration } from './migration.ts';

/** Alerts: what rules are watched for, what is kept of the watched ones, and what was found. */
export const alerts: Migration = {
  name: '0018-alerts',
  sql: `
    ALTER TABLE rules ADD COLUMN alerts INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE watches (
      rule INTEGER NOT NULL,
      platform TEXT NOT NULL,
      past_version INTEGER NOT NULL,
      due_at INTEGER NOT NULL,
      now TEXT,
      past TEXT,
      PRIMARY KEY (rule, platform)
    ) WITHOUT ROWID;
    CREATE INDEX watches_by_due ON watches (due_at);
    CREATE TABLE alerts (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      account INTEGER NOT NULL,
      rule INTEGER NOT NULL,
      platform TEXT NOT NULL,
      kind TEXT NOT NULL,
      from_at INTEGER NOT NULL,
      to_at INTEGER,
      rate REAL NOT NULL,
      usual_rate REAL NOT NULL
    );
    CREATE INDEX alerts_of_account ON alerts (account, number);
    CREATE INDEX alerts_of_rule ON alerts (rule, number);
    CREATE INDEX alerts_that_last ON alerts (account, rule) WHERE to_at IS NULL;
    CREATE INDEX alerts_by_end ON alerts (to_at) WHERE to_at IS NOT NULL;
    -- An episode is one alert, whoever looks.
    CREATE UNIQUE INDEX alerts_one_at_a_time ON alerts (rule, platform, kind) WHERE to_at IS NULL;
    CREATE INDEX minutes_by_age ON minutes (minute, subject, platform);
  `,
};
