/**
 * The one transaction of the hot path: events that matched, their matches, what is counted of them, the recent events
 * and the stream's cursor. It runs to its end or leaves no trace.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Platform } from '../../domain/platform.ts';
import { matchId, nextPosition, timeOf } from '../order.ts';
import type { TextCommit } from '../rows/commit.ts';
import { minuteOf } from '../rows/minutes.ts';
import type { RecentLimits } from '../rows/recent.ts';
import { encodeText } from '../rows/texts.ts';
import type { Committed, Position } from '../store.ts';
import { transaction } from './connection.ts';
import { type LiveRule, liveRules } from './live-rules.ts';
import { minutes } from './minutes.ts';
import { type NewMatch, newMatches } from './new-matches.ts';
import { oweNew } from './owed.ts';
import { recentWrites } from './recent.ts';
import { upstreamCommit } from './upstreams.ts';
import { usageWrites } from './usage.ts';

export function commitWrites(db: DatabaseSync, limits: RecentLimits) {
  const rules = liveRules(db);
  const newIn = newMatches(db, rules);
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

  function insert(platform: Platform, match: NewMatch, position: Position, editOf: string | null): void {
    const { rule, event, tail, highlights } = match;
    insertMatch.run(position, rule.account, platform, rule.number, rule.version, event, tail, highlights, editOf);
  }

  /** In the order of ids from the first free position on. Answers the last position given out. */
  function place(matches: NewMatch[], platform: Platform, from: Position): Position {
    matches.sort((one, other) => (one.tail < other.tail ? -1 : 1));
    const edited: { match: NewMatch; position: Position }[] = [];
    for (const [rank, match] of matches.entries()) {
      if (match.earlier.length === 0) insert(platform, match, from + rank, null);
      else edited.push({ match, position: from + rank });
    }
    // Versions of one post may come together: each finds those before it.
    for (const { match, position } of edited.toSorted((a, b) => a.match.earlier.length - b.match.earlier.length))
      insert(platform, match, position, earlierOf(platform, match) ?? null);
    return from + matches.length - 1;
  }

  function count(matches: readonly NewMatch[], platform: Platform, time: number): void {
    const perRule = new Map<LiveRule, number>();
    for (const { rule } of matches) perRule.set(rule, (perRule.get(rule) ?? 0) + 1);
    for (const [rule, added] of perRule) tally.run(rule.number, platform, added, time);
    charts.add(platform, minuteOf(time), perRule);
  }

  return {
    commit({ platform, at, events, cursor, upstream }: TextCommit): Committed {
      return transaction(db, () => {
        rules.begin();
        if (upstream !== undefined) ofUpstream(platform, at, upstream);
        const results = newIn(events, platform);
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
            .flatMap((id) => rules.get(id)?.number ?? []);
          usage.countUsage(platform, at, byEvent);
          usage.countAgreement(platform, matches, engineOnly);
        }
        recent.keep(platform, at.getTime(), events);
        if (cursor !== undefined) setCursor.run(cursor.name, cursor.value);
        rules.end();
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
