/**
 * The one transaction of the hot path. Whatever the number of events, it is a fixed number of statements over arrays.
 * Commits of all nodes come one after the other, under the lock on `latest`: so positions grow in the order in which
 * they become visible, and no reader ever passes one that is still to come.
 */
import type { Platform } from '../../domain/platform.ts';
import { matchId, matchTail, nextPosition, timeOf } from '../order.ts';
import { type TextCommit, type TextEvent, textCommit } from '../rows/commit.ts';
import { minuteOf } from '../rows/minutes.ts';
import type { RecentLimits } from '../rows/recent.ts';
import { encodeText } from '../rows/texts.ts';
import type { Commit, Committed, Position, Verdict } from '../store.ts';
import { type Database, type Db, isOutcomeUnknown } from './connection.ts';
import { changeMinutes } from './minutes.ts';
import { ring } from './nodes.ts';
import { oweNew } from './owed.ts';
import { type Partitions, startOfDay } from './partitions.ts';
import { keepRecent } from './recent.ts';
import { upstreamCommit } from './upstreams.ts';
import { countAgreement, countUsage } from './usage.ts';

interface LiveRule {
  readonly id: string;
  readonly number: number;
  readonly account: number;
  readonly account_id: string;
  readonly version: number;
}

/** A match that may be new; it is, unless its tail is stored already. */
interface Candidate {
  readonly rule: LiveRule;
  readonly tail: string;
  readonly event: TextEvent;
  readonly highlights: string;
  readonly verdict: Verdict | undefined;
}

interface Placed extends Candidate {
  readonly position: Position;
}

interface Options {
  readonly partitions: Partitions;
  readonly recent: RecentLimits;
}

export async function commit(database: Database, batch: Commit, options: Options): Promise<Committed> {
  const text = textCommit(batch);
  await options.partitions.ready(batch.at.getTime());
  const attempt: { placed?: readonly Placed[]; result?: Committed } = {};
  try {
    return await database.transaction((db) => write(db, text, options, attempt));
  } catch (error) {
    // The connection broke, perhaps after the server had committed: whether it did is seen by what it stored.
    if (!isOutcomeUnknown(error) || attempt.result === undefined || !(await isStored(database, attempt.placed ?? [])))
      throw error;
    return attempt.result;
  }
}

async function isStored(database: Database, placed: readonly Placed[]): Promise<boolean> {
  const [first] = placed;
  if (first === undefined) return false;
  const rows = await database.rows('SELECT 1 FROM matches WHERE position = $1 AND tail = $2', [
    first.position,
    first.tail,
  ]);
  return rows.length > 0;
}

async function write(
  db: Db,
  { platform, at, events, cursor, upstream }: TextCommit,
  { recent }: Options,
  attempt: { placed?: readonly Placed[]; result?: Committed },
): Promise<Committed> {
  const [state] = await db.rows<{ value: Position }>(`SELECT value FROM state WHERE name = 'latest' FOR UPDATE`);
  if (upstream !== undefined) await upstreamCommit(db, platform, at, upstream);
  const rules = await liveRules(db, events);
  const candidates = candidatesOf(events, platform, rules);
  const stored = await storedTails(db, candidates);
  const fresh = candidates.filter(({ tail }) => !stored.has(tail));
  const placed = place(fresh, nextPosition(state!.value, at.getTime()));
  const latest = placed.at(-1)?.position ?? state!.value;
  if (placed.length > 0) {
    await storeMatches(db, platform, placed);
    await oweNew(
      db,
      platform,
      placed.map(({ position, rule }) => ({ position, ruleId: rule.id, account: rule.account })),
    );
    await count(db, platform, placed, timeOf(latest));
    await db.run(`UPDATE state SET value = $1 WHERE name = 'latest'`, [latest]);
  }
  const byEvent = Map.groupBy(placed, ({ event }) => event);
  if (upstream !== undefined) {
    const engineOnly = [...byEvent.keys()]
      .flatMap((event) => event.engineOnly ?? [])
      .flatMap((id) => rules.get(id)?.number ?? []);
    await countUsage(db, platform, at, [...byEvent.values()]);
    await countAgreement(db, platform, placed, engineOnly);
  }
  await keepRecent(db, platform, at.getTime(), events, recent);
  if (cursor !== undefined)
    await db.run(
      'INSERT INTO cursors (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      [cursor.name, cursor.value],
    );
  if (placed.length > 0) await ring(db, [...new Set(placed.map(({ rule }) => rule.account_id))]);
  const seen = new Set(candidates.map(({ event }) => event));
  attempt.placed = placed;
  attempt.result = {
    added: placed.length,
    addedByEvent: events.map((event) => byEvent.get(event)?.length ?? 0),
    repeats: [...seen].filter((event) => !byEvent.has(event)).length,
    latest,
    accountIds: [...new Set(placed.map(({ rule }) => rule.account_id))],
  };
  return attempt.result;
}

