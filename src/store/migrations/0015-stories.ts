import type { Migration } from './migration.ts';

/**
 * The story of each match, by the position of the match that began it; matches that are stored already have none. Parts of
 * a story are what it has of one rule, platform and source (empty for none). A book is what is known of an account's open
 * stories at a position; the log has what was decided since. An event is found by a digest of its platform and post.
 */
export const stories: Migration = {
  name: '0015-stories',
  sql: `
    ALTER TABLE events ADD COLUMN key TEXT;
    CREATE INDEX events_by_key ON events (key) WHERE key IS NOT NULL;
    ALTER TABLE matches ADD COLUMN story INTEGER;
    CREATE INDEX matches_of_story ON matches (story, platform) WHERE story IS NOT NULL;

    CREATE TABLE story_parts (
      story INTEGER NOT NULL,
      rule INTEGER NOT NULL,
      platform TEXT NOT NULL,
      source TEXT NOT NULL,
      account INTEGER NOT NULL,
      matches INTEGER NOT NULL,
      first INTEGER NOT NULL,
      last INTEGER NOT NULL,
      PRIMARY KEY (story, rule, platform, source)
    ) WITHOUT ROWID;
    CREATE INDEX story_parts_of_account ON story_parts (account, platform, last);
    CREATE INDEX story_parts_of_rule ON story_parts (rule, platform, last);
    CREATE INDEX story_parts_by_first ON story_parts (first);

    CREATE TABLE story_books (account INTEGER PRIMARY KEY, position INTEGER NOT NULL, state BLOB NOT NULL);
    CREATE TABLE story_log (
      account INTEGER NOT NULL,
      position INTEGER NOT NULL,
      entries BLOB NOT NULL,
      PRIMARY KEY (account, position)
    ) WITHOUT ROWID;
  `,
};
