import type { Migration } from './migration.ts';

/** Programs of agents that registered here, what people allowed them, and the access tokens that stand for it. */
export const grants: Migration = {
  name: '0010-grants',
  sql: `
    CREATE TABLE oauth_clients (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      redirect_uris TEXT NOT NULL,
      secret TEXT,
      created_at INTEGER NOT NULL,
      ends_at INTEGER NOT NULL,
      used INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX oauth_clients_unused ON oauth_clients (created_at) WHERE used = 0;
    CREATE INDEX oauth_clients_by_end ON oauth_clients (ends_at);

    -- A grant begins with a code; it works once the code was used. All its refresh tokens share a family.
    CREATE TABLE grants (
      id TEXT PRIMARY KEY,
      account TEXT NOT NULL,
      client TEXT NOT NULL,
      client_name TEXT NOT NULL,
      redirect_uri TEXT NOT NULL,
      resource TEXT NOT NULL,
      scopes TEXT NOT NULL,
      rule_ids TEXT,
      created_at INTEGER NOT NULL,
      last_used_at INTEGER,
      ends_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      code TEXT NOT NULL UNIQUE,
      challenge TEXT NOT NULL,
      code_used_at INTEGER,
      family TEXT UNIQUE,
      refresh TEXT,
      previous TEXT,
      rotated_at INTEGER
    );
    CREATE INDEX grants_of_account ON grants (account, id);
    CREATE INDEX grants_by_end ON grants (ends_at);

    CREATE TABLE access_tokens (
      digest TEXT PRIMARY KEY,
      grant_id TEXT NOT NULL,
      scopes TEXT NOT NULL,
      ends_at INTEGER NOT NULL
    );
    CREATE INDEX access_tokens_of_grant ON access_tokens (grant_id, ends_at);
    CREATE INDEX access_tokens_by_end ON access_tokens (ends_at);
  `,
};