/** Deleted, paused and changed rules are looked for under the lock, and cannot change before the commit is done. */
async function liveRules(db: Db, events: readonly TextEvent[]): Promise<Map<string, LiveRule>> {
  const ids = new Set(
    events.flatMap(({ matches, engineOnly }) => [...matches.map(({ ruleId }) => ruleId), ...(engineOnly ?? [])]),
  );
  if (ids.size === 0) return new Map();
  const rows = await db.rows<LiveRule>(
    `SELECT r.id, r.number, r.account, a.id AS account_id, r.version FROM rules r JOIN accounts a ON a.number = r.account
     WHERE r.id = ANY($1) AND r.deleted = 0 AND r.paused = 0 ORDER BY r.number FOR SHARE OF r`,
    [[...ids]],
  );
  return new Map(rows.map((rule) => [rule.id, rule]));
}

function candidatesOf(
  events: readonly TextEvent[],
  platform: Platform,
  rules: ReadonlyMap<string, LiveRule>,
): Candidate[] {
  const seen = new Set<string>();
  return events.flatMap((event) =>
    event.matches.flatMap(({ ruleId, version, highlights, verdict }) => {
      const rule = rules.get(ruleId);
      if (rule?.version !== version) return [];
      if (event.accountId !== undefined && event.accountId !== rule.account_id) return [];
      const tail = matchTail(ruleId, platform, event.postId);
      if (seen.has(tail)) return [];
      seen.add(tail);
      return [{ rule, tail, event, highlights, verdict }];
    }),
  );
}

async function storedTails(db: Db, candidates: readonly Candidate[]): Promise<Set<string>> {
  if (candidates.length === 0) return new Set();
  const rows = await db.rows<{ tail: string }>('SELECT tail FROM match_keys WHERE tail = ANY($1)', [
    candidates.map(({ tail }) => tail),
  ]);
  return new Set(rows.map(({ tail }) => tail));
}

/** In the order of ids from the first free position on. */
const place = (fresh: readonly Candidate[], from: Position): Placed[] =>
  fresh
    .toSorted((one, other) => (one.tail < other.tail ? -1 : 1))
    .map((candidate, rank) => ({ ...candidate, position: from + rank }));

async function storeMatches(db: Db, platform: Platform, placed: readonly Placed[]): Promise<void> {
  const numbers = await storeEvents(db, platform, placed);
  const editOf = await earlierOf(db, platform, placed);
  await db.run(
    `INSERT INTO matches (position, account, platform, rule, version, event, tail, highlights, edit_of)
     SELECT position, account, $3, rule, version, event, tail, highlights, edit_of
     FROM unnest($1::bigint[], $2::bigint[], $4::bigint[], $5::integer[], $6::bigint[], $7::text[], $8::text[], $9::text[])
       AS m (position, account, rule, version, event, tail, highlights, edit_of)`,
    [
      placed.map(({ position }) => position),
      placed.map(({ rule }) => rule.account),
      platform,
      placed.map(({ rule }) => rule.number),
      placed.map(({ rule }) => rule.version),
      placed.map(({ event }) => numbers.get(event)),
      placed.map(({ tail }) => tail),
      placed.map(({ highlights }) => highlights),
      placed.map(({ event, rule }) => editOf(event, rule.number) ?? null),
    ],
  );
  await db.run('INSERT INTO match_keys (tail, position) SELECT * FROM unnest($1::text[], $2::bigint[])', [
    placed.map(({ tail }) => tail),
    placed.map(({ position }) => position),
  ]);
}

