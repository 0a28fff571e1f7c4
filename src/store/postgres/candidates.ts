/** The matches of a commit that may be new, and those that are. */
import type { Platform } from '../../domain/platform.ts';
import type { Db } from '../db.ts';
import { changeStored } from '../nouns/account-use.ts';
import type { TextEvent, TextMatch, Verdict } from '../nouns/commits.ts';
import { changeMinutes, minuteOf } from '../nouns/minutes.ts';
import { matchKey, type Position, positionAt, tailAt } from '../order.ts';
import type { TextCommit } from '../rows/commit.ts';
import { shareRules } from '../rows/locks.ts';

export interface StoredRule {
  readonly id: string;
  readonly number: number;
  readonly account: number;
  readonly account_id: string;
  readonly version: number;
}

/** A match that may be new; it is, unless its key is stored already. */
export interface Candidate {
  readonly rule: StoredRule;
  readonly key: string;
  readonly event: TextEvent;
  readonly highlights: string;
  readonly asked: number;
  readonly verdict: Verdict | undefined;
}

export interface Placed extends Candidate {
  readonly position: Position;
  readonly tail: string;
}

/** The rules that events of a commit satisfy, or that only our engine found. */
export const ruleIdsOf = (events: readonly TextEvent[]): string[] => [
  ...new Set(
    events.flatMap(({ matches, engineOnly }) => [...matches.map(({ ruleId }) => ruleId), ...(engineOnly ?? [])]),
  ),
];

/**
 * Deleted, paused and changed rules are left out; the others are locked and cannot change before the commit is done. Commits
 * share the rules, so that one or another always has a popular rule: a change would never get it. Hence the lock before,
 * for which a change waits in line, and after it the next commits. It is taken by a statement of its own: what a statement
 * reads was stored before it began, and an account that was suspended while it waited would still seem to be active.
 *
 * Then the commit takes the turns of their accounts: what it reads of their stories and keys stays so until it is done, and
 * another commit with a match of one of them waits here, before it has read anything.
 */
export async function liveRules(db: Db, ruleIds: readonly string[]): Promise<Map<string, StoredRule>> {
  const inLine = shareRules(db);
  const live = db.rows<StoredRule>(
    `WITH live AS MATERIALIZED (
         SELECT r.id, r.number, r.account, a.id AS account_id, r.version
         FROM rules r JOIN accounts a ON a.number = r.account
         WHERE r.id = ANY($1) AND r.deleted = 0 AND r.paused = 0 AND a.suspended_at IS NULL ORDER BY r.number FOR SHARE OF r),
       turns AS (
         INSERT INTO story_turns AS t (account) SELECT DISTINCT account FROM live ORDER BY account
         ON CONFLICT (account) DO UPDATE SET account = t.account WHERE false)
     SELECT * FROM live`,
    [ruleIds],
  );
  const [rows] = await Promise.all([live, inLine]);
  return new Map(rows.map((rule) => [rule.id, rule]));
}

/** A match with its key, before it is known whether its rule still wants it. */
export interface Possible {
  readonly event: TextEvent;
  readonly match: TextMatch;
  readonly key: string;
}

export const possibleMatches = ({ platform, events }: Pick<TextCommit, 'platform' | 'events'>): Possible[] =>
  events.flatMap((event) =>
    event.matches.map((match) => ({ event, match, key: matchKey(match.ruleId, platform, event.postId) })),
  );

export function candidatesOf(possible: readonly Possible[], rules: ReadonlyMap<string, StoredRule>): Candidate[] {
  const seen = new Set<string>();
  return possible.flatMap(({ event, match, key }) => {
    const { ruleId, version, highlights, asked, verdict } = match;
    const rule = rules.get(ruleId);
    if (rule?.version !== version || seen.has(key)) return [];
    if (event.accountId !== undefined && event.accountId !== rule.account_id) return [];
    seen.add(key);
    return [{ rule, key, event, highlights, asked, verdict }];
  });
}

/** Which of these matches are stored. */
export async function storedKeys(db: Db, possible: readonly Possible[]): Promise<Set<string>> {
  const rows = await db.rows<{ tail: string }>('SELECT tail FROM match_keys WHERE tail = ANY($1)', [
    possible.map(({ key }) => key),
  ]);
  return new Set(rows.map(({ tail }) => tail));
}

/**
 * Takes the keys of new matches. Whoever has the turn of an account finds its keys as they were read; should one be taken all the
 * same, nothing of the commit is kept: a match is stored once. The position of a key is the time of its commit: it says when the key
 * may go.
 */
export async function claimKeys(db: Db, fresh: readonly Candidate[], at: Date): Promise<void> {
  await db.run('INSERT INTO match_keys (tail, position) SELECT tail, $2 FROM unnest($1::text[]) AS k (tail)', [
    fresh.map(({ key }) => key).toSorted(),
    positionAt(at.getTime()),
  ]);
}

/** In the order of their events from the first free position on. */
export const placeFrom = (fresh: readonly Candidate[], from: Position): Placed[] =>
  fresh.map((candidate, rank) => ({
    ...candidate,
    position: from + rank,
    tail: tailAt(from + rank, candidate.key),
  }));

/**
 * Counts of new matches. They are part of the commit's transaction, but are written before its position is known, so
 * that commits do not wait for each other's counts: the time is then a forecast. A commit that comes to stand in
 * another minute begins again.
 */

/** All of it is asked for at once. */
export async function countMatches(
  db: Db,
  platform: Platform,
  fresh: readonly Candidate[],
  time: number,
): Promise<void> {
  // In one order everywhere, so that two transactions never wait for each other.
  const perRule = [...Map.groupBy(fresh, ({ rule }) => rule.number)]
    .toSorted(([one], [other]) => one - other)
    .map(([rule, matches]) => ({
      rule,
      account: matches[0]!.rule.account,
      matches: matches.length,
      bytes: matches.reduce((sum, { event }) => sum + Buffer.byteLength(event.payload), 0),
    }));
  const tallied = db.run(
    `INSERT INTO tallies AS t (rule, platform, matches, last_at)
     SELECT rule, $3, matches, $4 FROM unnest($1::bigint[], $2::bigint[]) AS n (rule, matches)
     ON CONFLICT (rule, platform) DO UPDATE SET matches = t.matches + excluded.matches,
       last_at = greatest(t.last_at, excluded.last_at)`,
    [perRule.map(({ rule }) => rule), perRule.map(({ matches }) => matches), platform, time],
  );
  const minute = minuteOf(time);
  await Promise.all([
    tallied,
    changeStored(db, perRule, new Date(time)),
    changeMinutes(
      db,
      perRule.map((counted) => ({ ...counted, platform, minute })),
    ),
  ]);
}
