import type { Migration } from './migration.ts';

/** A platform may be fed by many sources at a time, each with a cursor of its own, so a cursor has a name. */
export const namedCursors: Migration = {
  name: '0003-named-cursors',
  sql: `
    ALTER TABLE cursors RENAME COLUMN platform TO name;
    ALTER TABLE cursors RENAME COLUMN cursor TO value;
  `,
};
