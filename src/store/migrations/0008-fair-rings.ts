import type { Migration } from './migration.ts';

/**
 * Recent events by owner, so that no account's events push out another's, and erasures that hide instead of searching. The
 * rings start empty. The indexes serve statements that went through a whole table before.
 */
export const fairRings: Migration = {
  name: '0008-fair-rings',
  sql: `
    DROP TABLE recent;
    DROP TABLE recent_totals;

    -- Many events of one owner to a row: one line each, newest at the end. The empty owner stands for events that all accounts see.
    CREATE TABLE recent (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      platform TEXT NOT NULL,
      owner TEXT NOT NULL,
      at INTEGER NOT NULL,
      events INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      lines TEXT NOT NULL
    );
    CREATE INDEX recent_of_owner ON recent (platform, owner, number, events, bytes);
    -- The owner * has the sum over all accounts.
    CREATE TABLE recent_totals (
      platform TEXT NOT NULL,
      owner TEXT NOT NULL,
      events INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      PRIMARY KEY (platform, owner)
    ) WITHOUT ROWID;
    CREATE INDEX recent_totals_by_events ON recent_totals (platform, events) WHERE owner NOT IN ('', '*');
    CREATE INDEX recent_totals_by_bytes ON recent_totals (platform, bytes) WHERE owner NOT IN ('', '*');

    -- Posts that an account has erased: hidden in rows up to a number, taken out of its own rows up to where the search got.
    CREATE TABLE recent_erased (
      account TEXT NOT NULL,
      platform TEXT NOT NULL,
      post_id TEXT NOT NULL,
      number INTEGER NOT NULL,
      walked INTEGER NOT NULL,
      PRIMARY KEY (account, platform, post_id)
    ) WITHOUT ROWID;
    CREATE INDEX recent_erased_waiting ON recent_erased (account, platform) WHERE walked < number;

    CREATE INDEX webhooks_by_claim ON webhooks (claimed_by) WHERE claimed_by IS NOT NULL;
    CREATE INDEX gaps_by_end ON gaps (to_at) WHERE to_at IS NOT NULL;
  `,
};
