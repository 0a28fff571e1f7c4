/**
 * A store at size, the same on both databases: a thousand accounts, ten thousand rules, fifty thousand matches, a webhook
 * that is owed half of them, twenty thousand rows of recent events. The first account holds half of everything.
 */
import { positionAt } from '../../../src/store/order.ts';

export const NOW = Date.parse('2026-11-15T10:00:00Z');
/** When the first of the matches was stored; the others follow every tenth of a second. */
export const FIRST = Date.parse('2026-11-15T08:00:00Z');
const STEP = 100 * 4096;
export const LONG_AGO = NOW - 40 * 24 * 60 * 60_000;

export const MATCHES = 50_000;
const ACCOUNTS = 1_000;
const RULES = 10_000;
export const WEBHOOKS = 1_000;

const start = positionAt(FIRST);
const position = `(${start} + i * ${STEP})`;
const rule = `(CASE WHEN i % 2 = 0 THEN 1 ELSE i % ${RULES} + 1 END)`;
const account = `(CASE WHEN i % 2 = 0 THEN 1 ELSE i % ${ACCOUNTS} + 1 END)`;

/** Half of the matches of the first account tell one story, the others two to a story. */
const story = `(CASE WHEN i % 4 = 0 THEN ${start} ELSE ${start} + (i / 4 * 4 + 2 * (i % 2)) * ${STEP} + i % 2 END)`;

export const positionOf = (index: number): number => start + index * STEP;

export interface Dialect {
  /** The text of a number, in bytes. */
  bytes(text: string): string;
  /** The number of an event: its own, or that of its first match. */
  readonly event: string;
  /** Statements that one database alone has. */
  readonly more: readonly string[];
}

export const sqliteDialect: Dialect = {
  bytes: (text) => `CAST(${text} AS BLOB)`,
  event: '(i + 1)',
  more: [
    'INSERT INTO rule_matches (rule, platform, position, story) SELECT rule, platform, position, story FROM matches',
    'INSERT INTO event_posts (platform, post_id, account, event) SELECT platform, post_id, account, number FROM events',
    'INSERT INTO event_keys (key, event) SELECT key, number FROM events',
    `UPDATE state SET value = (SELECT value FROM state WHERE name = 'latest') WHERE name = 'settled'`,
  ],
};
export const postgresDialect: Dialect = {
  bytes: (text) => `convert_to(${text}, 'UTF8')`,
  event: position,
  more: [`INSERT INTO match_keys SELECT 'tail' || i, ${position} FROM n WHERE i < ${MATCHES}`],
};

