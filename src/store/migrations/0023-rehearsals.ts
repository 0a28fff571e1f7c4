import type { Migration } from './migration.ts';

/** Rehearsals, and the events that they show: rows of their own, so that an erasure finds them. */
export const rehearsals: Migration = {
  name: '0023-rehearsals',
  sql: `
    CREATE TABLE rehearsals (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      account INTEGER NOT NULL,
      status TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      ended_at INTEGER,
      due_at INTEGER NOT NULL,
      events INTEGER NOT NULL,
      progress REAL,
      request TEXT NOT NULL,
      error TEXT,
      position TEXT,
      state TEXT
    );
    CREATE INDEX rehearsals_of_account ON rehearsals (account, number);
    CREATE INDEX rehearsals_unfinished ON rehearsals (account) WHERE ended_at IS NULL;
    CREATE INDEX rehearsals_due ON rehearsals (due_at, number) WHERE ended_at IS NULL;
    CREATE INDEX rehearsals_by_end ON rehearsals (ended_at) WHERE ended_at IS NOT NULL;
    CREATE TABLE rehearsal_samples (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      rehearsal INTEGER NOT NULL,
      kind TEXT NOT NULL,
      platform TEXT NOT NULL,
      post_id TEXT NOT NULL,
      at INTEGER,
      source TEXT,
      payload TEXT NOT NULL,
      highlights TEXT NOT NULL
    );
    CREATE INDEX rehearsal_samples_of_one ON rehearsal_samples (rehearsal, number);
    CREATE INDEX rehearsal_samples_by_post ON rehearsal_samples (platform, post_id);
  `,
};
