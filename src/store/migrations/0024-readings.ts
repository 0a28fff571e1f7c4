import type { Migration } from './migration.ts';

/** What each open source has read, minute by minute: how many events, and between which cursors. */
export const readings: Migration = {
  name: '0024-readings',
  sql: `
    CREATE TABLE readings (
      source TEXT NOT NULL,
      minute INTEGER NOT NULL,
      events INTEGER NOT NULL,
      first_mark TEXT NOT NULL,
      last_mark TEXT NOT NULL,
      PRIMARY KEY (source, minute)
    ) WITHOUT ROWID;
    CREATE INDEX readings_by_age ON readings (minute);
  `,
};