/** `n` has the numbers from 0. Where a table numbers its rows, PostgreSQL must be told that we do. */
export const fillSql = ({ bytes, event, more }: Dialect, override: string): string[] => [
  `INSERT INTO accounts (number, id, name, plan, x_rules, created_at) ${override}
   SELECT i + 1, 'acct_' || (i + 1), '"account ' || (i + 1) || '"', 'paid', 25, ${FIRST} FROM n WHERE i < ${ACCOUNTS}`,
  `INSERT INTO keys (id, account, digest, name, scope, last_four, created_at)
   SELECT 'key_' || i, i % ${ACCOUNTS} + 1, ${bytes(`'digest ' || i`)}, '"k"', 'full', 'abcd', ${FIRST} FROM n WHERE i < 5000`,
  `INSERT INTO rules (number, id, account, version, paused, deleted, created_at, name, intent, deleted_at, restorable_until, moved_below)
   ${override} SELECT i + 1, 'rule_' || (i + 1), i % ${ACCOUNTS} + 1, 1, 0, CASE WHEN i = 9999 THEN 1 ELSE 0 END, ${FIRST}, '"r"', '""',
     CASE WHEN i = 9999 THEN 0 END, CASE WHEN i = 9999 THEN 0 END, CASE WHEN i = 9999 THEN ${Number.MAX_SAFE_INTEGER} END FROM n WHERE i < ${RULES}`,
  `INSERT INTO silences (number, id, account, created_at, until, terms) ${override}
   SELECT i + 1, 'silence_' || (i + 1), i % ${ACCOUNTS} + 1, ${FIRST}, ${FIRST} + i, '{}' FROM n WHERE i < 10000`,
  `INSERT INTO views (number, id, account, name, query, created_at) ${override}
   SELECT i + 1, 'view_' || (i + 1), i % ${ACCOUNTS} + 1, '"v"', '""', ${FIRST} FROM n WHERE i < 10000`,
  `INSERT INTO source_fetches (number, key, host, shard, kind, options, every_ms, slowest_ms, interval_ms, next_at, status, rate, failures, visits)
   ${override} SELECT i + 1, 'fetch' || (i + 1), '"host' || i || '"', i % 16, 'feeds', '{}', 900000, 3600000, 900000, ${FIRST} + i, 'ok', 1, 0, 0 FROM n WHERE i < 10000`,
  `INSERT INTO account_sources (number, id, account, created_at, name, kind, options, platforms, paused, fetch_key, every_ms, slowest_ms, fresh, events)
   ${override} SELECT i + 1, 'source_' || (i + 1), i % ${ACCOUNTS} + 1, ${FIRST}, '"s"', 'feeds', '{}', '[]', 0, 'fetch' || (i + 1), 900000, 3600000, 0, 0 FROM n WHERE i < 10000`,
  `INSERT INTO source_bytes (day, account, bytes) SELECT i % 3, i + 1, 1000 FROM n WHERE i < ${ACCOUNTS}`,
  `INSERT INTO source_fetch_counts (hour, account, fetches) SELECT i % 3, i + 1, 10 FROM n WHERE i < ${ACCOUNTS}`,
  `INSERT INTO cursors (name, value) SELECT 'source:fetch' || i, 'v' FROM n WHERE i < 10000`,
  `INSERT INTO rule_platforms (rule, platform, holding, status, flags, value)
   SELECT i + 1, 'x', i, CASE WHEN i % 1000 = 500 THEN 'pending' ELSE 'active' END, '{}', '"v' || i || '"' FROM n WHERE i < ${RULES}`,
  `INSERT INTO account_rules (account, platform, rules) SELECT i + 1, 'x', 10 FROM n WHERE i < ${ACCOUNTS}`,
  `INSERT INTO tallies (rule, platform, matches, last_at) SELECT i + 1, 'x', 5, ${FIRST} FROM n WHERE i < ${RULES}`,
  `INSERT INTO agreement (rule, platform, agreed, upstream_only, engine_only) SELECT i + 1, 'x', 5, 0, 0 FROM n WHERE i < ${RULES}`,
  `INSERT INTO usage (subject, owner, platform, month, reads, matches)
   SELECT i + 1, CASE WHEN i % 2 = 0 THEN 1 ELSE i % ${ACCOUNTS} + 1 END, 'x', 202611, i, i FROM n WHERE i < ${RULES}`,
  `INSERT INTO minutes (subject, platform, minute, matches)
   SELECT CASE WHEN i % 2 = 0 THEN -1 ELSE i % ${RULES} + 1 END, 'x', ${Math.floor(FIRST / 60_000)} - i, 3 FROM n WHERE i < ${MATCHES}`,
  `INSERT INTO events (number, platform, account, post_id, payload, key)
   SELECT ${event}, 'x', 0, '"' || i || '"', '{"data":{"text":"t"}}', 'key ' || i FROM n WHERE i < ${MATCHES}`,
  `INSERT INTO matches (position, account, platform, rule, version, event, tail, highlights, story)
   SELECT ${position}, ${account}, 'x', ${rule}, 1, ${event}, 'tail' || i, '[]', ${story} FROM n WHERE i < ${MATCHES}`,
  `INSERT INTO story_parts (story, rule, platform, source, account, matches, first, last)
   SELECT story, rule, platform, '', account, count(*), min(position), max(position) FROM matches GROUP BY story, rule, platform, account`,
  `INSERT INTO story_books (account, position, state) SELECT i + 1, ${start}, ${bytes(`'a book of another form'`)} FROM n WHERE i < ${ACCOUNTS}`,
  `INSERT INTO story_log (account, position, entries)
   SELECT CASE WHEN i < 400 THEN 1 ELSE i % ${ACCOUNTS} + 1 END, ${position}, ${bytes(`''`)} FROM n WHERE i < 20000`,
  `INSERT INTO cold_objects (account, first, last, matches, bytes, digest, key, stale)
   SELECT i % ${ACCOUNTS} + 1, ${start} - 2000 * i - 2000, ${start} - 2000 * i - 1001, 9, 9, 'd', 'key ' || i, CASE WHEN i % 500 = 0 THEN 1 ELSE 0 END FROM n WHERE i < 20000`,
  `INSERT INTO cold_leftovers (key, due) SELECT 'left ' || i, CASE WHEN i < 50 THEN 0 ELSE ${NOW + 1_000_000} END FROM n WHERE i < 20000`,
  `INSERT INTO webhooks (number, id, account, status, created_at, url, description, format, secret, claimed_by) ${override}
   SELECT i + 1, 'hook_' || (i + 1), i % ${ACCOUNTS} + 1, CASE WHEN i = 999 THEN 'deleted' ELSE 'active' END, ${FIRST}, '"u"', '""', 'json', 's',
     CASE WHEN i < 10 THEN 'holder' END FROM n WHERE i < ${WEBHOOKS}`,
  `UPDATE webhooks SET wake = '{"per":"story"}' WHERE id = 'hook_2'`,
  `INSERT INTO wake_stories (webhook, story, woke, seen)
   SELECT CASE WHEN i % 10 = 9 THEN 1000 ELSE 2 END, 'story ' || i, 1, CASE WHEN i < 50 THEN ${LONG_AGO} ELSE ${FIRST} END FROM n WHERE i < 20000`,
  `INSERT INTO owed (position, webhook) SELECT ${position}, i % 2 + 1 FROM n WHERE i < ${MATCHES}`,
  `INSERT INTO owed (position, webhook) SELECT ${position}, 1000 FROM n WHERE i < 100`,
  `INSERT INTO owed (position, webhook, delivery) SELECT ${position}, 3, i / 2 + 1 FROM n WHERE i < 20000`,
  `INSERT INTO deliveries (number, id, webhook, account, created_at, matches, status, made, next_at, body) ${override}
   SELECT i + 1, 'dlv_' || (i + 1), CASE WHEN i = 9999 THEN 1000 ELSE i % 2 * 2 + 1 END, i % 2 * 2 + 1,
     CASE WHEN i < 50 THEN ${LONG_AGO} ELSE ${FIRST} + i END, 2, CASE WHEN i % 25 = 24 THEN 'pending' ELSE 'delivered' END, 1, ${NOW}, 'body'
   FROM n WHERE i < 10000`,
  `INSERT INTO attempts (number, delivery, webhook, at, milliseconds, response) ${override}
   SELECT i + 1, i / 2 + 1, i / 2 % 2 * 2 + 1, ${FIRST} + i, 5, '""' FROM n WHERE i < 20000`,
  `INSERT INTO recent (number, platform, owner, at, events, bytes, lines) ${override}
   SELECT i + 1, 'x', CASE i % 4 WHEN 0 THEN 'acct_1' WHEN 1 THEN 'acct_' || (i % ${ACCOUNTS} + 1) ELSE '' END, ${FIRST}, 1, 20,
     '["","' || i || '",{}]' FROM n WHERE i < 20000`,
  `INSERT INTO recent_totals (platform, owner, events, bytes)
   SELECT platform, owner, sum(events), sum(bytes) FROM recent GROUP BY platform, owner`,
  `INSERT INTO recent_totals (platform, owner, events, bytes)
   SELECT platform, '*', sum(events), sum(bytes) FROM recent WHERE owner <> '' GROUP BY platform`,
  `INSERT INTO recent_erased (account, platform, post_id, number, walked)
   SELECT CASE WHEN i < 1000 THEN 'acct_3' ELSE 'acct_' || (i % ${ACCOUNTS} + 1) END, 'x', '"e' || i || '"', 100, CASE WHEN i = 1500 THEN 0 ELSE 100 END FROM n WHERE i < 20000`,
  `INSERT INTO carriers (platform, carried, post_id, is_edit, at)
   SELECT 'x', '"c' || (i / 500) || '"', '"r' || i || '"', 0, CASE WHEN i >= 19000 THEN ${LONG_AGO} ELSE ${FIRST} END FROM n WHERE i < 20000`,
  `INSERT INTO ratings (position, rule, account, platform, rating, rated_at, rated_by, traces)
   SELECT ${position}, ${rule}, ${account}, 'x', 'relevant', ${FIRST} + i, 'key_1', '{}' FROM n WHERE i % 2 = 1 AND i < 40000`,
  `INSERT INTO rated_posts (position, digest) SELECT ${position}, 'digest ' || i FROM n WHERE i % 2 = 1 AND i < 40000`,
  `INSERT INTO answers (account, key, body_digest, answer, kept_at)
   SELECT CASE WHEN i >= 10000 THEN 5 ELSE i % ${ACCOUNTS} + 1 END, 'k' || i, 'd', '1', CASE WHEN i < 100 THEN ${LONG_AGO} ELSE ${NOW} END FROM n WHERE i < 20000`,
  `INSERT INTO passes (digest, account, key, ends_at, used_at)
   SELECT 'p' || i, 'acct_1', 'key_' || (i % 5000), CASE WHEN i < 100 THEN ${LONG_AGO} ELSE ${NOW + 1_000_000} END, ${FIRST} FROM n WHERE i < 20000`,
  `INSERT INTO oauth_clients (id, name, redirect_uris, created_at, ends_at, used)
   SELECT 'client_' || i, '"c"', '[]', ${FIRST} + i, CASE WHEN i < 100 THEN ${LONG_AGO} ELSE ${NOW + 1_000_000} END, CASE WHEN i < 2000 THEN 0 ELSE 1 END FROM n WHERE i < 5000`,
  `INSERT INTO grants (id, account, client, client_name, redirect_uri, resource, scopes, created_at, ends_at, expires_at, code, challenge, code_used_at, family, refresh)
   SELECT 'grant_' || i, 'acct_' || (i % ${ACCOUNTS} + 1), '"c"', '"c"', '"r"', '"r"', '[]', ${FIRST}, CASE WHEN i < 100 THEN ${LONG_AGO} ELSE ${NOW + 1_000_000} END, ${NOW + 1_000_000},
     'code ' || i, 'c', ${FIRST}, 'family ' || i, 'refresh ' || i FROM n WHERE i < 20000`,
  `INSERT INTO access_tokens (digest, grant_id, scopes, ends_at)
   SELECT 'token ' || i, 'grant_' || (i / 2), '[]', CASE WHEN i < 100 THEN ${LONG_AGO} ELSE ${NOW + 1_000_000} END FROM n WHERE i < 20000`,
  `INSERT INTO rule_changes (number, rule, account) SELECT i + 1, 'rule_1', 'acct_1' FROM n WHERE i < 20000`,
  `INSERT INTO gaps (platform, owner, rule, source, from_at, to_at, cause, recovered)
   SELECT 'x', CASE WHEN i % 2 = 0 THEN '' ELSE 'acct_' || (i % 4) END, CASE WHEN i % 2 = 0 THEN '' ELSE 'rule_' || (i % 9) END, '',
     ${FIRST} - i * 1000, CASE WHEN i < 100 THEN ${LONG_AGO} ELSE ${NOW} END, '"c"', CASE WHEN i % 50 = 0 THEN 0 ELSE 1 END FROM n WHERE i < 5000`,
  `INSERT INTO feeds (platform, kind, name, state, since, at)
   SELECT 'x', 'push', 'acct_' || i, 'live', ${FIRST}, ${NOW} FROM n WHERE i < 5000`,
  `INSERT INTO broken (number, platform, at, reason, sample) ${override}
   SELECT i + 1, CASE WHEN i % 5 = 0 THEN 'x' ELSE 'firehose' END, CASE WHEN i < 10 THEN ${LONG_AGO} ELSE ${FIRST} END, '"r"', '"s"' FROM n WHERE i < 5000`,
  `INSERT INTO registrations (tag, platform, state, since, flags, value, texts)
   SELECT 't' || i, CASE WHEN i % 100 = 0 THEN 'x' ELSE 'firehose' END, 'held', ${FIRST}, '{}', '"v"', '[]' FROM n WHERE i < 5000`,
  `INSERT INTO watches (rule, platform, past_version, due_at, now, past)
   SELECT i + 1, 'x', 1, CASE WHEN i < 100 THEN ${NOW} ELSE ${NOW + 1_000_000} END + i, 'n', 'p' FROM n WHERE i < ${RULES - 1}`,
  `INSERT INTO alerts (number, id, account, rule, platform, kind, from_at, to_at, rate, usual_rate) ${override}
   SELECT i + 1, 'alert_' || (i + 1), i % ${ACCOUNTS} + 1, i % ${RULES} + 1, 'x', 'surge', ${FIRST},
     CASE WHEN i < 100 THEN ${LONG_AGO} WHEN i % 10 = 0 AND i < ${RULES} THEN NULL ELSE ${NOW} END, 10, 1 FROM n WHERE i < 20000`,
  `INSERT INTO rehearsals (number, id, account, status, created_at, ended_at, due_at, events, request, state) ${override}
   SELECT i + 1, 'reh_' || (i + 1), i % ${ACCOUNTS} + 1, 'done', ${FIRST}, CASE WHEN i < 100 THEN ${LONG_AGO} WHEN i % 50 = 0 THEN NULL ELSE ${NOW} END,
     ${NOW} + i, 10, '{}', '{}' FROM n WHERE i < 10000`,
  `INSERT INTO rehearsal_samples (number, rehearsal, kind, platform, post_id, payload, highlights) ${override}
   SELECT i + 1, i / 2 + 1, 'newest', 'x', '"p' || i || '"', '{}', '[]' FROM n WHERE i < 20000`,
  `INSERT INTO certificate_log (level, number, hash, at) SELECT 0, i, 'hash ' || i, ${FIRST} FROM n WHERE i < ${MATCHES}`,
  `INSERT INTO certificate_log (level, number, hash) SELECT 1, i, 'node ' || i FROM n WHERE i < ${MATCHES / 2}`,
  `INSERT INTO cursors (name, value) SELECT 'c' || i, 'v' FROM n WHERE i < 5000`,
  `UPDATE state SET value = ${positionOf(MATCHES)} WHERE name = 'latest'`,
  ...more,
];
