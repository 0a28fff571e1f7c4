/** The changes of the tables on SQLite after release 0.2.0, one step after another. */
import type { SchemaStep } from '../schema-needs.ts';
import { RELEASED, RELEASED_VERSION } from './schema.ts';

/** In order. The version of a database says how many of them it has had. */
export const MIGRATIONS: readonly SchemaStep[] = [
  RELEASED,
  // Gaps of one account, rule or source beside those of everybody, and what gapsAndFeeds each platform.
  {
    name: '0009-feeds',
    sql: `
    -- Whose events are missing: an account by its id, a rule by its id, a source by its name; empty where it is none.
    CREATE TABLE gaps_of (
      platform TEXT NOT NULL,
      owner TEXT NOT NULL,
      rule TEXT NOT NULL,
      from_at INTEGER NOT NULL,
      source TEXT NOT NULL,
      to_at INTEGER,
      cause TEXT NOT NULL,
      recovered INTEGER NOT NULL,
      PRIMARY KEY (platform, owner, rule, from_at, source)
    ) WITHOUT ROWID;
    INSERT INTO gaps_of (platform, owner, rule, from_at, source, to_at, cause, recovered)
      SELECT platform, '', '', from_at, '', to_at, cause, recovered FROM gaps;
    DROP TABLE gaps;
    ALTER TABLE gaps_of RENAME TO gaps;
    CREATE INDEX gaps_by_end ON gaps (to_at) WHERE to_at IS NOT NULL;
    CREATE INDEX gaps_open ON gaps (platform) WHERE to_at IS NULL;
    CREATE INDEX gaps_of_owner ON gaps (platform, owner, from_at);
    CREATE INDEX gaps_missing ON gaps (platform, owner, from_at) WHERE recovered = 0;

    -- The last report on everything that gapsAndFeeds a platform.
    CREATE TABLE feeds (
      platform TEXT NOT NULL,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      state TEXT NOT NULL,
      reason TEXT,
      through INTEGER,
      since INTEGER NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (platform, kind, name)
    ) WITHOUT ROWID;
  `,
  },
  // Programs of agents that registered here, what people allowed them, and the access tokens that stand for it.
  {
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
  },
  // The events that a webhook gets; without a list, matches. And a place for the bytes that show that there is space.
  {
    name: '0011-operational-events',
    sql: `
    ALTER TABLE webhooks ADD COLUMN events TEXT;
    CREATE TABLE room (bytes BLOB NOT NULL);
  `,
  },
  // The source of an event. Events that are stored already have none.
  {
    name: '0012-event-sources',
    sql: 'ALTER TABLE events ADD COLUMN source TEXT;',
  },
  // An erased post stays erased. The digests have a key of this database; account 0 stands for all accounts.
  {
    name: '0013-tombstones',
    sql: `
    CREATE TABLE erasure_key (one INTEGER PRIMARY KEY CHECK (one = 1), key TEXT NOT NULL);
    INSERT INTO erasure_key VALUES (1, lower(hex(randomblob(32))));
    CREATE TABLE tombstones (
      digest TEXT NOT NULL,
      account INTEGER NOT NULL,
      until INTEGER NOT NULL,
      PRIMARY KEY (digest, account)
    ) WITHOUT ROWID;
    CREATE INDEX tombstones_by_end ON tombstones (until);
  `,
  },
  // The audit log.
  {
    name: '0014-changes',
    sql: `
    CREATE TABLE changes (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      account INTEGER NOT NULL,
      at INTEGER NOT NULL,
      made_by TEXT NOT NULL,
      kind TEXT NOT NULL,
      what TEXT NOT NULL,
      subject TEXT NOT NULL,
      before TEXT,
      after TEXT
    );
    CREATE INDEX changes_of_account ON changes (account, number);
    CREATE INDEX changes_of_kind ON changes (account, kind, number);
    CREATE INDEX changes_of_subject ON changes (account, subject, number);
    CREATE INDEX changes_by_age ON changes (at);
  `,
  },
  // * The story of each match, by the position of the match that began it; matches that are stored already have none.
  // Parts of a story are what it has of one rule, platform and source (empty for none). A book is what is known of an
  // account's open stories at a position; the log has what was decided since. An event is found by a digest of its
  // platform and post.
  {
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
  },
  // * Ratings of matches and suggested changes of rules. `relevance_version` grows whenever a rule's relevance may change:
  // zero is a rule without an intent that was never rated.
  {
    name: '0016-ratings',
    sql: `
    ALTER TABLE rules ADD COLUMN relevance_version INTEGER NOT NULL DEFAULT 0;
    UPDATE rules SET relevance_version = 1 WHERE intent <> '""';
    CREATE TABLE ratings (
      position INTEGER PRIMARY KEY,
      rule INTEGER NOT NULL,
      account INTEGER NOT NULL,
      platform TEXT NOT NULL,
      rating TEXT NOT NULL,
      rated_at INTEGER NOT NULL,
      rated_by TEXT NOT NULL,
      traces TEXT NOT NULL
    );
    CREATE INDEX ratings_of_rule ON ratings (rule, platform, rating, position);
    CREATE INDEX ratings_of_account ON ratings (account, platform, rating, position);
    CREATE INDEX ratings_by_time ON ratings (rule, rated_at, position);
    CREATE TABLE suggestions (
      id TEXT PRIMARY KEY,
      rule INTEGER NOT NULL,
      platform TEXT NOT NULL,
      made_at INTEGER NOT NULL,
      kind TEXT NOT NULL,
      was TEXT NOT NULL,
      value TEXT NOT NULL,
      share REAL NOT NULL,
      applied_at INTEGER
    ) WITHOUT ROWID;
    CREATE INDEX suggestions_of_rule ON suggestions (rule, platform) WHERE applied_at IS NULL;
    CREATE INDEX suggestions_applied ON suggestions (rule, applied_at) WHERE applied_at IS NOT NULL;
  `,
  },
  // * Wake contracts. A held match is in a digest: a delivery whose bytes are written when it is due. `digest` is 1 while
  // further matches may join it, then 2. A row of `wake_stories` says what a webhook knows of a story.
  {
    name: '0017-wakes',
    sql: `
    ALTER TABLE webhooks ADD COLUMN wake TEXT;
    ALTER TABLE webhooks ADD COLUMN wake_account TEXT;
    ALTER TABLE webhooks ADD COLUMN wake_turn INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE owed ADD COLUMN story TEXT;
    ALTER TABLE deliveries ADD COLUMN digest INTEGER;
    CREATE INDEX deliveries_open ON deliveries (webhook, next_at) WHERE digest = 1;
    CREATE TABLE wake_stories (
      webhook INTEGER NOT NULL,
      story TEXT NOT NULL,
      woke INTEGER NOT NULL,
      seen INTEGER NOT NULL,
      PRIMARY KEY (webhook, story)
    ) WITHOUT ROWID;
    CREATE INDEX wake_stories_by_age ON wake_stories (seen);
  `,
  },
  // Alerts: what rules are watched for, what is kept of the watched ones, and what was found.
  {
    name: '0018-alerts',
    sql: `
    ALTER TABLE rules ADD COLUMN alerts INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE watches (
      rule INTEGER NOT NULL,
      platform TEXT NOT NULL,
      past_version INTEGER NOT NULL,
      due_at INTEGER NOT NULL,
      now TEXT,
      past TEXT,
      PRIMARY KEY (rule, platform)
    ) WITHOUT ROWID;
    CREATE INDEX watches_by_due ON watches (due_at);
    CREATE TABLE alerts (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      account INTEGER NOT NULL,
      rule INTEGER NOT NULL,
      platform TEXT NOT NULL,
      kind TEXT NOT NULL,
      from_at INTEGER NOT NULL,
      to_at INTEGER,
      rate REAL NOT NULL,
      usual_rate REAL NOT NULL
    );
    CREATE INDEX alerts_of_account ON alerts (account, number);
    CREATE INDEX alerts_of_rule ON alerts (rule, number);
    CREATE INDEX alerts_that_last ON alerts (account, rule) WHERE to_at IS NULL;
    CREATE INDEX alerts_by_end ON alerts (to_at) WHERE to_at IS NOT NULL;
    -- An episode is one alert, whoever looks.
    CREATE UNIQUE INDEX alerts_one_at_a_time ON alerts (rule, platform, kind) WHERE to_at IS NULL;
    CREATE INDEX minutes_by_age ON minutes (minute, subject, platform);
  `,
  },
  // Subscriptions of agents are webhooks that belong to a grant or a key, and end by themselves.
  {
    name: '0019-subscriptions',
    sql: `
    ALTER TABLE webhooks ADD COLUMN subscription TEXT;
    ALTER TABLE webhooks ADD COLUMN owner TEXT;
    ALTER TABLE webhooks ADD COLUMN event TEXT;
    ALTER TABLE webhooks ADD COLUMN expires_at INTEGER;
    ALTER TABLE webhooks ADD COLUMN brief INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE webhooks ADD COLUMN terms TEXT;
    CREATE UNIQUE INDEX webhooks_by_subscription ON webhooks (subscription)
      WHERE subscription IS NOT NULL AND status <> 'deleted';
    CREATE INDEX webhooks_of_owner ON webhooks (owner, status) WHERE owner IS NOT NULL;
    CREATE INDEX webhooks_by_event ON webhooks (event, status) WHERE event IS NOT NULL;
    CREATE INDEX webhooks_by_end ON webhooks (status, expires_at) WHERE expires_at IS NOT NULL;
  `,
  },
  // The encrypted credential for a receiver, and the address whose owner agreed to be sent to.
  {
    name: '0020-receivers',
    sql: `
    ALTER TABLE webhooks ADD COLUMN credential TEXT;
    ALTER TABLE webhooks ADD COLUMN confirmed_url TEXT;
  `,
  },
  // Feeds of matches at secret addresses: the table has a digest of each secret. A feed without a rule is of all rules.
  {
    name: '0021-shared-feeds',
    sql: `
    CREATE TABLE shared_feeds (
      id TEXT PRIMARY KEY,
      account INTEGER NOT NULL REFERENCES accounts,
      rule INTEGER,
      digest TEXT NOT NULL UNIQUE,
      contents TEXT NOT NULL,
      name TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX shared_feeds_of_account ON shared_feeds (account, id);
    CREATE INDEX shared_feeds_of_rule ON shared_feeds (rule) WHERE rule IS NOT NULL;
  `,
  },
  // * Deleted rules that can be restored, the platforms that rules got later, saved views, matches that are sent by hand,
  // and the attempts of a webhook by time. The matches of a deleted rule stay, with the number of their account negated:
  // no list of the account walks over them, and its charts do not count them. `moved_below` says how far they are brought
  // to where they belong, from the newest on.
  {
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
  },
  // Rehearsals, and the events that they show: rows of their own, so that an erasure finds them.
  {
    name: '0023-rehearsals',
    sql: `
    CREATE TABLE rehearsals (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      account INTEGER NOT NULL,
      status TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      ended_at INTEGER,
      due_at INTEGER NOT NULL,
      events INTEGER NOT NULL,
      progress REAL,
      request TEXT NOT NULL,
      error TEXT,
      position TEXT,
      state TEXT
    );
    CREATE INDEX rehearsals_of_account ON rehearsals (account, number);
    CREATE INDEX rehearsals_unfinished ON rehearsals (account) WHERE ended_at IS NULL;
    CREATE INDEX rehearsals_due ON rehearsals (due_at, number) WHERE ended_at IS NULL;
    CREATE INDEX rehearsals_by_end ON rehearsals (ended_at) WHERE ended_at IS NOT NULL;
    CREATE TABLE rehearsal_samples (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      rehearsal INTEGER NOT NULL,
      kind TEXT NOT NULL,
      platform TEXT NOT NULL,
      post_id TEXT NOT NULL,
      at INTEGER,
      source TEXT,
      payload TEXT NOT NULL,
      highlights TEXT NOT NULL
    );
    CREATE INDEX rehearsal_samples_of_one ON rehearsal_samples (rehearsal, number);
    CREATE INDEX rehearsal_samples_by_post ON rehearsal_samples (platform, post_id);
  `,
  },
  // The readings of each open source, minute by minute: how many events, and between which cursors.
  {
    name: '0024-readings',
    sql: `
    CREATE TABLE readings (
      source TEXT NOT NULL,
      minute INTEGER NOT NULL,
      events INTEGER NOT NULL,
      first_mark TEXT NOT NULL,
      last_mark TEXT NOT NULL,
      PRIMARY KEY (source, minute)
    ) WITHOUT ROWID;
    CREATE INDEX readings_by_age ON readings (minute);
  `,
  },
  // Retention finds the parts of the matches that it takes by their keys: an index by first match cost every match a tree.
  {
    name: '0025-fewer-trees',
    sql: 'DROP INDEX story_parts_by_first',
  },
  // * Counts, minutes, parts of stories and the matches of each rule are written for many commits at once: up to the
  // position `settled`. `unsettled` is how many matches lie behind it. A table takes the place of the index of matches by
  // rule, because SQLite writes an index with every row. Stories of a rule are found along that table.
  {
    name: '0026-settled',
    sql: `
    INSERT INTO state SELECT 'settled', value FROM state WHERE name = 'latest';
    INSERT INTO state VALUES ('unsettled', 0);

    CREATE TABLE rule_matches (
      rule INTEGER NOT NULL,
      platform TEXT NOT NULL,
      position INTEGER NOT NULL,
      story INTEGER,
      PRIMARY KEY (rule, platform, position)
    ) WITHOUT ROWID;
    INSERT INTO rule_matches SELECT rule, platform, position, story FROM matches ORDER BY rule, platform, position;
    DROP INDEX matches_of_rule;
    DROP INDEX story_parts_of_rule;
  `,
  },
  // * The texts that a rule had before it was changed, of the versions that matched something: highlights of those matches
  // are found by them. The view of matches is made again with every migration.
  {
    name: '0027-past-texts',
    sql: `
    CREATE TABLE past_texts (
      rule INTEGER NOT NULL,
      platform TEXT NOT NULL,
      version INTEGER NOT NULL,
      flags TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (rule, platform, version)
    ) WITHOUT ROWID;
  `,
  },
  // * Posts and keys of events come in no order, so that each event cost a page of two indexes. Tables take their place,
  // which are written for many commits at once; new events are in a small table until then.
  {
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
  },
  // * A match may have an empty tail: its id then ends with its rank and the end of its rule's id. A story has parts from
  // its second event on; before, its matches tell them. Stories that an event has joined are noted until they are settled.
  {
    name: '0029-derived-ids',
    sql: `
    CREATE TABLE grown_stories (story INTEGER PRIMARY KEY);
    INSERT INTO grown_stories SELECT DISTINCT story FROM matches
      WHERE story IS NOT NULL AND position > (SELECT value FROM state WHERE name = 'settled');
  `,
  },
  // * The log of certificates, as a Merkle tree: level 0 has the hash of each certificate, a higher level those of complete
  // subtrees.
  {
    name: '0030-certificate-log',
    sql: `
    CREATE TABLE certificate_log (
      level INTEGER NOT NULL,
      number INTEGER NOT NULL,
      hash TEXT NOT NULL,
      at INTEGER,
      PRIMARY KEY (level, number)
    ) WITHOUT ROWID;
    CREATE UNIQUE INDEX certificate_log_by_hash ON certificate_log (hash) WHERE level = 0;
    CREATE INDEX webhooks_for_heads ON webhooks (number) WHERE events LIKE '%"head"%';
    `,
  },
  // * What X delivered to our endpoint, until it is stored as matches. A position is never given twice.
  {
    name: '0031-inbox',
    sql: `
    CREATE TABLE inbox (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      platform TEXT NOT NULL,
      at INTEGER NOT NULL,
      until_at INTEGER,
      cause TEXT,
      body BLOB
    );
    CREATE INDEX inbox_of_platform ON inbox (platform, position);
    `,
  },
  // Which events hold the text of which posts, and erasures that are under way: a post may have a million reposts.
  {
    name: '0032-carriers',
    sql: `
    CREATE TABLE carriers (
      platform TEXT NOT NULL,
      carried TEXT NOT NULL,
      post_id TEXT NOT NULL,
      is_edit INTEGER NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (platform, carried, post_id)
    ) WITHOUT ROWID;
    CREATE INDEX carriers_by_age ON carriers (at);
    INSERT OR IGNORE INTO carriers SELECT 'x', json_quote(id), post_id, is_edit, unixepoch() * 1000 FROM (
      SELECT v.value AS id, e.post_id, 1 AS is_edit
        FROM events e, json_each(e.payload, '$.data.edit_history_tweet_ids') v WHERE e.platform = 'x' AND v.type = 'text'
      UNION ALL SELECT CASE r.type WHEN 'object' THEN r.value ->> 'id' END, e.post_id, 0
        FROM events e, json_each(e.payload, '$.data.referenced_tweets') r WHERE e.platform = 'x'
          AND CASE r.type WHEN 'object' THEN r.value ->> 'type' END = 'retweeted'
      UNION ALL SELECT CASE t.type WHEN 'object' THEN t.value ->> 'id' END, e.post_id, 0
        FROM events e, json_each(e.payload, '$.includes.tweets') t WHERE e.platform = 'x'
    ) WHERE id IS NOT NULL AND json_quote(id) <> post_id;

    CREATE TABLE erasures (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      platform TEXT NOT NULL,
      account INTEGER NOT NULL,
      touched INTEGER NOT NULL,
      state TEXT NOT NULL
    );
    CREATE INDEX erasures_by_touch ON erasures (touched);

    -- Whether texts were erased: without any, no event's text is digested.
    ALTER TABLE erasure_key ADD COLUMN texts INTEGER NOT NULL DEFAULT 0;
    `,
  },
  // * Limits of single accounts and suspended accounts; what is stored for each account, kept as counts, and what each
  // used lately. The size of matches that are there already is not known: they count as one of 1,024 bytes until others
  // come.
  {
    name: '0033-account-use',
    sql: `
    ALTER TABLE accounts ADD COLUMN limits TEXT;
    ALTER TABLE accounts ADD COLUMN suspended_at INTEGER;
    ALTER TABLE accounts ADD COLUMN suspended_for TEXT;
    CREATE INDEX accounts_restricted ON accounts (number) WHERE suspended_at IS NOT NULL OR limits IS NOT NULL;

    CREATE TABLE stored (
      account INTEGER PRIMARY KEY,
      matches INTEGER NOT NULL,
      came INTEGER NOT NULL,
      came_bytes INTEGER NOT NULL
    );
    INSERT INTO stored SELECT account, sum(matches), 1, 1024 FROM (
      SELECT -subject AS account, matches FROM minutes WHERE subject < 0
      UNION ALL SELECT account, 1 FROM matches
        WHERE account > 0 AND position > (SELECT value FROM state WHERE name = 'settled')
    ) GROUP BY account;

    CREATE TABLE account_use (
      minute INTEGER NOT NULL,
      account INTEGER NOT NULL,
      cpu_ms INTEGER NOT NULL,
      bytes_in INTEGER NOT NULL,
      events INTEGER NOT NULL,
      matches INTEGER NOT NULL,
      requests INTEGER NOT NULL,
      turns INTEGER NOT NULL,
      PRIMARY KEY (minute, account)
    ) WITHOUT ROWID;
  `,
  },
  // How many matches came to each account on the last day: the limit of a day needs no count of its minutes.
  {
    name: '0034-matches-of-a-day',
    sql: `
    ALTER TABLE stored ADD COLUMN day INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE stored ADD COLUMN day_came INTEGER NOT NULL DEFAULT 0;
  `,
  },
  // Settings that every node on the store must share, and which schema each node knows. The steps up to here took away what
  // release 0.2.0 reads.
  {
    name: '0035-agreed-settings',
    needs: '0035-agreed-settings',
    sql: `
    CREATE TABLE agreed_settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    ALTER TABLE nodes ADD COLUMN schema INTEGER;
    `,
  },
  // When the receiver of a delivery said that it was woken by it.
  { name: '0036-acknowledged', sql: 'ALTER TABLE deliveries ADD COLUMN acknowledged_at INTEGER;' },
  // Sources that accounts have added, their visits, the bytes that visits took, and webhooks that are limited to sources.
  {
    name: '0037-account-sources',
    sql: `
    CREATE TABLE source_fetches (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      key TEXT NOT NULL UNIQUE,
      host TEXT NOT NULL,
      shard INTEGER NOT NULL,
      kind TEXT NOT NULL,
      options TEXT NOT NULL,
      secret TEXT,
      every_ms INTEGER NOT NULL,
      slowest_ms INTEGER NOT NULL,
      interval_ms INTEGER NOT NULL,
      next_at INTEGER,
      visited_at INTEGER,
      good_at INTEGER,
      error TEXT,
      error_at INTEGER,
      status TEXT NOT NULL,
      rate REAL NOT NULL,
      failures INTEGER NOT NULL,
      visits INTEGER NOT NULL
    );
    CREATE INDEX source_fetches_by_time ON source_fetches (next_at) WHERE next_at IS NOT NULL;

    CREATE TABLE account_sources (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      account INTEGER NOT NULL REFERENCES accounts,
      created_at INTEGER NOT NULL,
      name TEXT NOT NULL,
      kind TEXT NOT NULL,
      options TEXT NOT NULL,
      platforms TEXT NOT NULL,
      secret TEXT,
      paused INTEGER NOT NULL,
      fetch_key TEXT NOT NULL,
      every_ms INTEGER NOT NULL,
      slowest_ms INTEGER NOT NULL,
      fresh INTEGER NOT NULL,
      events INTEGER NOT NULL
    );
    CREATE INDEX account_sources_of_account ON account_sources (account, number);
    CREATE INDEX account_sources_of_fetch ON account_sources (fetch_key, number);

    CREATE TABLE source_bytes (
      day INTEGER NOT NULL,
      account INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      PRIMARY KEY (day, account)
    ) WITHOUT ROWID;

    ALTER TABLE webhooks ADD COLUMN sources TEXT;
  `,
  },
  // Whoever changes or deletes what a caller is known by, a program of another version too, changes this number with it.
  {
    name: '0038-access-version',
    sql: `
    INSERT INTO state VALUES ('access', 0);
    CREATE TRIGGER access_accounts_update AFTER UPDATE ON accounts BEGIN
      UPDATE state SET value = value + 1 WHERE name = 'access';
    END;
    CREATE TRIGGER access_accounts_delete AFTER DELETE ON accounts BEGIN
      UPDATE state SET value = value + 1 WHERE name = 'access';
    END;
    CREATE TRIGGER access_keys_update AFTER UPDATE ON keys BEGIN
      UPDATE state SET value = value + 1 WHERE name = 'access';
    END;
    CREATE TRIGGER access_keys_delete AFTER DELETE ON keys BEGIN
      UPDATE state SET value = value + 1 WHERE name = 'access';
    END;
    CREATE TRIGGER access_grants_update AFTER UPDATE ON grants BEGIN
      UPDATE state SET value = value + 1 WHERE name = 'access';
    END;
    CREATE TRIGGER access_grants_delete AFTER DELETE ON grants BEGIN
      UPDATE state SET value = value + 1 WHERE name = 'access';
    END;
    CREATE TRIGGER access_access_tokens_update AFTER UPDATE ON access_tokens BEGIN
      UPDATE state SET value = value + 1 WHERE name = 'access';
    END;
    CREATE TRIGGER access_access_tokens_delete AFTER DELETE ON access_tokens BEGIN
      UPDATE state SET value = value + 1 WHERE name = 'access';
    END;
  `,
  },
  {
    name: '0039-unacknowledged',
    sql: `CREATE INDEX deliveries_unacknowledged ON deliveries (webhook, next_at)
      WHERE status = 'delivered' AND next_at IS NOT NULL;`,
  },
  // Fetches of the sources of accounts by hour, and why a source is left out of visits.
  {
    name: '0040-source-use',
    sql: `
    CREATE TABLE source_fetch_counts (
      hour INTEGER NOT NULL,
      account INTEGER NOT NULL,
      fetches INTEGER NOT NULL,
      PRIMARY KEY (hour, account)
    ) WITHOUT ROWID;
    ALTER TABLE account_sources ADD COLUMN waits TEXT;
    ALTER TABLE account_sources ADD COLUMN waits_at INTEGER;
  `,
  },
  {
    name: '0041-silences',
    sql: `
    CREATE TABLE silences (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      account INTEGER NOT NULL REFERENCES accounts,
      created_at INTEGER NOT NULL,
      until INTEGER NOT NULL,
      terms TEXT NOT NULL
    );
    CREATE INDEX silences_of_account ON silences (account, until);
    ALTER TABLE owed ADD COLUMN silence TEXT;
  `,
  },
  {
    name: '0042-judgements',
    sql: `
    CREATE TABLE judgements (
      position INTEGER PRIMARY KEY,
      rule INTEGER NOT NULL,
      content TEXT NOT NULL,
      judgement TEXT NOT NULL
    );
    CREATE INDEX judgements_of_content ON judgements (rule, content);
    CREATE TABLE judge_spending (
      span TEXT PRIMARY KEY,
      calls INTEGER NOT NULL,
      money INTEGER NOT NULL,
      input_tokens INTEGER NOT NULL,
      output_tokens INTEGER NOT NULL
    ) WITHOUT ROWID;
  `,
  },
  {
    name: '0043-templates',
    sql: `
    ALTER TABLE webhooks ADD COLUMN template TEXT;
    ALTER TABLE shared_feeds ADD COLUMN template TEXT;
    ALTER TABLE deliveries ADD COLUMN note TEXT;
  `,
  },
  {
    name: '0044-rule-snapshots',
    sql: `
    CREATE TABLE rule_snapshots (number INTEGER PRIMARY KEY, token TEXT NOT NULL, pieces INTEGER NOT NULL);
    CREATE TABLE rule_snapshot_pieces (token TEXT NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (token, number));
  `,
  },
  // Notices that an account got and whose cause lasts, each with its beginning.
  {
    name: '0045-notices',
    sql: `
    CREATE TABLE open_notices (
      account INTEGER NOT NULL REFERENCES accounts,
      cause TEXT NOT NULL,
      since INTEGER NOT NULL,
      PRIMARY KEY (account, cause)
    ) WITHOUT ROWID;
    ALTER TABLE webhooks ADD COLUMN notices TEXT;
  `,
  },
  // Objects with the payloads of old matches, each of all matches of an account from one position to another, and keys of objects
  // that are to be deleted: at once where the time is 0, else when nobody has taken them into use by then.
  {
    name: '0046-cold-objects',
    sql: `
    CREATE TABLE cold_objects (
      account INTEGER NOT NULL,
      first INTEGER NOT NULL,
      last INTEGER NOT NULL,
      matches INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      digest TEXT NOT NULL,
      key TEXT NOT NULL UNIQUE,
      stale INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (account, first)
    ) WITHOUT ROWID;
    CREATE INDEX cold_objects_by_end ON cold_objects (last);
    CREATE INDEX cold_objects_stale ON cold_objects (key) WHERE stale = 1;
    CREATE TABLE cold_leftovers (key TEXT PRIMARY KEY, due INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX cold_leftovers_by_time ON cold_leftovers (due);
    INSERT INTO state VALUES ('cold_objects', 0), ('cold_matches', 0), ('cold_bytes', 0);
  `,
  },
];

/** The number of the last step: what `user_version` has when all are done. */
export const SQLITE_SCHEMA = RELEASED_VERSION + MIGRATIONS.length - 1;
