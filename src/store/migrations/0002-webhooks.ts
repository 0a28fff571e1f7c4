import type { Migration } from './migration.ts';

/**
 * Webhooks and what is owed to them. A row of `owed` is written with its match; when its batch is frozen it says which
 * delivery carries it, so that everything owed is either waiting or in a delivery, and never in two.
 */
export const webhooks: Migration = {
  name: '0002-webhooks',
  sql: `
    -- A deleted webhook stays until its deliveries have left; nobody sees it.
    CREATE TABLE webhooks (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      account INTEGER NOT NULL REFERENCES accounts,
      status TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      url TEXT NOT NULL,
      description TEXT NOT NULL,
      format TEXT NOT NULL,
      rule_ids TEXT,
      platforms TEXT,
      every INTEGER,
      reason TEXT,
      secret TEXT NOT NULL,
      previous_secret TEXT,
      previous_until INTEGER,
      last_failure_at INTEGER,
      failing_since INTEGER
    );
    CREATE INDEX webhooks_of_account ON webhooks (account, status);
    CREATE INDEX webhooks_by_status ON webhooks (status);

    CREATE TABLE owed (
      position INTEGER NOT NULL,
      webhook INTEGER NOT NULL,
      delivery INTEGER,
      PRIMARY KEY (position, webhook)
    ) WITHOUT ROWID;
    CREATE INDEX owed_waiting ON owed (webhook, position) WHERE delivery IS NULL;
    CREATE INDEX owed_in_delivery ON owed (delivery) WHERE delivery IS NOT NULL;

    -- Without a body: a post in it was erased.
    CREATE TABLE deliveries (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      webhook INTEGER NOT NULL,
      account INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      matches INTEGER NOT NULL,
      status TEXT NOT NULL,
      reason TEXT,
      made INTEGER NOT NULL,
      next_at INTEGER,
      body TEXT
    );
    CREATE INDEX deliveries_pending ON deliveries (webhook, next_at) WHERE status = 'pending';
    CREATE INDEX deliveries_of_webhook ON deliveries (webhook, number);
    CREATE INDEX deliveries_of_account ON deliveries (account, number);
    CREATE INDEX deliveries_of_webhook_by_status ON deliveries (webhook, status, number);
    CREATE INDEX deliveries_of_account_by_status ON deliveries (account, status, number);
    CREATE INDEX deliveries_by_age ON deliveries (created_at);

    CREATE TABLE attempts (
      number INTEGER PRIMARY KEY,
      delivery INTEGER NOT NULL,
      at INTEGER NOT NULL,
      milliseconds INTEGER NOT NULL,
      status_code INTEGER,
      error TEXT,
      response TEXT NOT NULL
    );
    CREATE INDEX attempts_of_delivery ON attempts (delivery);
  `,
};
