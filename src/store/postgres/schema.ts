/**
 * The tables on PostgreSQL. They are those of SQLite, except for time: matches and payloads are in partitions of one day, so
 * that retention drops a table instead of deleting millions of rows. A unique key of a partitioned table must hold its
 * time, so that a match is stored once is the business of a table of its own, `match_keys`.
 */
import { RING_LOCK } from '../rows/locks.ts';
import type { SchemaStep } from '../schema-needs.ts';

/** The steps that release 0.2.0 noted. It made its tables in three steps, which are one by now. */
export const RELEASED_STEPS = ['0001-initial', '0002-unfinished-rules', '0003-fair-rings'];

export const POSTGRES_MIGRATIONS: readonly SchemaStep[] = [
  {
    name: '0003-fair-rings',
    sql: `
      CREATE TABLE state (name text PRIMARY KEY, value bigint NOT NULL);
      INSERT INTO state VALUES ('latest', 0), ('oldest', 0), ('checked', 0);

      CREATE TABLE accounts (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id text NOT NULL UNIQUE,
        name text NOT NULL UNIQUE,
        plan text NOT NULL,
        x_rules integer NOT NULL,
        x_budget double precision,
        x_spent_in integer,
        created_at bigint NOT NULL
      );
      CREATE TABLE keys (
        id text PRIMARY KEY,
        account bigint NOT NULL REFERENCES accounts,
        digest bytea NOT NULL UNIQUE,
        name text NOT NULL,
        scope text NOT NULL,
        last_four text NOT NULL,
        created_at bigint NOT NULL,
        last_used_at bigint,
        expires_at bigint
      );
      CREATE INDEX keys_of_account ON keys (account);

      CREATE TABLE rules (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id text NOT NULL UNIQUE,
        account bigint NOT NULL REFERENCES accounts,
        version integer NOT NULL,
        paused smallint NOT NULL,
        deleted smallint NOT NULL,
        created_at bigint NOT NULL,
        name text NOT NULL,
        intent text NOT NULL
      );
      CREATE INDEX rules_of_account ON rules (account, number) WHERE deleted = 0;
      CREATE INDEX rules_deleted ON rules (number) WHERE deleted = 1;
      CREATE TABLE rule_platforms (
        rule bigint NOT NULL REFERENCES rules,
        platform text NOT NULL,
        holding bigint NOT NULL,
        status text NOT NULL,
        platform_rule_id text,
        flags text NOT NULL,
        value text NOT NULL,
        error text,
        PRIMARY KEY (rule, platform)
      );
      CREATE INDEX rule_platforms_by_holding ON rule_platforms (platform, holding);
      CREATE INDEX rule_platforms_unfinished ON rule_platforms (rule) WHERE status = 'pending';
      CREATE TABLE account_rules (
        account bigint NOT NULL,
        platform text NOT NULL,
        rules integer NOT NULL,
        PRIMARY KEY (account, platform)
      );
      CREATE TABLE tallies (
        rule bigint NOT NULL,
        platform text NOT NULL,
        matches bigint NOT NULL,
        last_at bigint NOT NULL,
        PRIMARY KEY (rule, platform)
      );
      CREATE TABLE minutes (
        subject bigint NOT NULL,
        platform text NOT NULL,
        minute bigint NOT NULL,
        matches bigint NOT NULL,
        PRIMARY KEY (subject, platform, minute)
      );
      CREATE TABLE answers (
        account bigint NOT NULL REFERENCES accounts,
        key text NOT NULL,
        body_digest text NOT NULL,
        answer text NOT NULL,
        kept_at bigint NOT NULL,
        PRIMARY KEY (account, key)
      );
      CREATE INDEX answers_by_age ON answers (kept_at);
      CREATE TABLE cursors (name text PRIMARY KEY, value text NOT NULL);

      -- An event has the number of its first match, so that both are in partitions of the same day.
      CREATE TABLE events (
        number bigint NOT NULL,
        platform text NOT NULL,
        account bigint NOT NULL,
        post_id text NOT NULL,
        payload text NOT NULL,
        PRIMARY KEY (number)
      ) PARTITION BY RANGE (number);
      CREATE INDEX events_by_post ON events (platform, post_id);
      CREATE TABLE matches (
        position bigint NOT NULL,
        account bigint NOT NULL,
        platform text NOT NULL,
        rule bigint NOT NULL,
        version integer NOT NULL,
        event bigint NOT NULL,
        tail text NOT NULL,
        highlights text NOT NULL,
        edit_of text,
        PRIMARY KEY (position)
      ) PARTITION BY RANGE (position);
      CREATE INDEX matches_of_event ON matches (event, rule);
      CREATE INDEX matches_of_rule ON matches (rule, platform, position);
      CREATE INDEX matches_of_account ON matches (account, platform, position);
      CREATE TABLE match_keys (tail text PRIMARY KEY, position bigint NOT NULL);

      -- Many events of one owner to a row; the empty owner stands for events that all accounts see. Not worth a log of its own: after a crash of the
      -- database the rings start empty, and the erasures that hide parts of them go with them.
      CREATE UNLOGGED TABLE recent (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        platform text NOT NULL,
        owner text NOT NULL,
        at bigint NOT NULL,
        events integer NOT NULL,
        bytes bigint NOT NULL,
        lines text NOT NULL
      );
      CREATE INDEX recent_of_owner ON recent (platform, owner, number, events, bytes);
      -- The owner * has the sum over all accounts. No row of the owner is below \`first\`: dead rows are not walked over.
      CREATE UNLOGGED TABLE recent_totals (
        platform text NOT NULL,
        owner text NOT NULL,
        events bigint NOT NULL,
        bytes bigint NOT NULL,
        first bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (platform, owner)
      );
      CREATE INDEX recent_totals_by_events ON recent_totals (platform, events) WHERE owner NOT IN ('', '*');
      CREATE INDEX recent_totals_by_bytes ON recent_totals (platform, bytes) WHERE owner NOT IN ('', '*');
      CREATE UNLOGGED TABLE recent_erased (
        account text NOT NULL,
        platform text NOT NULL,
        post_id text NOT NULL,
        number bigint NOT NULL,
        walked bigint NOT NULL,
        PRIMARY KEY (account, platform, post_id)
      );
      CREATE INDEX recent_erased_waiting ON recent_erased (account, platform) WHERE walked < number;

      -- Adds a commit's rows, then takes rows from the old end of a ring that is too full. In the ring of the accounts
      -- the one that holds most gives.
      CREATE FUNCTION keep_recent(
        _platform text, _at bigint, _owners text[], _events integer[], _bytes bigint[], _lines text[],
        _max_events bigint, _max_bytes bigint
      ) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        ring text;
        victim text;
        total record;
        oldest record;
      BEGIN
        PERFORM pg_advisory_xact_lock(${RING_LOCK}, hashtext(_platform));
        INSERT INTO recent (platform, owner, at, events, bytes, lines)
          SELECT _platform, r.owner, _at, r.events, r.bytes, r.lines
          FROM unnest(_owners, _events, _bytes, _lines) AS r (owner, events, bytes, lines);
        INSERT INTO recent_totals AS t (platform, owner, events, bytes)
          SELECT _platform, w.owner, sum(r.events), sum(r.bytes)
          FROM unnest(_owners, _events, _bytes) AS r (owner, events, bytes)
          CROSS JOIN LATERAL unnest(CASE r.owner WHEN '' THEN ARRAY[''] ELSE ARRAY[r.owner, '*'] END) AS w (owner)
          GROUP BY w.owner
          ON CONFLICT (platform, owner) DO UPDATE SET events = t.events + excluded.events, bytes = t.bytes + excluded.bytes;
        FOREACH ring IN ARRAY ARRAY['', '*'] LOOP
          LOOP
            SELECT t.events, t.bytes INTO total FROM recent_totals t WHERE t.platform = _platform AND t.owner = ring;
            EXIT WHEN NOT FOUND OR (total.events <= _max_events AND total.bytes <= _max_bytes);
            victim := ring;
            IF ring = '*' AND total.events > _max_events THEN
              SELECT t.owner INTO victim FROM recent_totals t
                WHERE t.platform = _platform AND t.owner NOT IN ('', '*') ORDER BY t.events DESC LIMIT 1;
            ELSIF ring = '*' THEN
              SELECT t.owner INTO victim FROM recent_totals t
                WHERE t.platform = _platform AND t.owner NOT IN ('', '*') ORDER BY t.bytes DESC LIMIT 1;
            END IF;
            SELECT r.number, r.events, r.bytes INTO oldest FROM recent r
              WHERE r.platform = _platform AND r.owner = victim AND r.number >=
                (SELECT t.first FROM recent_totals t WHERE t.platform = _platform AND t.owner = victim)
              ORDER BY r.number LIMIT 1;
            EXIT WHEN NOT FOUND OR (total.events - oldest.events < _max_events AND total.bytes <= _max_bytes);
            DELETE FROM recent r WHERE r.number = oldest.number;
            UPDATE recent_totals t SET events = t.events - oldest.events, bytes = t.bytes - oldest.bytes,
                first = CASE t.owner WHEN victim THEN oldest.number + 1 ELSE t.first END
              WHERE t.platform = _platform AND t.owner IN (victim, ring);
          END LOOP;
        END LOOP;
      END $$;

      CREATE TABLE webhooks (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id text NOT NULL UNIQUE,
        account bigint NOT NULL REFERENCES accounts,
        status text NOT NULL,
        created_at bigint NOT NULL,
        url text NOT NULL,
        description text NOT NULL,
        format text NOT NULL,
        rule_ids text,
        platforms text,
        every integer,
        reason text,
        secret text NOT NULL,
        previous_secret text,
        previous_until bigint,
        last_failure_at bigint,
        failing_since bigint,
        claimed_by text,
        claimed_until bigint
      );
      CREATE INDEX webhooks_of_account ON webhooks (account, status);
      CREATE INDEX webhooks_by_status ON webhooks (status);
      CREATE TABLE owed (
        position bigint NOT NULL,
        webhook bigint NOT NULL,
        delivery bigint,
        PRIMARY KEY (position, webhook)
      );
      CREATE INDEX owed_waiting ON owed (webhook, position) WHERE delivery IS NULL;
      CREATE INDEX owed_in_delivery ON owed (delivery) WHERE delivery IS NOT NULL;
      CREATE TABLE deliveries (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id text NOT NULL UNIQUE,
        webhook bigint NOT NULL,
        account bigint NOT NULL,
        created_at bigint NOT NULL,
        matches integer NOT NULL,
        status text NOT NULL,
        reason text,
        made integer NOT NULL,
        next_at bigint,
        body text
      );
      CREATE INDEX deliveries_pending ON deliveries (webhook, next_at) WHERE status = 'pending';
      CREATE INDEX deliveries_of_webhook ON deliveries (webhook, number);
      CREATE INDEX deliveries_of_account ON deliveries (account, number);
      CREATE INDEX deliveries_of_webhook_by_status ON deliveries (webhook, status, number);
      CREATE INDEX deliveries_of_account_by_status ON deliveries (account, status, number);
      CREATE INDEX deliveries_by_age ON deliveries (created_at);
      CREATE TABLE attempts (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        delivery bigint NOT NULL,
        at bigint NOT NULL,
        milliseconds double precision NOT NULL,
        status_code integer,
        error text,
        response text NOT NULL
      );
      CREATE INDEX attempts_of_delivery ON attempts (delivery);

      CREATE TABLE instance (one integer PRIMARY KEY CHECK (one = 1), id text NOT NULL);
      CREATE TABLE registrations (
        tag text PRIMARY KEY,
        platform text NOT NULL,
        state text NOT NULL,
        since bigint NOT NULL,
        platform_rule_id text,
        flags text NOT NULL,
        value text NOT NULL,
        texts text NOT NULL
      );
      CREATE INDEX registrations_of_platform ON registrations (platform);

      -- Numbers are given out under the lock on the state of this name, so that they become visible in their order.
      INSERT INTO state VALUES ('rule_change', 0);
      CREATE TABLE rule_changes (number bigint PRIMARY KEY, rule text NOT NULL, account text NOT NULL);
      CREATE TABLE nodes (id text PRIMARY KEY, roles text NOT NULL, applied bigint NOT NULL, until bigint NOT NULL);

      CREATE TABLE passes (
        digest text PRIMARY KEY,
        account text NOT NULL,
        key text NOT NULL,
        ends_at bigint NOT NULL,
        used_at bigint NOT NULL
      );
      CREATE INDEX passes_by_end ON passes (ends_at);
      CREATE INDEX passes_of_key ON passes (key, used_at);

      CREATE TABLE leases (name text PRIMARY KEY, holder text NOT NULL, fence bigint NOT NULL, until bigint NOT NULL);
      CREATE TABLE gaps (
        platform text NOT NULL,
        from_at bigint NOT NULL,
        to_at bigint,
        cause text NOT NULL,
        recovered smallint NOT NULL,
        PRIMARY KEY (platform, from_at)
      );
      CREATE TABLE coverage (platform text PRIMARY KEY, through bigint NOT NULL);
      CREATE TABLE broken (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        platform text NOT NULL,
        at bigint NOT NULL,
        reason text NOT NULL,
        sample text NOT NULL
      );
      CREATE INDEX broken_of_platform ON broken (platform, number);
      CREATE INDEX broken_by_age ON broken (at);
      CREATE TABLE agreement (
        rule bigint NOT NULL,
        platform text NOT NULL,
        agreed bigint NOT NULL,
        upstream_only bigint NOT NULL,
        engine_only bigint NOT NULL,
        PRIMARY KEY (rule, platform)
      );
      CREATE TABLE usage (
        subject bigint NOT NULL,
        owner bigint,
        platform text NOT NULL,
        month integer NOT NULL,
        reads bigint NOT NULL,
        matches bigint NOT NULL,
        PRIMARY KEY (subject, platform, month)
      );
      CREATE INDEX usage_by_rule ON usage (owner, platform, month, reads) WHERE owner IS NOT NULL;

      -- Retention goes by age and in ranges.
      CREATE INDEX match_keys_by_position ON match_keys (position);
      CREATE INDEX minutes_by_age ON minutes (minute);
      CREATE INDEX webhooks_by_claim ON webhooks (claimed_by) WHERE claimed_by IS NOT NULL;
      CREATE INDEX gaps_by_end ON gaps (to_at) WHERE to_at IS NOT NULL;
    `,
  },
  {
    name: '0002-feeds',
    sql: `
      ALTER TABLE gaps ADD COLUMN owner text NOT NULL DEFAULT '', ADD COLUMN rule text NOT NULL DEFAULT '',
        ADD COLUMN source text NOT NULL DEFAULT '';
      ALTER TABLE gaps DROP CONSTRAINT gaps_pkey, ADD PRIMARY KEY (platform, owner, rule, from_at, source);
      CREATE INDEX gaps_open ON gaps (platform) WHERE to_at IS NULL;
      CREATE INDEX gaps_of_owner ON gaps (platform, owner, from_at);
      CREATE INDEX gaps_missing ON gaps (platform, owner, from_at) WHERE recovered = 0;
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
      );
    `,
  },
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
  {
    name: '0004-operational-events',
    sql: 'ALTER TABLE webhooks ADD COLUMN events text;',
  },
  {
    name: '0005-event-sources',
    sql: 'ALTER TABLE events ADD COLUMN source text;',
  },
  {
    name: '0006-tombstones',
    sql: `
      CREATE TABLE erasure_key (one integer PRIMARY KEY CHECK (one = 1), key text NOT NULL);
      INSERT INTO erasure_key
        VALUES (1, encode(sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex'));
      CREATE TABLE tombstones (
        digest text COLLATE "C" NOT NULL,
        account bigint NOT NULL,
        until bigint NOT NULL,
        PRIMARY KEY (digest, account)
      );
      CREATE INDEX tombstones_by_end ON tombstones (until);
      -- Versions of a post are found by how their ids begin, which an index answers only in the order of bytes.
      ALTER TABLE events ALTER COLUMN post_id TYPE text COLLATE "C";
    `,
  },
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
  {
    // Parts, books and the log are those of SQLite. The mark differs after every commit: a node sees by it whether the last
    // one was its own.
    name: '0008-stories',
    sql: `
      ALTER TABLE state ADD COLUMN mark bigint NOT NULL DEFAULT 0;
      ALTER TABLE events ADD COLUMN key text;
      CREATE INDEX events_by_key ON events (key) WHERE key IS NOT NULL;
      ALTER TABLE matches ADD COLUMN story bigint;
      CREATE INDEX matches_of_story ON matches (story, platform, position) WHERE story IS NOT NULL;
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
      );
      CREATE INDEX story_parts_of_account ON story_parts (account, platform, last);
      CREATE INDEX story_parts_of_rule ON story_parts (rule, platform, last);
      CREATE INDEX story_parts_by_first ON story_parts (first);
      CREATE TABLE story_books (account bigint PRIMARY KEY, position bigint NOT NULL, state bytea NOT NULL);
      CREATE TABLE story_log (
        account bigint NOT NULL,
        position bigint NOT NULL,
        entries bytea NOT NULL,
        PRIMARY KEY (account, position)
      );
    `,
  },
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
      );
      CREATE INDEX suggestions_of_rule ON suggestions (rule, platform) WHERE applied_at IS NULL;
      CREATE INDEX suggestions_applied ON suggestions (rule, applied_at) WHERE applied_at IS NOT NULL;
    `,
  },
  {
    name: '0010-wakes',
    sql: `
      ALTER TABLE webhooks ADD COLUMN wake text, ADD COLUMN wake_account text,
        ADD COLUMN wake_turn bigint NOT NULL DEFAULT 0;
      ALTER TABLE owed ADD COLUMN story text;
      ALTER TABLE deliveries ADD COLUMN digest smallint;
      CREATE INDEX deliveries_open ON deliveries (webhook, next_at) WHERE digest = 1;
      CREATE TABLE wake_stories (
        webhook bigint NOT NULL,
        story text NOT NULL,
        woke smallint NOT NULL,
        seen bigint NOT NULL,
        PRIMARY KEY (webhook, story)
      );
      CREATE INDEX wake_stories_by_age ON wake_stories (seen);
    `,
  },
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
      );
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
      DROP INDEX minutes_by_age;
      CREATE INDEX minutes_by_age ON minutes (minute, subject, platform);
    `,
  },
  {
    name: '0012-subscriptions',
    sql: `
      ALTER TABLE webhooks ADD COLUMN subscription text, ADD COLUMN owner text, ADD COLUMN event text,
        ADD COLUMN expires_at bigint, ADD COLUMN brief smallint NOT NULL DEFAULT 0, ADD COLUMN terms text;
      CREATE UNIQUE INDEX webhooks_by_subscription ON webhooks (subscription)
        WHERE subscription IS NOT NULL AND status <> 'deleted';
      CREATE INDEX webhooks_of_owner ON webhooks (owner, status) WHERE owner IS NOT NULL;
      CREATE INDEX webhooks_by_event ON webhooks (event, status) WHERE event IS NOT NULL;
      CREATE INDEX webhooks_by_end ON webhooks (status, expires_at) WHERE expires_at IS NOT NULL;
    `,
  },
  {
    name: '0013-receivers',
    sql: 'ALTER TABLE webhooks ADD COLUMN credential text, ADD COLUMN confirmed_url text;',
  },
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
      );
      CREATE INDEX shared_feeds_of_account ON shared_feeds (account, id);
      CREATE INDEX shared_feeds_of_rule ON shared_feeds (rule) WHERE rule IS NOT NULL;
    `,
  },
  {
    name: '0015-trash',
    sql: `
      -- Matches of a deleted rule stay, with the number of their account negated.
      ALTER TABLE rules ADD COLUMN deleted_at bigint, ADD COLUMN restorable_until bigint, ADD COLUMN moved_below bigint;
      UPDATE rules SET deleted_at = 0, restorable_until = 0, moved_below = ${Number.MAX_SAFE_INTEGER} WHERE deleted = 1;
      DROP INDEX rules_deleted;
      CREATE INDEX rules_deleted ON rules (restorable_until) WHERE deleted = 1;
      CREATE INDEX rules_in_trash ON rules (account, deleted_at, number) WHERE deleted = 1;
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
      UPDATE attempts a SET webhook = d.webhook FROM deliveries d WHERE d.number = a.delivery;
      CREATE INDEX attempts_of_webhook ON attempts (webhook, at, number);
    `,
  },
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
      );
      CREATE INDEX readings_by_age ON readings (minute);
    `,
  },
  {
    name: '0018-past-texts',
    sql: `
      -- The texts that a rule had before it was changed, of the versions that matched something.
      CREATE TABLE past_texts (
        rule bigint NOT NULL,
        platform text NOT NULL,
        version bigint NOT NULL,
        flags text NOT NULL,
        value text NOT NULL,
        PRIMARY KEY (rule, platform, version)
      );
    `,
  },
  {
    name: '0019-certificate-log',
    sql: `
      -- A Merkle tree: level 0 has the hash of each certificate, a higher level those of complete subtrees.
      CREATE TABLE certificate_log (
        level bigint NOT NULL,
        number bigint NOT NULL,
        hash text NOT NULL,
        at bigint,
        PRIMARY KEY (level, number)
      );
      CREATE UNIQUE INDEX certificate_log_by_hash ON certificate_log (hash) WHERE level = 0;
      CREATE INDEX webhooks_for_heads ON webhooks (number) WHERE events LIKE '%"head"%';
    `,
  },
  {
    name: '0020-inbox',
    sql: `
      -- What X delivered to our endpoint, until it is stored as matches.
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
  {
    name: '0021-carriers',
    sql: `
      -- Which events hold the text of which posts, and erasures that are under way: a post may have a million reposts.
      CREATE TABLE carriers (
        platform text NOT NULL,
        carried text COLLATE "C" NOT NULL,
        post_id text COLLATE "C" NOT NULL,
        is_edit bigint NOT NULL,
        at bigint NOT NULL,
        PRIMARY KEY (platform, carried, post_id)
      );
      CREATE INDEX carriers_by_age ON carriers (at);
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
      INSERT INTO stored SELECT -subject, sum(matches), 1, 1024 FROM minutes WHERE subject < 0 GROUP BY subject;

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
      );
    `,
  },
  {
    name: '0023-matches-of-a-day',
    sql: `
      ALTER TABLE stored ADD COLUMN day bigint NOT NULL DEFAULT 0, ADD COLUMN day_came bigint NOT NULL DEFAULT 0;
      `,
  },
  {
    // The steps up to here took away what release 0.2.0 reads.
    name: '0024-agreed-settings',
    needs: '0024-agreed-settings',
    sql: `
      CREATE TABLE agreed_settings (name text PRIMARY KEY, value text NOT NULL);
      ALTER TABLE nodes ADD COLUMN schema integer;
    `,
  },
  { name: '0025-acknowledged', sql: 'ALTER TABLE deliveries ADD COLUMN acknowledged_at bigint;' },
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
      );
      CREATE INDEX cursors_in_order ON cursors (name COLLATE "C");
      ALTER TABLE webhooks ADD COLUMN sources text;
    `,
  },
  // Whoever changes or deletes what a caller is known by, a program of another version too, changes this number with it.
  {
    name: '0027-access-version',
    sql: `
      CREATE FUNCTION note_access() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE state SET value = value + 1 WHERE name = 'access';
        RETURN NULL;
      END $$;
      CREATE TRIGGER access_accounts AFTER UPDATE OR DELETE ON accounts EXECUTE FUNCTION note_access();
      CREATE TRIGGER access_keys AFTER UPDATE OR DELETE ON keys EXECUTE FUNCTION note_access();
      CREATE TRIGGER access_grants AFTER UPDATE OR DELETE ON grants EXECUTE FUNCTION note_access();
      CREATE TRIGGER access_access_tokens AFTER UPDATE OR DELETE ON access_tokens EXECUTE FUNCTION note_access();
      INSERT INTO state (name, value) VALUES ('access', 0);
    `,
  },
  {
    name: '0028-unacknowledged',
    sql: `CREATE INDEX deliveries_unacknowledged ON deliveries (webhook, next_at)
      WHERE status = 'delivered' AND next_at IS NOT NULL;`,
  },
  {
    name: '0029-source-use',
    sql: `
      CREATE TABLE source_fetch_counts (
        hour bigint NOT NULL,
        account bigint NOT NULL,
        fetches bigint NOT NULL,
        PRIMARY KEY (hour, account)
      );
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
      );
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
      CREATE TABLE rule_snapshot_pieces (token text NOT NULL, number bigint NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (token, number));
    `,
  },
  {
    name: '0034-notices',
    sql: `
      CREATE TABLE open_notices (
        account bigint NOT NULL REFERENCES accounts,
        cause text NOT NULL,
        since bigint NOT NULL,
        PRIMARY KEY (account, cause)
      );
      ALTER TABLE webhooks ADD COLUMN notices text;
    `,
  },
  {
    name: '0035-commit-turns',
    sql: `
      CREATE TABLE story_turns (account bigint PRIMARY KEY);
      CREATE FUNCTION commit_again() RETURNS bigint LANGUAGE plpgsql AS $$
      BEGIN
        RAISE serialization_failure USING MESSAGE = 'another commit came first: this one begins again';
      END $$;
    `,
  },
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
      );
      CREATE INDEX cold_objects_by_end ON cold_objects (last);
      CREATE INDEX cold_objects_stale ON cold_objects (key) WHERE stale = 1;
      CREATE TABLE cold_leftovers (key text PRIMARY KEY, due bigint NOT NULL);
      CREATE INDEX cold_leftovers_by_time ON cold_leftovers (due);
      INSERT INTO state (name, value) VALUES ('cold_objects', 0), ('cold_matches', 0), ('cold_bytes', 0);
    `,
  },
];

/** The numbers of the step of release 0.2.0, and of the last one. */
export const RELEASED_SCHEMA = RELEASED_STEPS.length;
export const POSTGRES_SCHEMA = RELEASED_SCHEMA + POSTGRES_MIGRATIONS.length - 1;
