import type { Migration } from './migration.ts';

/**
 * Posts and keys of events come in no order, so that each event cost a page of two indexes. Tables take their place, which are written
 * for many commits at once; new events are in a small table until then.
 */
export const eventNames: Migration = {
  name: '0028-event-names',
  sql: `
    CREATE TABLE event_posts (
      platform TEXT NOT NULL,
      post_id TEXT NOT NULL,
      account INTEGER NOT NULL,
      event INTEGER NOT NULL,
      PRIMARY KEY (platform, post_id, account)
    ) WITHOUT ROWID;
    INSERT INTO event_posts SELECT platform, post_id, account, number FROM events ORDER BY platform, post_id, account;

    CREATE TABLE event_keys (key TEXT NOT NULL, event INTEGER NOT NULL, PRIMARY KEY (key, event)) WITHOUT ROWID;
    INSERT INTO event_keys SELECT key, number FROM events WHERE key IS NOT NULL ORDER BY key, number;

    CREATE TABLE new_events (
      platform TEXT NOT NULL,
      post_id TEXT NOT NULL,
      account INTEGER NOT NULL,
      event INTEGER NOT NULL,
      key TEXT NOT NULL,
      PRIMARY KEY (platform, post_id, account)
    ) WITHOUT ROWID;

    DROP INDEX events_by_post;
    DROP INDEX events_by_key;

    -- Stories are found along the matches of an account, too.
    DROP INDEX story_parts_of_account;
  `,
};
