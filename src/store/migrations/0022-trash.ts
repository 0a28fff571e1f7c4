import type { Migration } from './migration.ts';

/**
 * Deleted rules that can be restored, the platforms that rules got later, saved views, matches that are sent by hand, and
 * the attempts of a webhook by time.
 *
 * The matches of a deleted rule stay, with the number of their account negated: no list of the account walks over them, and
 * its charts do not count them. `moved_below` says how far they are brought to where they belong, from the newest on.
 */
export const trash: Migration = {
  name: '0022-trash',
  sql: `
    ALTER TABLE rules ADD COLUMN deleted_at INTEGER;
    ALTER TABLE rules ADD COLUMN restorable_until INTEGER;
    ALTER TABLE rules ADD COLUMN moved_below INTEGER;
    UPDATE rules SET deleted_at = 0, restorable_until = 0, moved_below = ${Number.MAX_SAFE_INTEGER} WHERE deleted = 1;
    DROP INDEX rules_deleted;
    CREATE INDEX rules_deleted ON rules (restorable_until) WHERE deleted = 1;
    CREATE INDEX rules_in_trash ON rules (account, deleted_at) WHERE deleted = 1;
    CREATE INDEX rules_moving ON rules (number) WHERE moved_below IS NOT NULL;
    ALTER TABLE rule_platforms ADD COLUMN added_at INTEGER;

    CREATE TABLE views (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      account INTEGER NOT NULL REFERENCES accounts,
      name TEXT NOT NULL,
      query TEXT NOT NULL,
      created_at INTEGER NOT NULL
    );
    CREATE INDEX views_of_account ON views (account, number);

    -- The one match of a delivery that was asked for by hand: it is not owed, and may be in another delivery, too.
    ALTER TABLE deliveries ADD COLUMN sent INTEGER;
    CREATE INDEX deliveries_by_sent ON deliveries (sent) WHERE sent IS NOT NULL;

    ALTER TABLE attempts ADD COLUMN webhook INTEGER;
    UPDATE attempts SET webhook = (SELECT webhook FROM deliveries WHERE number = attempts.delivery);
    CREATE INDEX attempts_of_webhook ON attempts (webhook, at);
  `,
};
