import type { Migration } from './migration.ts';

/** What signs in at a receiver, encrypted, and the address whose owner agreed to be sent to. */
export const receivers: Migration = {
  name: '0020-receivers',
  sql: `
    ALTER TABLE webhooks ADD COLUMN credential TEXT;
    ALTER TABLE webhooks ADD COLUMN confirmed_url TEXT;
  `,
};
