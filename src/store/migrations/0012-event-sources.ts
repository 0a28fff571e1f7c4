import type { Migration } from './migration.ts';

/** What brought an event. Events that are stored already have none. */
export const eventSources: Migration = {
  name: '0012-event-sources',
  sql: 'ALTER TABLE events ADD COLUMN source TEXT;',
};
