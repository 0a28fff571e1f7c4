import type { Migration } from './migration.ts';

/**
 * A match may have an empty tail: its id then ends with its rank and the end of its rule's id. A story has parts from its second
 * event on; before, its matches tell them. Stories that an event has joined are noted until they are settled.
 */
export const derivedIds: Migration = {
  name: '0029-derived-ids',
  sql: `
    CREATE TABLE grown_stories (story INTEGER PRIMARY KEY);
    INSERT INTO grown_stories SELECT DISTINCT story FROM matches
      WHERE story IS NOT NULL AND position > (SELECT value FROM state WHERE name = 'settled');
  `,
};
