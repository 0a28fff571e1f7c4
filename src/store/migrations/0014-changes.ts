import type { Migration } from './migration.ts';

/** The audit log. */
export const changes: Migration = {
  name: '0014-changes',
  sql: `
    CREATE TABLE changes (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      account INTEGER NOT NULL,
      at INTEGER NOT NULL,
      made_by TEXT NOT NULL,
      kind TEXT NOT NULL,
      what TEXT NOT NULL,
      subject TEXT NOT NULL,
      before TEXT,
      after TEXT
    );
    CREATE INDEX changes_of_account ON changes (account, number);
    CREATE INDEX changes_of_kind ON changes (account, kind, number);
    CREATE INDEX changes_of_subject ON changes (account, subject, number);
    CREATE INDEX changes_by_age ON changes (at);
  `,
};