/** Each payload once a day; a later day stores it again, because the earlier day's partition goes first. */
async function storeEvents(db: Db, platform: Platform, placed: readonly Placed[]): Promise<Map<TextEvent, number>> {
  const byEvent = Map.groupBy(placed, ({ event }) => event);
  const accounts = await accountNumbers(db, [...byEvent.keys()]);
  const keyOf = ({ accountId, postId }: TextEvent) => `${accounts.get(accountId)} ${encodeText(postId)}`;
  const known = await db.rows<{ number: number; account: number; post_id: string }>(
    'SELECT number, account, post_id FROM events WHERE number >= $1 AND platform = $2 AND post_id = ANY($3)',
    [startOfDay(placed[0]!.position), platform, [...byEvent.keys()].map(({ postId }) => encodeText(postId))],
  );
  const numberByKey = new Map(known.map(({ number, account, post_id }) => [`${account} ${post_id}`, number]));
  const numbers = new Map<TextEvent, number>();
  const added: TextEvent[] = [];
  for (const [event, matches] of byEvent) {
    const key = keyOf(event);
    if (!numberByKey.has(key)) {
      numberByKey.set(key, Math.min(...matches.map(({ position }) => position)));
      added.push(event);
    }
    numbers.set(event, numberByKey.get(key)!);
  }
  await db.run(
    `INSERT INTO events (number, platform, account, post_id, payload)
     SELECT number, $5, account, post_id, payload
     FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) AS e (number, account, post_id, payload)`,
    [
      added.map((event) => numbers.get(event)),
      added.map(({ accountId }) => accounts.get(accountId)),
      added.map(({ postId }) => encodeText(postId)),
      added.map(({ payload }) => payload),
      platform,
    ],
  );
  return numbers;
}

/** 0 stands for everybody. */
async function accountNumbers(db: Db, events: readonly TextEvent[]): Promise<Map<string | undefined, number>> {
  const ids = [...new Set(events.flatMap(({ accountId }) => accountId ?? []))];
  const rows = await db.rows<{ id: string; number: number }>('SELECT id, number FROM accounts WHERE id = ANY($1)', [
    ids,
  ]);
  return new Map<string | undefined, number>([[undefined, 0], ...rows.map((row) => [row.id, row.number] as const)]);
}

/** The same rule's match of the newest earlier version of a post. */
async function earlierOf(
  db: Db,
  platform: Platform,
  placed: readonly Placed[],
): Promise<(event: TextEvent, rule: number) => string | undefined> {
  const edited = placed.filter(({ event }) => (event.earlier?.length ?? 0) > 0);
  if (edited.length === 0) return () => undefined;
  const posts = [...new Set(edited.flatMap(({ event }) => event.earlier ?? []))];
  const rows = await db.rows<{ post_id: string; rule: number; position: Position; tail: string }>(
    `SELECT e.post_id, m.rule, m.position, m.tail FROM events e JOIN matches m ON m.event = e.number
     WHERE e.platform = $1 AND e.post_id = ANY($2) AND m.rule = ANY($3)`,
    [platform, posts.map(encodeText), [...new Set(edited.map(({ rule }) => rule.number))]],
  );
  const found = new Map(rows.map((row) => [`${row.rule} ${row.post_id}`, matchId(row.position, row.tail)]));
  // Versions of one post may come together.
  for (const { event, rule, position, tail } of placed) {
    found.set(`${rule.number} ${encodeText(event.postId)}`, matchId(position, tail));
  }
  return (event, rule) =>
    event.earlier
      ?.toReversed()
      .map((postId) => found.get(`${rule} ${encodeText(postId)}`))
      .find((id) => id !== undefined);
}

async function count(db: Db, platform: Platform, placed: readonly Placed[], time: number): Promise<void> {
  const perRule = [...Map.groupBy(placed, ({ rule }) => rule.number).values()];
  await db.run(
    `INSERT INTO tallies AS t (rule, platform, matches, last_at)
     SELECT rule, $3, matches, $4 FROM unnest($1::bigint[], $2::bigint[]) AS n (rule, matches)
     ON CONFLICT (rule, platform) DO UPDATE SET matches = t.matches + excluded.matches, last_at = excluded.last_at`,
    [perRule.map(([first]) => first!.rule.number), perRule.map(({ length }) => length), platform, time],
  );
  await changeMinutes(
    db,
    perRule.map((matches) => ({
      rule: matches[0]!.rule.number,
      account: matches[0]!.rule.account,
      platform,
      minute: minuteOf(time),
      matches: matches.length,
    })),
  );
}
