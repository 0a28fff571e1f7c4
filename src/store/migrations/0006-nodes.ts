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

    -- Sessions and tickets, by a digest of what their owner has.
    CREATE TABLE passes (
      digest TEXT PRIMARY KEY,
      account TEXT NOT NULL,
      key TEXT NOT NULL,
      ends_at INTEGER NOT NULL,
      used_at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX passes_by_end ON passes (ends_at);
    CREATE INDEX passes_of_key ON passes (key, used_at);

    -- Of several processes only the one that has claimed a webhook delivers to it.
    ALTER TABLE webhooks ADD COLUMN claimed_by TEXT;
    ALTER TABLE webhooks ADD COLUMN claimed_until INTEGER;
  `,
};
