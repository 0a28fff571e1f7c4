import type { Migration } from './migration.ts';

/** Retention finds the parts of the matches that it takes by their keys: an index by first match cost every match a tree. */
export const fewerTrees: Migration = {
  name: '0025-fewer-trees',
  sql: 'DROP INDEX story_parts_by_first',
};
