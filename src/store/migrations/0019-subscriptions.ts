import type { Migration } from './migration.ts';

/** Subscriptions of agents are webhooks that belong to a grant or a key, and end by themselves. */
export const subscriptions: Migration = {
  name: '0019-subscriptions',
  sql: `
    ALTER TABLE webhooks ADD COLUMN subscription TEXT;
    ALTER TABLE webhooks ADD COLUMN owner TEXT;
    ALTER TABLE webhooks ADD COLUMN event TEXT;
    ALTER TABLE webhooks ADD COLUMN expires_at INTEGER;
    ALTER TABLE webhooks ADD COLUMN brief INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE webhooks ADD COLUMN terms TEXT;
    CREATE UNIQUE INDEX webhooks_by_subscription ON webhooks (subscription)
      WHERE subscription IS NOT NULL AND status <> 'deleted';
    CREATE INDEX webhooks_of_owner ON webhooks (owner, status) WHERE owner IS NOT NULL;
    CREATE INDEX webhooks_by_event ON webhooks (event, status) WHERE event IS NOT NULL;
    CREATE INDEX webhooks_by_end ON webhooks (status, expires_at) WHERE expires_at IS NOT NULL;
  `,
};
