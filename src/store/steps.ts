/**
 * The changes of the tables after release 0.2.0, one step after another, in PostgreSQL's form: `sqlite/dialect` says what SQLite
 * is told instead. What stands in `/*sqlite … *\/` is for SQLite alone, and what stands between `/*postgres*\/` and `/*end*\/`
 * for PostgreSQL alone. A step that has nothing for a database is none there.
 */
import { RELEASED_TABLES } from './released-schema.ts';
import type { SchemaStep } from './schema-needs.ts';
import { SQLITE_ALONE, stepInSqlite } from './sqlite/dialect.ts';

/** SQLite's triggers name one change each. */
const accessTriggers = (): string =>
  ['accounts', 'keys', 'grants', 'access_tokens']
    .flatMap((table) => ['update', 'delete'].map((change) => ({ table, change })))
    .map(
      ({ table, change }) => `CREATE TRIGGER access_${table}_${change} AFTER ${change.toUpperCase()} ON ${table} BEGIN
        UPDATE state SET value = value + 1 WHERE name = 'access';
      END;`,
    )
    .join('\n');

/** In order. SQLite notes how many steps a database has had, PostgreSQL notes their names. */
const STEPS: readonly SchemaStep[] = [
  RELEASED_TABLES,
  // Gaps of one account, rule or source beside those of everybody, and what feeds each platform.
  {
    name: '0002-feeds',
    sql: `
      /*sqlite
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
      CREATE INDEX gaps_by_end ON gaps (to_at) WHERE to_at IS NOT NULL; */
      /*postgres*/
      ALTER TABLE gaps ADD COLUMN owner text NOT NULL DEFAULT '';
      ALTER TABLE gaps ADD COLUMN rule text NOT NULL DEFAULT '';
      ALTER TABLE gaps ADD COLUMN source text NOT NULL DEFAULT '';
      ALTER TABLE gaps DROP CONSTRAINT gaps_pkey, ADD PRIMARY KEY (platform, owner, rule, from_at, source);
      /*end*/
      CREATE INDEX gaps_open ON gaps (platform) WHERE to_at IS NULL;
      CREATE INDEX gaps_of_owner ON gaps (platform, owner, from_at);
      CREATE INDEX gaps_missing ON gaps (platform, owner, from_at) WHERE recovered = 0;

      -- The last report on everything that feeds a platform.
      CREATE TABLE feeds (
        platform text NOT NULL,
        kind text NOT NULL,
        name text NOT NULL,
        state text NOT NULL,
        reason text,
        through bigint,
        since bigint NOT NULL,
        at bigint NOT NULL,
        PRIMARY KEY (platform, kind, name)
      ) /*sqlite WITHOUT ROWID */;
    `,
  },
  // Programs of agents that registered here, what people allowed them, and the access tokens that stand for it.
  {
    name: '0003-grants',
    sql: `
      CREATE TABLE oauth_clients (
        id text PRIMARY KEY,
        name text NOT NULL,
        redirect_uris text NOT NULL,
        secret text,
        created_at bigint NOT NULL,
        ends_at bigint NOT NULL,
        used smallint NOT NULL DEFAULT 0
      );
      CREATE INDEX oauth_clients_unused ON oauth_clients (created_at) WHERE used = 0;
      CREATE INDEX oauth_clients_by_end ON oauth_clients (ends_at);

      -- A grant begins with a code; it works once the code was used. All its refresh tokens share a family.
      CREATE TABLE grants (
        id text PRIMARY KEY,
        account text NOT NULL,
        client text NOT NULL,
        client_name text NOT NULL,
        redirect_uri text NOT NULL,
        resource text NOT NULL,
        scopes text NOT NULL,
        rule_ids text,
        created_at bigint NOT NULL,
        last_used_at bigint,
        ends_at bigint NOT NULL,
        expires_at bigint NOT NULL,
        code text NOT NULL UNIQUE,
        challenge text NOT NULL,
        code_used_at bigint,
        family text UNIQUE,
        refresh text,
        previous text,
        rotated_at bigint
      );
      CREATE INDEX grants_of_account ON grants (account, id);
      CREATE INDEX grants_by_end ON grants (ends_at);

      CREATE TABLE access_tokens (
        digest text PRIMARY KEY,
        grant_id text NOT NULL,
        scopes text NOT NULL,
        ends_at bigint NOT NULL
      );
      CREATE INDEX access_tokens_of_grant ON access_tokens (grant_id, ends_at);
      CREATE INDEX access_tokens_by_end ON access_tokens (ends_at);
    `,
  },
  // The events that a webhook gets; without a list, matches. And a place for the bytes that show that there is space.
  {
    name: '0004-operational-events',
    sql: `
      ALTER TABLE webhooks ADD COLUMN events text;
      /*sqlite CREATE TABLE room (bytes BLOB NOT NULL); */
    `,
  },
  // The source of an event. Events that are stored already have none.
  {
    name: '0005-event-sources',
    sql: 'ALTER TABLE events ADD COLUMN source text;',
  },
  // An erased post stays erased. The digests have a key of this database; account 0 stands for all accounts.
  {
    name: '0006-tombstones',
    sql: `
      CREATE TABLE erasure_key (one integer PRIMARY KEY CHECK (one = 1), key text NOT NULL);
      /*sqlite INSERT INTO erasure_key VALUES (1, lower(hex(randomblob(32)))); */
      /*postgres*/
      INSERT INTO erasure_key
      VALUES (1, encode(sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex'));
      /*end*/
      CREATE TABLE tombstones (
        digest text COLLATE "C" NOT NULL,
        account bigint NOT NULL,
        until bigint NOT NULL,
        PRIMARY KEY (digest, account)
      ) /*sqlite WITHOUT ROWID */;
      CREATE INDEX tombstones_by_end ON tombstones (until);
      /*postgres*/
      -- Versions of a post are found by how their ids begin, which an index answers only in the order of bytes.
      ALTER TABLE events ALTER COLUMN post_id TYPE text COLLATE "C";
      /*end*/
    `,
  },
  // The audit log.
  {
    name: '0007-changes',
    sql: `
      CREATE TABLE changes (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        account bigint NOT NULL,
        at bigint NOT NULL,
        made_by text NOT NULL,
        kind text NOT NULL,
        what text NOT NULL,
        subject text NOT NULL,
        before text,
        after text
      );
      CREATE INDEX changes_of_account ON changes (account, number);
      CREATE INDEX changes_of_kind ON changes (account, kind, number);
      CREATE INDEX changes_of_subject ON changes (account, subject, number);
      CREATE INDEX changes_by_age ON changes (at);
    `,
  },
  // The story of each match, by the position of the match that began it; matches that are stored already have none.
  // Parts of a story are what it has of one rule, platform and source (empty for none). A book is what is known of an
  // account's open stories at a position; the log has what was decided since. An event is found by a digest of its
  // platform and post. The mark differs after every commit: a node of PostgreSQL sees by it whether the last one was its own.
  {
    name: '0008-stories',
    sql: `
      /*postgres*/
      ALTER TABLE state ADD COLUMN mark bigint NOT NULL DEFAULT 0;
      /*end*/
      ALTER TABLE events ADD COLUMN key text;
      CREATE INDEX events_by_key ON events (key) WHERE key IS NOT NULL;
      ALTER TABLE matches ADD COLUMN story bigint;
      CREATE INDEX matches_of_story ON matches (story, platform/*postgres*/, position/*end*/) WHERE story IS NOT NULL;

      CREATE TABLE story_parts (
        story bigint NOT NULL,
        rule bigint NOT NULL,
        platform text NOT NULL,
        source text NOT NULL,
        account bigint NOT NULL,
        matches bigint NOT NULL,
        first bigint NOT NULL,
        last bigint NOT NULL,
        PRIMARY KEY (story, rule, platform, source)
      ) /*sqlite WITHOUT ROWID */;
      CREATE INDEX story_parts_of_account ON story_parts (account, platform, last);
      CREATE INDEX story_parts_of_rule ON story_parts (rule, platform, last);
      CREATE INDEX story_parts_by_first ON story_parts (first);

      CREATE TABLE story_books (account bigint PRIMARY KEY, position bigint NOT NULL, state bytea NOT NULL);
      CREATE TABLE story_log (
        account bigint NOT NULL,
        position bigint NOT NULL,
        entries bytea NOT NULL,
        PRIMARY KEY (account, position)
      ) /*sqlite WITHOUT ROWID */;
    `,
  },
  // Ratings of matches and suggested changes of rules. `relevance_version` grows whenever a rule's relevance may
  // change: zero is a rule without an intent that was never rated.
  {
    name: '0009-ratings',
    sql: `
      ALTER TABLE rules ADD COLUMN relevance_version integer NOT NULL DEFAULT 0;
      UPDATE rules SET relevance_version = 1 WHERE intent <> '""';
      CREATE TABLE ratings (
        position bigint PRIMARY KEY,
        rule bigint NOT NULL,
        account bigint NOT NULL,
        platform text NOT NULL,
        rating text NOT NULL,
        rated_at bigint NOT NULL,
        rated_by text NOT NULL,
        traces text NOT NULL
      );
      CREATE INDEX ratings_of_rule ON ratings (rule, platform, rating, position);
      CREATE INDEX ratings_of_account ON ratings (account, platform, rating, position);
      CREATE INDEX ratings_by_time ON ratings (rule, rated_at, position);
      CREATE TABLE suggestions (
        id text PRIMARY KEY,
        rule bigint NOT NULL,
        platform text NOT NULL,
        made_at bigint NOT NULL,
        kind text NOT NULL,
        was text NOT NULL,
        value text NOT NULL,
        share double precision NOT NULL,
        applied_at bigint
      ) /*sqlite WITHOUT ROWID */;
      CREATE INDEX suggestions_of_rule ON suggestions (rule, platform) WHERE applied_at IS NULL;
      CREATE INDEX suggestions_applied ON suggestions (rule, applied_at) WHERE applied_at IS NOT NULL;
    `,
  },
  // Wake contracts. A held match is in a digest: a delivery whose bytes are written when it is due. `digest` is 1
  // while further matches may join it, then 2. A row of `wake_stories` says what a webhook knows of a story.
  {
    name: '0010-wakes',
    sql: `
      ALTER TABLE webhooks ADD COLUMN wake text;
      ALTER TABLE webhooks ADD COLUMN wake_account text;
      ALTER TABLE webhooks ADD COLUMN wake_turn bigint NOT NULL DEFAULT 0;
      ALTER TABLE owed ADD COLUMN story text;
      ALTER TABLE deliveries ADD COLUMN digest smallint;
      CREATE INDEX deliveries_open ON deliveries (webhook, next_at) WHERE digest = 1;
      CREATE TABLE wake_stories (
        webhook bigint NOT NULL,
        story text NOT NULL,
        woke smallint NOT NULL,
        seen bigint NOT NULL,
        PRIMARY KEY (webhook, story)
      ) /*sqlite WITHOUT ROWID */;
      CREATE INDEX wake_stories_by_age ON wake_stories (seen);
    `,
  },
  // Alerts: what rules are watched for, what is kept of the watched ones, and what was found.
  {
    name: '0011-alerts',
    sql: `
      ALTER TABLE rules ADD COLUMN alerts smallint NOT NULL DEFAULT 0;
      CREATE TABLE watches (
        rule bigint NOT NULL,
        platform text NOT NULL,
        past_version integer NOT NULL,
        due_at bigint NOT NULL,
        now text,
        past text,
        PRIMARY KEY (rule, platform)
      ) /*sqlite WITHOUT ROWID */;
      CREATE INDEX watches_by_due ON watches (due_at);
      CREATE TABLE alerts (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id text NOT NULL UNIQUE,
        account bigint NOT NULL,
        rule bigint NOT NULL,
        platform text NOT NULL,
        kind text NOT NULL,
        from_at bigint NOT NULL,
        to_at bigint,
        rate double precision NOT NULL,
        usual_rate double precision NOT NULL
      );
      CREATE INDEX alerts_of_account ON alerts (account, number);
      CREATE INDEX alerts_of_rule ON alerts (rule, number);
      CREATE INDEX alerts_that_last ON alerts (account, rule) WHERE to_at IS NULL;
      CREATE INDEX alerts_by_end ON alerts (to_at) WHERE to_at IS NOT NULL;
      -- An episode is one alert, whoever looks.
      CREATE UNIQUE INDEX alerts_one_at_a_time ON alerts (rule, platform, kind) WHERE to_at IS NULL;
      /*postgres*/
      DROP INDEX minutes_by_age;
      /*end*/
      CREATE INDEX minutes_by_age ON minutes (minute, subject, platform);
    `,
  },
  // Subscriptions of agents are webhooks that belong to a grant or a key, and end by themselves.
  {
    name: '0012-subscriptions',
    sql: `
      ALTER TABLE webhooks ADD COLUMN subscription text;
      ALTER TABLE webhooks ADD COLUMN owner text;
      ALTER TABLE webhooks ADD COLUMN event text;
      ALTER TABLE webhooks ADD COLUMN expires_at bigint;
      ALTER TABLE webhooks ADD COLUMN brief smallint NOT NULL DEFAULT 0;
      ALTER TABLE webhooks ADD COLUMN terms text;
      CREATE UNIQUE INDEX webhooks_by_subscription ON webhooks (subscription)
      WHERE subscription IS NOT NULL AND status <> 'deleted';
      CREATE INDEX webhooks_of_owner ON webhooks (owner, status) WHERE owner IS NOT NULL;
      CREATE INDEX webhooks_by_event ON webhooks (event, status) WHERE event IS NOT NULL;
      CREATE INDEX webhooks_by_end ON webhooks (status, expires_at) WHERE expires_at IS NOT NULL;
    `,
  },
  // The encrypted credential for a receiver, and the address whose owner agreed to be sent to.
  {
    name: '0013-receivers',
    sql: `
      ALTER TABLE webhooks ADD COLUMN credential text;
      ALTER TABLE webhooks ADD COLUMN confirmed_url text;
    `,
  },
  // Feeds of matches at secret addresses: the table has a digest of each secret. A feed without a rule is of all
  // rules.
  {
    name: '0014-shared-feeds',
    sql: `
      CREATE TABLE shared_feeds (
        id text PRIMARY KEY,
        account bigint NOT NULL REFERENCES accounts,
        rule bigint,
        digest text NOT NULL UNIQUE,
        contents text NOT NULL,
        name text NOT NULL,
        created_at bigint NOT NULL
      ) /*sqlite WITHOUT ROWID */;
      CREATE INDEX shared_feeds_of_account ON shared_feeds (account, id);
      CREATE INDEX shared_feeds_of_rule ON shared_feeds (rule) WHERE rule IS NOT NULL;
    `,
  },
  // Deleted rules that can be restored, the platforms that rules got later, saved views, matches that are sent by
  // hand, and the attempts of a webhook by time. The matches of a deleted rule stay, with the number of their account
  // negated: no list of the account walks over them, and its charts do not count them. `moved_below` says how far
  // they are brought to where they belong, from the newest on.
  {
    name: '0015-trash',
    sql: `
      -- Matches of a deleted rule stay, with the number of their account negated.
      ALTER TABLE rules ADD COLUMN deleted_at bigint;
      ALTER TABLE rules ADD COLUMN restorable_until bigint;
      ALTER TABLE rules ADD COLUMN moved_below bigint;
      UPDATE rules SET deleted_at = 0, restorable_until = 0, moved_below = ${Number.MAX_SAFE_INTEGER} WHERE deleted = 1;
      DROP INDEX rules_deleted;
      CREATE INDEX rules_deleted ON rules (restorable_until) WHERE deleted = 1;
      CREATE INDEX rules_in_trash ON rules (account, deleted_at/*postgres*/, number/*end*/) WHERE deleted = 1;
      CREATE INDEX rules_moving ON rules (number) WHERE moved_below IS NOT NULL;
      ALTER TABLE rule_platforms ADD COLUMN added_at bigint;

      CREATE TABLE views (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id text NOT NULL UNIQUE,
        account bigint NOT NULL REFERENCES accounts,
        name text NOT NULL,
        query text NOT NULL,
        created_at bigint NOT NULL
      );
      CREATE INDEX views_of_account ON views (account, number);

      -- The one match of a delivery that was asked for by hand: it is not owed, and may be in another delivery, too.
      ALTER TABLE deliveries ADD COLUMN sent bigint;
      CREATE INDEX deliveries_by_sent ON deliveries (sent) WHERE sent IS NOT NULL;

      ALTER TABLE attempts ADD COLUMN webhook bigint;
      UPDATE attempts SET webhook = (SELECT webhook FROM deliveries WHERE number = attempts.delivery);
      CREATE INDEX attempts_of_webhook ON attempts (webhook, at/*postgres*/, number/*end*/);
    `,
  },
  // Rehearsals, and the events that they show: rows of their own, so that an erasure finds them.
  {
    name: '0016-rehearsals',
    sql: `
      CREATE TABLE rehearsals (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id text NOT NULL UNIQUE,
        account bigint NOT NULL,
        status text NOT NULL,
        created_at bigint NOT NULL,
        ended_at bigint,
        due_at bigint NOT NULL,
        events bigint NOT NULL,
        progress double precision,
        request text NOT NULL,
        error text,
        position text,
        state text
      );
      CREATE INDEX rehearsals_of_account ON rehearsals (account, number);
      CREATE INDEX rehearsals_unfinished ON rehearsals (account) WHERE ended_at IS NULL;
      CREATE INDEX rehearsals_due ON rehearsals (due_at, number) WHERE ended_at IS NULL;
      CREATE INDEX rehearsals_by_end ON rehearsals (ended_at) WHERE ended_at IS NOT NULL;
      CREATE TABLE rehearsal_samples (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        rehearsal bigint NOT NULL,
        kind text NOT NULL,
        platform text NOT NULL,
        post_id text COLLATE "C" NOT NULL,
        at bigint,
        source text,
        payload text NOT NULL,
        highlights text NOT NULL
      );
      CREATE INDEX rehearsal_samples_of_one ON rehearsal_samples (rehearsal, number);
      CREATE INDEX rehearsal_samples_by_post ON rehearsal_samples (platform, post_id);
    `,
  },
  // The readings of each open source, minute by minute: how many events, and between which cursors.
  {
    name: '0017-readings',
    sql: `
      CREATE TABLE readings (
        source text NOT NULL,
        minute bigint NOT NULL,
        events bigint NOT NULL,
        first_mark text NOT NULL,
        last_mark text NOT NULL,
        PRIMARY KEY (source, minute)
      ) /*sqlite WITHOUT ROWID */;
      CREATE INDEX readings_by_age ON readings (minute);
    `,
  },
  // Retention finds the parts of the matches that it takes by their keys: an index by first match cost every match a
  // tree.
  {
    name: 'sqlite-fewer-trees',
    sql: '/*sqlite DROP INDEX story_parts_by_first; */',
  },
  // Counts, minutes, parts of stories and the matches of each rule are written for many commits at once: up to the
  // position `settled`. `unsettled` is how many matches lie behind it. A table takes the place of the index of
  // matches by rule, because SQLite writes an index with every row. Stories of a rule are found along that table.
  {
    name: 'sqlite-settled',
    sql: `
      /*sqlite
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
      DROP INDEX story_parts_of_rule; */
    `,
  },
  // The texts that a rule had before it was changed, of the versions that matched something: highlights of those
  // matches are found by them. The view of matches is made again with every migration.
  {
    name: '0018-past-texts',
    sql: `
      CREATE TABLE past_texts (
        rule bigint NOT NULL,
        platform text NOT NULL,
        version bigint NOT NULL,
        flags text NOT NULL,
        value text NOT NULL,
        PRIMARY KEY (rule, platform, version)
      ) /*sqlite WITHOUT ROWID */;
    `,
  },
  // Posts and keys of events come in no order, so that each event cost a page of two indexes. Tables take their
  // place, which are written for many commits at once; new events are in a small table until then.
  {
    name: 'sqlite-event-names',
    sql: `
      /*sqlite
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
      DROP INDEX story_parts_of_account; */
    `,
  },
  // A match may have an empty tail: its id then ends with its rank and the end of its rule's id. A story has parts
  // from its second event on; before, its matches tell them. Stories that an event has joined are noted until they
  // are settled.
  {
    name: 'sqlite-derived-ids',
    sql: `
      /*sqlite
      CREATE TABLE grown_stories (story INTEGER PRIMARY KEY);
      INSERT INTO grown_stories SELECT DISTINCT story FROM matches
      WHERE story IS NOT NULL AND position > (SELECT value FROM state WHERE name = 'settled'); */
    `,
  },
  // The log of certificates, as a Merkle tree: level 0 has the hash of each certificate, a higher level those of
  // complete subtrees.
  {
    name: '0019-certificate-log',
    sql: `
      CREATE TABLE certificate_log (
        level bigint NOT NULL,
        number bigint NOT NULL,
        hash text NOT NULL,
        at bigint,
        PRIMARY KEY (level, number)
      ) /*sqlite WITHOUT ROWID */;
      CREATE UNIQUE INDEX certificate_log_by_hash ON certificate_log (hash) WHERE level = 0;
      CREATE INDEX webhooks_for_heads ON webhooks (number) WHERE events LIKE '%"head"%';
    `,
  },
  // Deliveries of X to our endpoint, until they are stored as matches. A position is never given twice.
  {
    name: '0020-inbox',
    sql: `
      CREATE TABLE inbox (
        position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        platform text NOT NULL,
        at bigint NOT NULL,
        until_at bigint,
        cause text,
        body bytea
      );
      CREATE INDEX inbox_of_platform ON inbox (platform, position);
    `,
  },
  // Which events hold the text of which posts, and erasures that are under way: a post may have a million reposts.
  {
    name: '0021-carriers',
    sql: `
      CREATE TABLE carriers (
        platform text NOT NULL,
        carried text COLLATE "C" NOT NULL,
        post_id text COLLATE "C" NOT NULL,
        is_edit bigint NOT NULL,
        at bigint NOT NULL,
        PRIMARY KEY (platform, carried, post_id)
      ) /*sqlite WITHOUT ROWID */;
      CREATE INDEX carriers_by_age ON carriers (at);
      /*sqlite
      INSERT OR IGNORE INTO carriers SELECT 'x', json_quote(id), post_id, is_edit, unixepoch() * 1000 FROM (
        SELECT v.value AS id, e.post_id, 1 AS is_edit
          FROM events e, json_each(e.payload, '$.data.edit_history_tweet_ids') v WHERE e.platform = 'x' AND v.type = 'text'
        UNION ALL SELECT CASE r.type WHEN 'object' THEN r.value ->> 'id' END, e.post_id, 0
          FROM events e, json_each(e.payload, '$.data.referenced_tweets') r WHERE e.platform = 'x'
            AND CASE r.type WHEN 'object' THEN r.value ->> 'type' END = 'retweeted'
        UNION ALL SELECT CASE t.type WHEN 'object' THEN t.value ->> 'id' END, e.post_id, 0
          FROM events e, json_each(e.payload, '$.includes.tweets') t WHERE e.platform = 'x'
      ) WHERE id IS NOT NULL AND json_quote(id) <> post_id; */
      /*postgres*/
      INSERT INTO carriers
      SELECT 'x', to_json(id)::text, post_id, is_edit, (extract(epoch FROM now()) * 1000)::bigint FROM (
        SELECT v #>> '{}' AS id, e.post_id, 1 AS is_edit FROM events e, json_array_elements(
            CASE json_typeof(e.payload::json #> '{data,edit_history_tweet_ids}') WHEN 'array'
              THEN e.payload::json #> '{data,edit_history_tweet_ids}' END) v
          WHERE e.platform = 'x' AND json_typeof(v) = 'string'
        UNION ALL SELECT r ->> 'id', e.post_id, 0 FROM events e, json_array_elements(
            CASE json_typeof(e.payload::json #> '{data,referenced_tweets}') WHEN 'array'
              THEN e.payload::json #> '{data,referenced_tweets}' END) r
          WHERE e.platform = 'x' AND CASE json_typeof(r) WHEN 'object' THEN r ->> 'type' END = 'retweeted'
        UNION ALL SELECT CASE json_typeof(t) WHEN 'object' THEN t ->> 'id' END, e.post_id, 0
          FROM events e, json_array_elements(CASE json_typeof(e.payload::json #> '{includes,tweets}') WHEN 'array'
              THEN e.payload::json #> '{includes,tweets}' END) t
          WHERE e.platform = 'x'
      ) c WHERE id IS NOT NULL AND to_json(id)::text <> post_id
      ON CONFLICT DO NOTHING;
      /*end*/

      CREATE TABLE erasures (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        platform text NOT NULL,
        account bigint NOT NULL,
        touched bigint NOT NULL,
        state text NOT NULL
      );
      CREATE INDEX erasures_by_touch ON erasures (touched);

      -- Whether texts were erased: without any, no event's text is digested.
      ALTER TABLE erasure_key ADD COLUMN texts bigint NOT NULL DEFAULT 0;
    `,
  },
  // Limits of single accounts and suspended accounts; what is stored for each account, kept as counts, and what each
  // used lately. The size of matches that are there already is not known: they count as one of 1,024 bytes until
  // others come.
  {
    name: '0022-account-use',
    sql: `
      ALTER TABLE accounts ADD COLUMN limits text;
      ALTER TABLE accounts ADD COLUMN suspended_at bigint;
      ALTER TABLE accounts ADD COLUMN suspended_for text;
      CREATE INDEX accounts_restricted ON accounts (number) WHERE suspended_at IS NOT NULL OR limits IS NOT NULL;

      CREATE TABLE stored (
        account bigint PRIMARY KEY,
        matches bigint NOT NULL,
        came bigint NOT NULL,
        came_bytes bigint NOT NULL
      );
      /*sqlite
      INSERT INTO stored SELECT account, sum(matches), 1, 1024 FROM (
        SELECT -subject AS account, matches FROM minutes WHERE subject < 0
        UNION ALL SELECT account, 1 FROM matches
          WHERE account > 0 AND position > (SELECT value FROM state WHERE name = 'settled')
      ) GROUP BY account; */
      /*postgres*/
      INSERT INTO stored SELECT -subject, sum(matches), 1, 1024 FROM minutes WHERE subject < 0 GROUP BY subject;
      /*end*/

      CREATE TABLE account_use (
        minute bigint NOT NULL,
        account bigint NOT NULL,
        cpu_ms bigint NOT NULL,
        bytes_in bigint NOT NULL,
        events bigint NOT NULL,
        matches bigint NOT NULL,
        requests bigint NOT NULL,
        turns bigint NOT NULL,
        PRIMARY KEY (minute, account)
      ) /*sqlite WITHOUT ROWID */;
    `,
  },
  // How many matches came to each account on the last day: the limit of a day needs no count of its minutes.
  {
    name: '0023-matches-of-a-day',
    sql: `
      ALTER TABLE stored ADD COLUMN day bigint NOT NULL DEFAULT 0;
      ALTER TABLE stored ADD COLUMN day_came bigint NOT NULL DEFAULT 0;
    `,
  },
  // Settings that every node on the store must share, and which schema each node knows. The steps up to here took
  // away what release 0.2.0 reads.
  {
    name: '0024-agreed-settings',
    needs: '0024-agreed-settings',
    sql: `
      CREATE TABLE agreed_settings (name text PRIMARY KEY, value text NOT NULL) /*sqlite WITHOUT ROWID */;
      ALTER TABLE nodes ADD COLUMN schema integer;
    `,
  },
  // When the receiver of a delivery said that it was woken by it.
  {
    name: '0025-acknowledged',
    sql: 'ALTER TABLE deliveries ADD COLUMN acknowledged_at bigint;',
  },
  // Sources that accounts have added, their visits, the bytes that visits took, and webhooks that are limited to
  // sources.
  {
    name: '0026-account-sources',
    sql: `
      CREATE TABLE source_fetches (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        key text NOT NULL UNIQUE,
        host text NOT NULL,
        shard bigint NOT NULL,
        kind text NOT NULL,
        options text NOT NULL,
        secret text,
        every_ms bigint NOT NULL,
        slowest_ms bigint NOT NULL,
        interval_ms bigint NOT NULL,
        next_at bigint,
        visited_at bigint,
        good_at bigint,
        error text,
        error_at bigint,
        status text NOT NULL,
        rate double precision NOT NULL,
        failures bigint NOT NULL,
        visits bigint NOT NULL
      );
      CREATE INDEX source_fetches_by_time ON source_fetches (next_at) WHERE next_at IS NOT NULL;

      CREATE TABLE account_sources (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id text NOT NULL UNIQUE,
        account bigint NOT NULL REFERENCES accounts,
        created_at bigint NOT NULL,
        name text NOT NULL,
        kind text NOT NULL,
        options text NOT NULL,
        platforms text NOT NULL,
        secret text,
        paused bigint NOT NULL,
        fetch_key text NOT NULL,
        every_ms bigint NOT NULL,
        slowest_ms bigint NOT NULL,
        fresh bigint NOT NULL,
        events bigint NOT NULL
      );
      CREATE INDEX account_sources_of_account ON account_sources (account, number);
      CREATE INDEX account_sources_of_fetch ON account_sources (fetch_key, number);

      CREATE TABLE source_bytes (
        day bigint NOT NULL,
        account bigint NOT NULL,
        bytes bigint NOT NULL,
        PRIMARY KEY (day, account)
      ) /*sqlite WITHOUT ROWID */;
      /*postgres*/
      CREATE INDEX cursors_in_order ON cursors (name COLLATE "C");
      /*end*/

      ALTER TABLE webhooks ADD COLUMN sources text;
    `,
  },
  // Whoever changes or deletes what a caller is known by, a program of another version too, changes this number with
  // it.
  {
    name: '0027-access-version',
    sql: `
      INSERT INTO state (name, value) VALUES ('access', 0);
      /*sqlite
      ${accessTriggers()} */
      /*postgres*/
      CREATE FUNCTION note_access() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE state SET value = value + 1 WHERE name = 'access';
        RETURN NULL;
      END $$;
      CREATE TRIGGER access_accounts AFTER UPDATE OR DELETE ON accounts EXECUTE FUNCTION note_access();
      CREATE TRIGGER access_keys AFTER UPDATE OR DELETE ON keys EXECUTE FUNCTION note_access();
      CREATE TRIGGER access_grants AFTER UPDATE OR DELETE ON grants EXECUTE FUNCTION note_access();
      CREATE TRIGGER access_access_tokens AFTER UPDATE OR DELETE ON access_tokens EXECUTE FUNCTION note_access();
      /*end*/
    `,
  },
  {
    name: '0028-unacknowledged',
    sql: `
      CREATE INDEX deliveries_unacknowledged ON deliveries (webhook, next_at)
      WHERE status = 'delivered' AND next_at IS NOT NULL;
    `,
  },
  // Fetches of the sources of accounts by hour, and why a source is left out of visits.
  {
    name: '0029-source-use',
    sql: `
      CREATE TABLE source_fetch_counts (
        hour bigint NOT NULL,
        account bigint NOT NULL,
        fetches bigint NOT NULL,
        PRIMARY KEY (hour, account)
      ) /*sqlite WITHOUT ROWID */;
      ALTER TABLE account_sources ADD COLUMN waits text;
      ALTER TABLE account_sources ADD COLUMN waits_at bigint;
    `,
  },
  {
    name: '0030-silences',
    sql: `
      CREATE TABLE silences (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id text NOT NULL UNIQUE,
        account bigint NOT NULL REFERENCES accounts,
        created_at bigint NOT NULL,
        until bigint NOT NULL,
        terms text NOT NULL
      );
      CREATE INDEX silences_of_account ON silences (account, until);
      ALTER TABLE owed ADD COLUMN silence text;
    `,
  },
  {
    name: '0031-judgements',
    sql: `
      CREATE TABLE judgements (
        position bigint PRIMARY KEY,
        rule bigint NOT NULL,
        content text NOT NULL,
        judgement text NOT NULL
      );
      CREATE INDEX judgements_of_content ON judgements (rule, content);
      CREATE TABLE judge_spending (
        span text COLLATE "C" PRIMARY KEY,
        calls bigint NOT NULL,
        money bigint NOT NULL,
        input_tokens bigint NOT NULL,
        output_tokens bigint NOT NULL
      ) /*sqlite WITHOUT ROWID */;
    `,
  },
  {
    name: '0032-templates',
    sql: `
      ALTER TABLE webhooks ADD COLUMN template text;
      ALTER TABLE shared_feeds ADD COLUMN template text;
      ALTER TABLE deliveries ADD COLUMN note text;
    `,
  },
  {
    name: '0033-rule-snapshots',
    sql: `
      CREATE TABLE rule_snapshots (number bigint PRIMARY KEY, token text NOT NULL, pieces bigint NOT NULL);
      CREATE TABLE rule_snapshot_pieces (token text NOT NULL, number bigint NOT NULL, bytes bytea NOT NULL,
        PRIMARY KEY (token, number));
    `,
  },
  // Notices that an account got and whose cause lasts, each with its beginning.
  {
    name: '0034-notices',
    sql: `
      CREATE TABLE open_notices (
        account bigint NOT NULL REFERENCES accounts,
        cause text NOT NULL,
        since bigint NOT NULL,
        PRIMARY KEY (account, cause)
      ) /*sqlite WITHOUT ROWID */;
      ALTER TABLE webhooks ADD COLUMN notices text;
    `,
  },
  {
    name: '0035-commit-turns',
    sql: `
      /*postgres*/
      CREATE TABLE story_turns (account bigint PRIMARY KEY);
      CREATE FUNCTION commit_again() RETURNS bigint LANGUAGE plpgsql AS $$
      BEGIN
        RAISE serialization_failure USING MESSAGE = 'another commit came first: this one begins again';
      END $$;
      /*end*/
    `,
  },
  // Objects with the payloads of old matches, each of all matches of an account from one position to another, and
  // keys of objects that are to be deleted: at once where the time is 0, else when nobody has taken them into use by
  // then.
  {
    name: '0036-cold-objects',
    sql: `
      CREATE TABLE cold_objects (
        account bigint NOT NULL,
        first bigint NOT NULL,
        last bigint NOT NULL,
        matches bigint NOT NULL,
        bytes bigint NOT NULL,
        digest text NOT NULL,
        key text NOT NULL UNIQUE,
        stale integer NOT NULL DEFAULT 0,
        PRIMARY KEY (account, first)
      ) /*sqlite WITHOUT ROWID */;
      CREATE INDEX cold_objects_by_end ON cold_objects (last);
      CREATE INDEX cold_objects_stale ON cold_objects (key) WHERE stale = 1;
      CREATE TABLE cold_leftovers (key text PRIMARY KEY, due bigint NOT NULL) /*sqlite WITHOUT ROWID */;
      CREATE INDEX cold_leftovers_by_time ON cold_leftovers (due);
      INSERT INTO state (name, value) VALUES ('cold_objects', 0), ('cold_matches', 0), ('cold_bytes', 0);
    `,
  },
  // The position of the first match that a delivery was made with, or what it tells of instead.
  {
    name: '0037-delivery-subjects',
    sql: `
      ALTER TABLE deliveries ADD COLUMN first bigint;
      ALTER TABLE deliveries ADD COLUMN subject text;
    `,
  },
  // The kind of receiver that the bytes of a delivery are for: a webhook may have another one by the time they are sent.
  { name: '0038-delivery-receivers', sql: 'ALTER TABLE deliveries ADD COLUMN made_for text;' },
  // The digests by which a rated post would be refused: an erasure finds its rating by them when its match has gone.
  {
    name: '0039-rated-posts',
    sql: `
      CREATE TABLE rated_posts (
        position bigint NOT NULL REFERENCES ratings ON DELETE CASCADE,
        digest text COLLATE "C" NOT NULL,
        PRIMARY KEY (position, digest)
      ) /*sqlite WITHOUT ROWID */;
      CREATE INDEX rated_posts_by_digest ON rated_posts (digest);
    `,
  },
  // When a source was changed to what it reads now, and where the gap begins that it has.
  {
    name: '0040-source-gaps',
    sql: `
      ALTER TABLE account_sources ADD COLUMN joined_at bigint;
      ALTER TABLE account_sources ADD COLUMN gap_from bigint;
      UPDATE account_sources SET gap_from = (SELECT min(g.from_at) FROM gaps g JOIN accounts a ON a.id = g.owner
        WHERE g.platform IN ('x', 'firehose') AND a.number = account_sources.account AND g.rule = ''
          AND g.source = account_sources.id AND g.to_at IS NULL);
    `,
  },
];

const stepsIn = (words: (sql: string) => string): SchemaStep[] =>
  STEPS.map((step) => ({ ...step, sql: words(step.sql) })).filter(({ sql }) => sql.trim() !== '');

export const SQLITE_STEPS = stepsIn(stepInSqlite);
export const POSTGRES_STEPS = stepsIn((sql) =>
  sql.replace(SQLITE_ALONE, '').replaceAll('/*postgres*/', '').replaceAll('/*end*/', ''),
);

/** How many migrations an SQLite database of release 0.2.0 has had: they are one by now. */
export const RELEASED_VERSION = 8;

/** The steps that release 0.2.0 noted on PostgreSQL. It made its tables in three steps, which are one by now. */
export const RELEASED_STEPS = ['0001-initial', '0002-unfinished-rules', RELEASED_TABLES.name];

/** The number of the step of release 0.2.0 on PostgreSQL. */
export const RELEASED_SCHEMA = RELEASED_STEPS.length;

/** The numbers of the last step: on SQLite, what `user_version` has when all are done. */
export const SQLITE_SCHEMA = RELEASED_VERSION + SQLITE_STEPS.length - 1;
export const POSTGRES_SCHEMA = RELEASED_SCHEMA + POSTGRES_STEPS.length - 1;
