import type { Migration } from './migration.ts';

/**
 * A match may have an empty tail: its id then ends with its rank and the key of its event. A story of one event may have no
 * parts: its matches tell them. No row changes. The number keeps programs away that would read such rows wrongly.
 */
export const derivedIds: Migration = {
  name: '0029-derived-ids',
  sql: '',
};
