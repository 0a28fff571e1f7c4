import type { Migration } from './migration.ts';

/** For several processes on one store: what changed of rules, in order, and who is there to hear of it. */
export const nodes: Migration = {
  name: '0006-nodes',
  sql: `
    CREATE TABLE rule_changes (number INTEGER PRIMARY KEY AUTOINCREMENT, rule TEXT NOT NULL, account TEXT NOT NULL);

    CREATE TABLE nodes (
      id TEXT PRIMARY KEY,
      roles TEXT NOT NULL,
      applied INTEGER NOT NULL,
      until INTEGER NOT NULL
    ) WITHOUT ROWID;

    -- Of several processes only the one that has claimed a webhook delivers to it.
    ALTER TABLE webhooks ADD COLUMN claimed_by TEXT;
    ALTER TABLE webhooks ADD COLUMN claimed_until INTEGER;
  `,
};
