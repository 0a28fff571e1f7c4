import type { Migration } from './migration.ts';

/** What a webhook is told of. Without a list: of matches, as those that were made before. */
export const operationalEvents: Migration = {
  name: '0011-operational-events',
  sql: 'ALTER TABLE webhooks ADD COLUMN events TEXT;',
};
