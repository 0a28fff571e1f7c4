/**
 * The one transaction of the hot path: events that matched, their matches, what is counted of them, the recent events
 * and the stream's cursor. It runs to its end or leaves no trace.
 */
import type { Platform } from '../../domain/platform.ts';
import { matchId, nextPosition, tailAt } from '../order.ts';
import type { TextEvent } from '../rows/commit.ts';
import { namesIn, type PackedCommit, toldEvents, withoutRefused } from '../rows/packed-commit.ts';
import { readingValues } from '../rows/readings.ts';
import type { RecentLimits } from '../rows/recent.ts';
import { encodeText } from '../rows/texts.ts';
import type { Committed, Position } from '../store.ts';
import { transaction } from './connection.ts';
import { type LiveRules, liveRules } from './live-rules.ts';
import { latestOf } from './matches.ts';
import { type NewMatch, newMatches } from './new-matches.ts';
import { oweNew } from './owed.ts';
import { putReading } from './readings.ts';
import { keepRecent } from './recent.ts';
import { leaveUnsettled } from './settle.ts';
import type { Sql } from './sql.ts';
import { type StoryWrites, storyWrites } from './story-writes.ts';
import { refusalsIn } from './tombstones.ts';
import { upstreamCommit } from './upstreams.ts';
import { countAgreement, countUsage } from './usage.ts';

export function commitWrites(sql: Sql, limits: RecentLimits, settleAfter?: number) {
  const rules = liveRules(sql);
  const stories = storyWrites(sql);
  return {
    commit: (batch: PackedCommit): Committed =>
      transaction(sql, () => commit(sql, { rules, stories, limits, settleAfter }, batch)),
  };
}

interface Parts {
  readonly rules: LiveRules;
  readonly stories: StoryWrites;
  readonly limits: RecentLimits;
  readonly settleAfter: number | undefined;
}

function commit(sql: Sql, { rules, stories, limits, settleAfter }: Parts, batch: PackedCommit): Committed {
  const { platform, at, ring, cursor, upstream } = batch;
  const events = toldEvents(batch);
  rules.begin();
  if (upstream !== undefined) upstreamCommit(sql, platform, at, upstream);
  const refusals = refusalsIn(sql, platform, namesIn(ring, events));
  const results = newMatches(sql, rules, events, platform, refusals);
  const byEvent = results.map(({ found }) => found);
  const matches = byEvent.flat();
  const latest = store(sql, stories, platform, at, matches);
  leaveUnsettled(sql, matches.length, latest, settleAfter);
  if (upstream !== undefined) {
    countUsage(sql, platform, at, byEvent);
    // A repeat was counted when it came first.
    const fresh = events.filter((_, index) => byEvent[index]!.length > 0);
    countAgreement(sql, platform, matches, engineOnlyOf(fresh, rules));
  }
  keepRecent(sql, platform, at.getTime(), withoutRefused(ring, events, refusals), limits);
  if (cursor !== undefined)
    sql.run('INSERT INTO cursors (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value', [
      cursor.name,
      cursor.value,
    ]);
  const reading = cursor && readingValues(cursor, at);
  if (reading !== undefined) putReading(sql, reading);
  rules.end();
  return {
    added: matches.length,
    addedByEvent: byEvent.map((found) => found.length),
    repeats: results.filter(({ isRepeat }) => isRepeat).length,
    latest,
    accountIds: [...new Set(matches.map(({ rule }) => rule.accountId))],
  };
}

const engineOnlyOf = (events: readonly TextEvent[], rules: LiveRules): number[] =>
  events.flatMap(({ engineOnly }) => engineOnly ?? []).flatMap((id) => rules.get(id)?.number ?? []);

/** The matches with all that is known of them by position. Answers the newest position of all. */
function store(sql: Sql, stories: StoryWrites, platform: Platform, at: Date, matches: readonly NewMatch[]): Position {
  const before = latestOf(sql);
  if (matches.length === 0) return before;
  const from = nextPosition(before, at.getTime());
  const told = stories.tell(
    platform,
    matches.map(({ rule, of, source, asked }, rank) => ({
      position: from + rank,
      account: rule.account,
      rule: rule.number,
      event: of,
      source,
      asked,
    })),
    before,
  );
  const latest = place(sql, matches, platform, from, told);
  oweNew(
    sql,
    platform,
    matches.map(({ rule }, rank) => ({ position: from + rank, ruleId: rule.id, account: rule.account })),
  );
  return latest;
}

/** In the order of their events from the first free position on. Answers the last position given out. */
function place(
  sql: Sql,
  matches: readonly NewMatch[],
  platform: Platform,
  from: Position,
  stories: readonly Position[],
): Position {
  const edited: Placed[] = [];
  for (const [rank, match] of matches.entries()) {
    const placed = { match, position: from + rank, story: stories[rank]! };
    if (match.earlier.length === 0) insert(sql, platform, placed, null);
    else edited.push(placed);
  }
  // Versions of one post may come together: each finds those before it.
  for (const placed of edited.toSorted((a, b) => a.match.earlier.length - b.match.earlier.length))
    insert(sql, platform, placed, earlierOf(sql, platform, placed.match) ?? null);
  return from + matches.length - 1;
}

interface Placed {
  readonly match: NewMatch;
  readonly position: Position;
  readonly story: Position;
}

function insert(sql: Sql, platform: Platform, { match, position, story }: Placed, editOf: string | null): void {
  const { rule, event, key, highlights } = match;
  const tail = tailAt(position, key);
  sql.run(
    `INSERT INTO matches (position, account, platform, rule, version, event, tail, highlights, edit_of, story)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [position, rule.account, platform, rule.number, rule.version, event, tail, highlights, editOf, story],
  );
}

/** The same rule's match of the newest earlier version. */
function earlierOf(sql: Sql, platform: Platform, { rule, earlier }: NewMatch): string | undefined {
  for (const postId of earlier.toReversed()) {
    const row = sql.row<{ position: number; tail: string }>(
      `SELECT m.position, m.tail FROM events e JOIN matches m ON m.event = e.number
       WHERE e.platform = ? AND e.post_id = ? AND m.rule = ? LIMIT 1`,
      [platform, encodeText(postId), rule.number],
    );
    if (row !== undefined) return matchId(row.position, row.tail);
  }
  return undefined;
}
