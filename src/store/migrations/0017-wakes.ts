import type { Migration } from './migration.ts';

/**
 * Wake contracts. A held match is in a digest: a delivery whose bytes are written when it is due. `digest` is 1 while
 * further matches may join it, then 2. A row of `wake_stories` says what a webhook knows of a story.
 */
export const wakes: Migration = {
  name: '0017-wakes',
  sql: `
    ALTER TABLE webhooks ADD COLUMN wake TEXT;
    ALTER TABLE webhooks ADD COLUMN wake_account TEXT;
    ALTER TABLE webhooks ADD COLUMN wake_turn INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE owed ADD COLUMN story TEXT;
    ALTER TABLE deliveries ADD COLUMN digest INTEGER;
    CREATE INDEX deliveries_open ON deliveries (webhook, next_at) WHERE digest = 1;
    CREATE TABLE wake_stories (
      webhook INTEGER NOT NULL,
      story TEXT NOT NULL,
      woke INTEGER NOT NULL,
      seen INTEGER NOT NULL,
      PRIMARY KEY (webhook, story)
    ) WITHOUT ROWID;
    CREATE INDEX wake_stories_by_age ON wake_stories (seen);
  `,
};
