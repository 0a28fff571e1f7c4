/**
 * The one transaction of the hot path: events that matched, their matches, what is counted of them, the recent events
 * and the stream's cursor. It runs to its end or leaves no trace.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Platform } from '../../domain/platform.ts';
import { matchId, matchTail, nextPosition, timeOf } from '../order.ts';
import type { TextCommit, TextEvent } from '../rows/commit.ts';
import { minuteOf } from '../rows/minutes.ts';
import type { RecentLimits } from '../rows/recent.ts';
import { encodeText } from '../rows/texts.ts';
import type { Committed, Position, Verdict } from '../store.ts';
import { transaction } from './connection.ts';
import { minutes } from './minutes.ts';
import { oweNew } from './owed.ts';
import { recentWrites } from './recent.ts';
import { upstreamCommit } from './upstreams.ts';
import { usageWrites } from './usage.ts';

interface LiveRule {
  readonly id: string;
  readonly number: number;
  readonly account: number;
  readonly accountId: string;
  readonly version: number;
}

interface NewMatch {
  readonly rule: LiveRule;
  readonly event: number;
  readonly tail: string;
  readonly highlights: string;
  readonly verdict: Verdict | undefined;
  /** Earlier versions of the post, oldest first. */
  readonly earlier: readonly string[];
}

/** What is new of an event, and whether all of it was known. */
interface EventResult {
  readonly found: readonly NewMatch[];
  readonly isRepeat: boolean;
}

const NOTHING_NEW: EventResult = { found: [], isRepeat: false };

