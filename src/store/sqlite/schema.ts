/**
 * The tables on SQLite, as release 0.2.0 had them. Accounts, rules and events have a number beside their id: it is what
 * other tables point to. Texts that strangers wrote are kept as JSON strings, so that NUL and half a surrogate pair
 * come back as they were. Later changes are in `steps.ts`.
 */
import type { SchemaStep } from '../schema-needs.ts';

/** How many migrations a database of release 0.2.0 has had: they are one by now. */
export const RELEASED_VERSION = 8;

export const RELEASED: SchemaStep = {
  name: '0.2.0',
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
      created_at INTEGER NOT NULL,
      -- What it may spend on x in a month; no limit when null.
      x_budget REAL,
      -- The month in which its budget was used up, as 202611.
      x_spent_in INTEGER
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
    CREATE INDEX rule_platforms_unfinished ON rule_platforms (rule) WHERE status = 'pending';

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

    -- A platform may be fed by many sources at a time, each with a cursor of its own.
    CREATE TABLE cursors (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

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
      highlights TEXT NOT NULL,
      -- The match of an earlier version of the same post, by its id.
      edit_of TEXT
    );
    CREATE UNIQUE INDEX matches_of_event ON matches (event, rule);
    CREATE INDEX matches_of_rule ON matches (rule, platform);
    CREATE INDEX matches_of_account ON matches (account, platform);

    -- Many events of one owner to a row: one line each, newest at the end. The empty owner stands for events that all accounts see.
    CREATE TABLE recent (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      platform TEXT NOT NULL,
      owner TEXT NOT NULL,
      at INTEGER NOT NULL,
      events INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      lines TEXT NOT NULL
    );
    CREATE INDEX recent_of_owner ON recent (platform, owner, number, events, bytes);
    -- The owner * has the sum over all accounts.
    CREATE TABLE recent_totals (
      platform TEXT NOT NULL,
      owner TEXT NOT NULL,
      events INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      PRIMARY KEY (platform, owner)
    ) WITHOUT ROWID;
    CREATE INDEX recent_totals_by_events ON recent_totals (platform, events) WHERE owner NOT IN ('', '*');
    CREATE INDEX recent_totals_by_bytes ON recent_totals (platform, bytes) WHERE owner NOT IN ('', '*');

    -- Posts that an account has erased: hidden in rows up to a number, taken out of its own rows up to where the search got.
    CREATE TABLE recent_erased (
      account TEXT NOT NULL,
      platform TEXT NOT NULL,
      post_id TEXT NOT NULL,
      number INTEGER NOT NULL,
      walked INTEGER NOT NULL,
      PRIMARY KEY (account, platform, post_id)
    ) WITHOUT ROWID;
    CREATE INDEX recent_erased_waiting ON recent_erased (account, platform) WHERE walked < number;

    -- A row of \`owed\` is written with its match; when its batch is frozen it says which delivery carries it, so that everything
    -- owed is either waiting or in a delivery, and never in two.
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
      failing_since INTEGER,
      -- Of several processes only the one that has claimed a webhook delivers to it.
      claimed_by TEXT,
      claimed_until INTEGER
    );
    CREATE INDEX webhooks_of_account ON webhooks (account, status);
    CREATE INDEX webhooks_by_status ON webhooks (status);
    CREATE INDEX webhooks_by_claim ON webhooks (claimed_by) WHERE claimed_by IS NOT NULL;

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

    -- One row: what tells our registrations from those of another instance at the same upstream.
    CREATE TABLE instance (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL);

    CREATE TABLE registrations (
      tag TEXT PRIMARY KEY,
      platform TEXT NOT NULL,
      state TEXT NOT NULL,
      since INTEGER NOT NULL,
      platform_rule_id TEXT,
      flags TEXT NOT NULL,
      value TEXT NOT NULL,
      texts TEXT NOT NULL
    );
    CREATE INDEX registrations_of_platform ON registrations (platform);

    CREATE TABLE rule_changes (number INTEGER PRIMARY KEY AUTOINCREMENT, rule TEXT NOT NULL, account TEXT NOT NULL);

    CREATE TABLE nodes (
      id TEXT PRIMARY KEY,
      roles TEXT NOT NULL,
      applied INTEGER NOT NULL,
      until INTEGER NOT NULL
    ) WITHOUT ROWID;

    -- Sessions and tickets, by a digest of what their owner has.
    CREATE TABLE passes (
      digest TEXT PRIMARY KEY,
      account TEXT NOT NULL,
      key TEXT NOT NULL,
      ends_at INTEGER NOT NULL,
      used_at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX passes_by_end ON passes (ends_at);
    CREATE INDEX passes_of_key ON passes (key, used_at);

    -- Whoever holds a lease may write under its name. The fence grows with each new holder, so that an earlier one is told apart.
    CREATE TABLE leases (
      name TEXT PRIMARY KEY,
      holder TEXT NOT NULL,
      fence INTEGER NOT NULL,
      until INTEGER NOT NULL
    ) WITHOUT ROWID;

    -- Spans in which completeness cannot be shown. Without an end: it lasts.
    CREATE TABLE gaps (
      platform TEXT NOT NULL,
      from_at INTEGER NOT NULL,
      to_at INTEGER,
      cause TEXT NOT NULL,
      recovered INTEGER NOT NULL,
      PRIMARY KEY (platform, from_at)
    ) WITHOUT ROWID;
    CREATE INDEX gaps_by_end ON gaps (to_at) WHERE to_at IS NOT NULL;

    -- Up to when a stream was whole, gaps aside.
    CREATE TABLE coverage (platform TEXT PRIMARY KEY, through INTEGER NOT NULL) WITHOUT ROWID;

    -- Records that could not be read, the newest ones: their beginning, for whoever mends the reader.
    CREATE TABLE broken (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      platform TEXT NOT NULL,
      at INTEGER NOT NULL,
      reason TEXT NOT NULL,
      sample TEXT NOT NULL
    );
    CREATE INDEX broken_of_platform ON broken (platform, number);
    CREATE INDEX broken_by_age ON broken (at);

    -- How often the upstream and our engine said the same of a rule.
    CREATE TABLE agreement (
      rule INTEGER NOT NULL,
      platform TEXT NOT NULL,
      agreed INTEGER NOT NULL,
      upstream_only INTEGER NOT NULL,
      engine_only INTEGER NOT NULL,
      PRIMARY KEY (rule, platform)
    ) WITHOUT ROWID;

    -- By the month, as 202611: of a rule by its number, of an account by its number negated. A rule's row says whose it is.
    CREATE TABLE usage (
      subject INTEGER NOT NULL,
      owner INTEGER,
      platform TEXT NOT NULL,
      month INTEGER NOT NULL,
      reads INTEGER NOT NULL,
      matches INTEGER NOT NULL,
      PRIMARY KEY (subject, platform, month)
    ) WITHOUT ROWID;
    CREATE INDEX usage_by_rule ON usage (owner, platform, month, reads) WHERE owner IS NOT NULL;
  `,
};
