import type { Migration } from './migration.ts';

/** What a webhook is told of; without a list, of matches. And a place for the bytes that show that there is space. */
export const operationalEvents: Migration = {
  name: '0011-operational-events',
  sql: `
    ALTER TABLE webhooks ADD COLUMN events TEXT;
    CREATE TABLE room (bytes BLOB NOT NULL);
  `,
};