export function commitWrites(db: DatabaseSync, limits: RecentLimits) {
  // Deleted, paused and changed rules are looked for here, under the lock: once a change has returned, nothing of the
  // rule as it was is stored any more.
  const liveRule = db.prepare(
    `SELECT r.id, r.number, r.account, a.id AS accountId, r.version FROM rules r JOIN accounts a ON a.number = r.account
     WHERE r.id = ? AND r.deleted = 0 AND r.paused = 0`,
  );
  const account = db.prepare('SELECT number FROM accounts WHERE id = ?');
  const samePost = db.prepare('SELECT number, account FROM events WHERE platform = ? AND post_id = ?');
  const insertEvent = db.prepare('INSERT INTO events (platform, account, post_id, payload) VALUES (?, ?, ?, ?)');
  const known = db.prepare('SELECT 1 FROM matches WHERE event = ? AND rule = ?');
  const insertMatch = db.prepare(
    `INSERT INTO matches (position, account, platform, rule, version, event, tail, highlights, edit_of)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const tally = db.prepare(
    `INSERT INTO tallies (rule, platform, matches, last_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (rule, platform) DO UPDATE SET matches = matches + excluded.matches, last_at = excluded.last_at`,
  );
  const latest = db.prepare(`SELECT value FROM state WHERE name = 'latest'`);
  const setLatest = db.prepare(`UPDATE state SET value = ? WHERE name = 'latest'`);
  const setCursor = db.prepare(
    'INSERT INTO cursors (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );
  const charts = minutes(db);
  const recent = recentWrites(db, limits);
  const owe = oweNew(db);
  const usage = usageWrites(db);
  const ofUpstream = upstreamCommit(db);
  const earlierMatch = db.prepare(
    `SELECT m.position, m.tail FROM events e JOIN matches m ON m.event = e.number
     WHERE e.platform = ? AND e.post_id = ? AND m.rule = ? LIMIT 1`,
  );

  const latestPosition = (): Position => (latest.get() as { value: number }).value;

  /** What of one event is new; the event itself is stored on the way when anything is. */
  function newMatches(
    { postId, accountId, payload, matches, earlier = [] }: TextEvent,
    platform: Platform,
    ruleById: (id: string) => LiveRule | undefined,
    seen: Set<string>,
  ): EventResult {
    const live = matches.flatMap(({ ruleId, version, highlights, verdict }) => {
      const rule = ruleById(ruleId);
      const sees = rule?.version === version && (accountId === undefined || accountId === rule.accountId);
      return sees ? [{ ruleId, rule, highlights, verdict }] : [];
    });
    if (live.length === 0) return NOTHING_NEW;
    const post = encodeText(postId);
    const owner = accountId === undefined ? 0 : (account.get(accountId) as { number: number }).number;
    // The same post may be here twice, pushed by an account and seen by everybody: a rule matches it once all the same.
    const stored = samePost.all(platform, post) as { number: number; account: number }[];
    let event = stored.find((one) => one.account === owner)?.number;
    const found: NewMatch[] = [];
    for (const { ruleId, rule, highlights, verdict } of live) {
      const tail = matchTail(ruleId, platform, postId);
      if (seen.has(tail) || stored.some(({ number }) => known.get(number, rule.number) !== undefined)) continue;
      seen.add(tail);
      event ??= Number(insertEvent.run(platform, owner, post, payload).lastInsertRowid);
      found.push({ rule, event, tail, highlights: JSON.stringify(highlights), verdict, earlier });
    }
    return { found, isRepeat: found.length === 0 };
  }

  /** The same rule's match of the newest earlier version. */
  function earlierOf(platform: Platform, { rule, earlier }: NewMatch): string | undefined {
    for (const postId of earlier.toReversed()) {
      const row = earlierMatch.get(platform, encodeText(postId), rule.number) as
        | { position: number; tail: string }
        | undefined;
      if (row !== undefined) return matchId(row.position, row.tail);
    }
    return undefined;
  }

  /** In the order of ids from the first free position on. Answers the last position given out. */
  function place(matches: NewMatch[], platform: Platform, from: Position): Position {
    matches.sort((one, other) => (one.tail < other.tail ? -1 : 1));
    const placed = matches.map((match, rank) => ({ ...match, position: from + rank }));
    // Versions of one post may come together: each finds those before it.
    for (const match of placed.toSorted((one, other) => one.earlier.length - other.earlier.length)) {
      const { rule, event, tail, highlights, position } = match;
      const { account: owner, number, version } = rule;
      const editOf = earlierOf(platform, match) ?? null;
      insertMatch.run(position, owner, platform, number, version, event, tail, highlights, editOf);
    }
    return from + matches.length - 1;
  }

  function count(matches: readonly NewMatch[], platform: Platform, time: number): void {
    const perRule = new Map<LiveRule, number>();
    for (const { rule } of matches) perRule.set(rule, (perRule.get(rule) ?? 0) + 1);
    for (const [rule, added] of perRule) {
      tally.run(rule.number, platform, added, time);
      charts.change(rule.number, rule.account, platform, minuteOf(time), added);
    }
  }

  return {
    commit({ platform, at, events, cursor, upstream }: TextCommit): Committed {
      return transaction(db, () => {
        if (upstream !== undefined) ofUpstream(platform, at, upstream);
        const rules = new Map<string, LiveRule | undefined>();
        const ruleById = (id: string): LiveRule | undefined => {
          if (!rules.has(id)) rules.set(id, liveRule.get(id) as LiveRule | undefined);
          return rules.get(id);
        };
        const seen = new Set<string>();
        const results = events.map((event) => newMatches(event, platform, ruleById, seen));
        const byEvent = results.map(({ found }) => found);
        const matches = byEvent.flat();
        let last = latestPosition();
        if (matches.length > 0) {
          const from = nextPosition(last, at.getTime());
          last = place(matches, platform, from);
          owe(
            platform,
            matches.map(({ rule }, rank) => ({ position: from + rank, ruleId: rule.id, account: rule.account })),
          );
          count(matches, platform, timeOf(last));
          setLatest.run(last);
        }
        if (upstream !== undefined) {
          // A repeat was counted when it came first.
          const fresh = events.filter((_, index) => byEvent[index]!.length > 0);
          const engineOnly = fresh
            .flatMap((event) => event.engineOnly ?? [])
            .flatMap((id) => ruleById(id)?.number ?? []);
          usage.countUsage(platform, at, byEvent);
          usage.countAgreement(platform, matches, engineOnly);
        }
        recent.keep(platform, at.getTime(), events);
        if (cursor !== undefined) setCursor.run(cursor.name, cursor.value);
        return {
          added: matches.length,
          addedByEvent: byEvent.map((found) => found.length),
          repeats: results.filter(({ isRepeat }) => isRepeat).length,
          latest: last,
          accountIds: [...new Set(matches.map(({ rule }) => rule.accountId))],
        };
      });
    },
  };
}
