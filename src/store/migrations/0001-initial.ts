import type { Migration } from './migration.ts';

/**
 * Accounts, rules and events have a number beside their id: it is what other tables point to. Texts that strangers
 * wrote are kept as JSON strings, so that NUL and half a surrogate pair come back as they were.
 */
export const initial: Migration = {
  name: '0001-initial',
  sql: `
    -- Single values of the whole database.
    CREATE TABLE state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO state VALUES ('latest', 0), ('oldest', 0), ('checked', 0);

    CREATE TABLE accounts (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL UNIQUE,
      plan TEXT NOT NULL,
      x_rules INTEGER NOT NULL,
      created_at INTEGER NOT NULL
    );

    CREATE TABLE keys (
      id TEXT PRIMARY KEY,
      account INTEGER NOT NULL REFERENCES accounts,
      digest BLOB NOT NULL UNIQUE,
      name TEXT NOT NULL,
      scope TEXT NOT NULL,
      last_four TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      last_used_at INTEGER,
      expires_at INTEGER
    );
    CREATE INDEX keys_of_account ON keys (account);

    -- A deleted rule stays until its matches have left; nobody sees it.
    CREATE TABLE rules (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      account INTEGER NOT NULL REFERENCES accounts,
      version INTEGER NOT NULL,
      paused INTEGER NOT NULL,
      deleted INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      name TEXT NOT NULL,
      intent TEXT NOT NULL
    );
    CREATE INDEX rules_of_account ON rules (account) WHERE deleted = 0;
    CREATE INDEX rules_deleted ON rules (deleted) WHERE deleted = 1;

    -- \`holding\` is a digest of value and flags: equal texts share one registration.
    CREATE TABLE rule_platforms (
      rule INTEGER NOT NULL REFERENCES rules,
      platform TEXT NOT NULL,
      holding INTEGER NOT NULL,
      status TEXT NOT NULL,
      platform_rule_id TEXT,
      flags TEXT NOT NULL,
      value TEXT NOT NULL,
      error TEXT,
      PRIMARY KEY (rule, platform)
    ) WITHOUT ROWID;
    CREATE INDEX rule_platforms_by_holding ON rule_platforms (platform, holding);

    -- Kept, never counted: how many live rules an account has, and how many matches a rule ever had.
    CREATE TABLE account_rules (
      account INTEGER NOT NULL,
      platform TEXT NOT NULL,
      rules INTEGER NOT NULL,
      PRIMARY KEY (account, platform)
    ) WITHOUT ROWID;
    CREATE TABLE tallies (
      rule INTEGER NOT NULL,
      platform TEXT NOT NULL,
      matches INTEGER NOT NULL,
      last_at INTEGER NOT NULL,
      PRIMARY KEY (rule, platform)
    ) WITHOUT ROWID;

    -- Matches by the minute for charts: of a rule by its number, of an account by its number negated.
    CREATE TABLE minutes (
      subject INTEGER NOT NULL,
      platform TEXT NOT NULL,
      minute INTEGER NOT NULL,
      matches INTEGER NOT NULL,
      PRIMARY KEY (subject, platform, minute)
    ) WITHOUT ROWID;

    CREATE TABLE answers (
      account INTEGER NOT NULL REFERENCES accounts,
      key TEXT NOT NULL,
      body_digest TEXT NOT NULL,
      answer TEXT NOT NULL,
      kept_at INTEGER NOT NULL,
      PRIMARY KEY (account, key)
    ) WITHOUT ROWID;
    CREATE INDEX answers_by_age ON answers (kept_at);

    CREATE TABLE cursors (platform TEXT PRIMARY KEY, cursor TEXT NOT NULL) WITHOUT ROWID;

    -- Only events that matched, each payload once; account 0 stands for everybody.
    CREATE TABLE events (
      number INTEGER PRIMARY KEY,
      platform TEXT NOT NULL,
      account INTEGER NOT NULL,
      post_id TEXT NOT NULL,
      payload TEXT NOT NULL
    );
    CREATE UNIQUE INDEX events_by_post ON events (platform, post_id, account);

    -- The key is the position: the time of creation, then the order of ids.
    CREATE TABLE matches (
      position INTEGER PRIMARY KEY,
      account INTEGER NOT NULL,
      platform TEXT NOT NULL,
      rule INTEGER NOT NULL,
      version INTEGER NOT NULL,
      event INTEGER NOT NULL,
      tail TEXT NOT NULL,
      highlights TEXT NOT NULL
    );
    CREATE UNIQUE INDEX matches_of_event ON matches (event, rule);
    CREATE INDEX matches_of_rule ON matches (rule, platform);
    CREATE INDEX matches_of_account ON matches (account, platform);

    -- The ring of recent events, many to a row: one line each, newest at the end.
    CREATE TABLE recent (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      platform TEXT NOT NULL,
      at INTEGER NOT NULL,
      events INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      lines TEXT NOT NULL
    );
    CREATE INDEX recent_of_platform ON recent (platform, number, events, bytes);
    CREATE TABLE recent_totals (platform TEXT PRIMARY KEY, events INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID;
  `,
};
