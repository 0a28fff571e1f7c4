/**
 * The tables as release 0.2.0 had them. Accounts, rules and events have a number beside their id: it is what other tables point
 * to. Texts that strangers wrote are kept as JSON strings, so that NUL and half a surrogate pair come back as they were.
 * On PostgreSQL, matches and payloads are in partitions of one day, so that retention drops a table instead of deleting millions
 * of rows. A unique key of a partitioned table must hold its time, so that a match is stored once is the business of a table of
 * its own, `match_keys`. Later changes, and how a text says what one database alone is told, are in `steps.ts`.
 */
import { RING_LOCK } from './rows/locks.ts';
import type { SchemaStep } from './schema-needs.ts';

export const RELEASED_TABLES: SchemaStep = {
  name: '0003-fair-rings',
  sql: `
    -- Single values of the whole database.
    CREATE TABLE state (name text PRIMARY KEY, value bigint NOT NULL) /*sqlite WITHOUT ROWID */;
    INSERT INTO state VALUES ('latest', 0), ('oldest', 0), ('checked', 0);

    CREATE TABLE accounts (
      number bigint /*postgres*/GENERATED ALWAYS AS IDENTITY/*end*/ PRIMARY KEY,
      id text NOT NULL UNIQUE,
      name text NOT NULL UNIQUE,
      plan text NOT NULL,
      x_rules integer NOT NULL,
      created_at bigint NOT NULL,
      -- What it may spend on x in a month; no limit when null.
      x_budget double precision,
      -- The month in which its budget was used up, as 202611.
      x_spent_in integer
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

    -- A deleted rule stays until its matches have left; nobody sees it.
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
    CREATE INDEX rules_of_account ON rules (account/*postgres*/, number/*end*/) WHERE deleted = 0;
    CREATE INDEX rules_deleted ON rules (/*postgres*/number/*end*//*sqlite deleted */) WHERE deleted = 1;

    -- \`holding\` is a digest of value and flags: equal texts share one registration.
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
    ) /*sqlite WITHOUT ROWID */;
    CREATE INDEX rule_platforms_by_holding ON rule_platforms (platform, holding);
    CREATE INDEX rule_platforms_unfinished ON rule_platforms (rule) WHERE status = 'pending';

    -- Kept, never counted: how many live rules an account has, and how many matches a rule ever had.
    CREATE TABLE account_rules (
      account bigint NOT NULL,
      platform text NOT NULL,
      rules integer NOT NULL,
      PRIMARY KEY (account, platform)
    ) /*sqlite WITHOUT ROWID */;
    CREATE TABLE tallies (
      rule bigint NOT NULL,
      platform text NOT NULL,
      matches bigint NOT NULL,
      last_at bigint NOT NULL,
      PRIMARY KEY (rule, platform)
    ) /*sqlite WITHOUT ROWID */;

    -- Matches by the minute for charts: of a rule by its number, of an account by its number negated.
    CREATE TABLE minutes (
      subject bigint NOT NULL,
      platform text NOT NULL,
      minute bigint NOT NULL,
      matches bigint NOT NULL,
      PRIMARY KEY (subject, platform, minute)
    ) /*sqlite WITHOUT ROWID */;
    /*postgres*/CREATE INDEX minutes_by_age ON minutes (minute);/*end*/

    CREATE TABLE answers (
      account bigint NOT NULL REFERENCES accounts,
      key text NOT NULL,
      body_digest text NOT NULL,
      answer text NOT NULL,
      kept_at bigint NOT NULL,
      PRIMARY KEY (account, key)
    ) /*sqlite WITHOUT ROWID */;
    CREATE INDEX answers_by_age ON answers (kept_at);

    -- A platform may be fed by many sources at a time, each with a cursor of its own.
    CREATE TABLE cursors (name text PRIMARY KEY, value text NOT NULL) /*sqlite WITHOUT ROWID */;

    -- Only events that matched, each payload once; account 0 stands for everybody. On PostgreSQL an event has the number of its
    -- first match, so that both are in partitions of the same day.
    CREATE TABLE events (
      number bigint PRIMARY KEY,
      platform text NOT NULL,
      account bigint NOT NULL,
      post_id text NOT NULL,
      payload text NOT NULL
    ) /*postgres*/PARTITION BY RANGE (number)/*end*/;
    CREATE /*sqlite UNIQUE */ INDEX events_by_post ON events (platform, post_id/*sqlite , account */);

    -- The key is the position: the time of creation, then the order of ids.
    CREATE TABLE matches (
      position bigint PRIMARY KEY,
      account bigint NOT NULL,
      platform text NOT NULL,
      rule bigint NOT NULL,
      version integer NOT NULL,
      event bigint NOT NULL,
      tail text NOT NULL,
      highlights text NOT NULL,
      -- The match of an earlier version of the same post, by its id.
      edit_of text
    ) /*postgres*/PARTITION BY RANGE (position)/*end*/;
    CREATE /*sqlite UNIQUE */ INDEX matches_of_event ON matches (event, rule);
    CREATE INDEX matches_of_rule ON matches (rule, platform/*postgres*/, position/*end*/);
    CREATE INDEX matches_of_account ON matches (account, platform/*postgres*/, position/*end*/);
    /*postgres*/
    CREATE TABLE match_keys (tail text PRIMARY KEY, position bigint NOT NULL);
    CREATE INDEX match_keys_by_position ON match_keys (position);
    /*end*/

    -- Many events of one owner to a row: one line each, newest at the end. The empty owner stands for events that all accounts see.
    -- Not worth a log of its own: after a crash of PostgreSQL the rings start empty, and the erasures that hide parts of them go
    -- with them.
    CREATE /*postgres*/UNLOGGED/*end*/ TABLE recent (
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
    CREATE /*postgres*/UNLOGGED/*end*/ TABLE recent_totals (
      platform text NOT NULL,
      owner text NOT NULL,
      events bigint NOT NULL,
      bytes bigint NOT NULL,
      /*postgres*/first bigint NOT NULL DEFAULT 0,/*end*/
      PRIMARY KEY (platform, owner)
    ) /*sqlite WITHOUT ROWID */;
    CREATE INDEX recent_totals_by_events ON recent_totals (platform, events) WHERE owner NOT IN ('', '*');
    CREATE INDEX recent_totals_by_bytes ON recent_totals (platform, bytes) WHERE owner NOT IN ('', '*');

    -- Posts that an account has erased: hidden in rows up to a number, taken out of its own rows up to where the search got.
    CREATE /*postgres*/UNLOGGED/*end*/ TABLE recent_erased (
      account text NOT NULL,
      platform text NOT NULL,
      post_id text NOT NULL,
      number bigint NOT NULL,
      walked bigint NOT NULL,
      PRIMARY KEY (account, platform, post_id)
    ) /*sqlite WITHOUT ROWID */;
    CREATE INDEX recent_erased_waiting ON recent_erased (account, platform) WHERE walked < number;
    /*postgres*/
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
    /*end*/

    -- A row of \`owed\` is written with its match; when its batch is frozen it says which delivery carries it, so that everything
    -- owed is either waiting or in a delivery, and never in two.
    -- A deleted webhook stays until its deliveries have left; nobody sees it.
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
      -- Of several processes only the one that has claimed a webhook delivers to it.
      claimed_by text,
      claimed_until bigint
    );
    CREATE INDEX webhooks_of_account ON webhooks (account, status);
    CREATE INDEX webhooks_by_status ON webhooks (status);
    CREATE INDEX webhooks_by_claim ON webhooks (claimed_by) WHERE claimed_by IS NOT NULL;

    CREATE TABLE owed (
      position bigint NOT NULL,
      webhook bigint NOT NULL,
      delivery bigint,
      PRIMARY KEY (position, webhook)
    ) /*sqlite WITHOUT ROWID */;
    CREATE INDEX owed_waiting ON owed (webhook, position) WHERE delivery IS NULL;
    CREATE INDEX owed_in_delivery ON owed (delivery) WHERE delivery IS NOT NULL;

    -- Without a body: a post in it was erased.
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
      number bigint /*postgres*/GENERATED ALWAYS AS IDENTITY/*end*/ PRIMARY KEY,
      delivery bigint NOT NULL,
      at bigint NOT NULL,
      milliseconds /*postgres*/double precision/*end*//*sqlite INTEGER */ NOT NULL,
      status_code integer,
      error text,
      response text NOT NULL
    );
    CREATE INDEX attempts_of_delivery ON attempts (delivery);

    -- One row: what tells our registrations from those of another instance at the same upstream.
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

    -- On PostgreSQL, numbers are given out under the lock on the state of this name, so that they become visible in their order.
    /*postgres*/INSERT INTO state VALUES ('rule_change', 0);/*end*/
    CREATE TABLE rule_changes (
      number bigint PRIMARY KEY /*sqlite AUTOINCREMENT */,
      rule text NOT NULL,
      account text NOT NULL
    );

    CREATE TABLE nodes (
      id text PRIMARY KEY,
      roles text NOT NULL,
      applied bigint NOT NULL,
      until bigint NOT NULL
    ) /*sqlite WITHOUT ROWID */;

    -- Sessions and tickets, by a digest of what their owner has.
    CREATE TABLE passes (
      digest text PRIMARY KEY,
      account text NOT NULL,
      key text NOT NULL,
      ends_at bigint NOT NULL,
      used_at bigint NOT NULL
    ) /*sqlite WITHOUT ROWID */;
    CREATE INDEX passes_by_end ON passes (ends_at);
    CREATE INDEX passes_of_key ON passes (key, used_at);

    -- Whoever holds a lease may write under its name. The fence grows with each new holder, so that an earlier one is told apart.
    CREATE TABLE leases (
      name text PRIMARY KEY,
      holder text NOT NULL,
      fence bigint NOT NULL,
      until bigint NOT NULL
    ) /*sqlite WITHOUT ROWID */;

    -- Spans in which completeness cannot be shown. Without an end: it lasts.
    CREATE TABLE gaps (
      platform text NOT NULL,
      from_at bigint NOT NULL,
      to_at bigint,
      cause text NOT NULL,
      recovered smallint NOT NULL,
      PRIMARY KEY (platform, from_at)
    ) /*sqlite WITHOUT ROWID */;
    CREATE INDEX gaps_by_end ON gaps (to_at) WHERE to_at IS NOT NULL;

    -- Up to when a stream was whole, gaps aside.
    CREATE TABLE coverage (platform text PRIMARY KEY, through bigint NOT NULL) /*sqlite WITHOUT ROWID */;

    -- Records that could not be read, the newest ones: their beginning, for whoever mends the reader.
    CREATE TABLE broken (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      platform text NOT NULL,
      at bigint NOT NULL,
      reason text NOT NULL,
      sample text NOT NULL
    );
    CREATE INDEX broken_of_platform ON broken (platform, number);
    CREATE INDEX broken_by_age ON broken (at);

    -- How often the upstream and our engine said the same of a rule.
    CREATE TABLE agreement (
      rule bigint NOT NULL,
      platform text NOT NULL,
      agreed bigint NOT NULL,
      upstream_only bigint NOT NULL,
      engine_only bigint NOT NULL,
      PRIMARY KEY (rule, platform)
    ) /*sqlite WITHOUT ROWID */;

    -- By the month, as 202611: of a rule by its number, of an account by its number negated. A rule's row says whose it is.
    CREATE TABLE usage (
      subject bigint NOT NULL,
      owner bigint,
      platform text NOT NULL,
      month integer NOT NULL,
      reads bigint NOT NULL,
      matches bigint NOT NULL,
      PRIMARY KEY (subject, platform, month)
    ) /*sqlite WITHOUT ROWID */;
    CREATE INDEX usage_by_rule ON usage (owner, platform, month, reads) WHERE owner IS NOT NULL;
`,
};
