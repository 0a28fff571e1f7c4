/** The matches of a commit that may be new, and those that are. */
import type { Platform } from '../../domain/platform.ts';
import type { Db } from '../db.ts';
import type { Verdict } from '../nouns/commits.ts';
import { matchKey, type Position, positionAt, tailAt } from '../order.ts';
import type { TextEvent } from '../rows/commit.ts';
import { RULE_LOCK } from '../rows/locks.ts';

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
  readonly asked: readonly number[];
  readonly verdict: Verdict | undefined;
}

export interface Placed extends Candidate {
  readonly position: Position;
  readonly tail: string;
}

/**
 * Deleted, paused and changed rules are left out; the others are locked and cannot change before the commit is done. Commits
 * share the rules, so that one or another always has a popular rule: a change would never get it. Hence the lock before,
 * for which a change waits in line, and after it the next commits.
 */
export async function liveRules(db: Db, events: readonly TextEvent[]): Promise<Map<string, StoredRule>> {
  const ids = new Set(
    events.flatMap(({ matches, engineOnly }) => [...matches.map(({ ruleId }) => ruleId), ...(engineOnly ?? [])]),
  );
  if (ids.size === 0) return new Map();
  const rows = await db.rows<StoredRule>(
    `WITH line AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared($2))
     SELECT r.id, r.number, r.account, a.id AS account_id, r.version
     FROM line CROSS JOIN rules r JOIN accounts a ON a.number = r.account
     WHERE r.id = ANY($1) AND r.deleted = 0 AND r.paused = 0 AND a.suspended_at IS NULL ORDER BY r.number FOR SHARE OF r`,
    [[...ids], RULE_LOCK],
  );
  return new Map(rows.map((rule) => [rule.id, rule]));
}

export function candidatesOf(
  events: readonly TextEvent[],
  platform: Platform,
  rules: ReadonlyMap<string, StoredRule>,
): Candidate[] {
  const seen = new Set<string>();
  return events.flatMap((event) =>
    event.matches.flatMap(({ ruleId, version, highlights, asked, verdict }) => {
      const rule = rules.get(ruleId);
      if (rule?.version !== version) return [];
      if (event.accountId !== undefined && event.accountId !== rule.account_id) return [];
      const key = matchKey(ruleId, platform, event.postId);
      if (seen.has(key)) return [];
      seen.add(key);
      return [{ rule, key, event, highlights, asked, verdict }];
    }),
  );
}

/**
 * Takes the keys of those that are not stored. Another commit that wants one of them waits until this one is done, so a
 * match is stored once, whatever the order. All commits take keys in the same order. The position of a key is the time of
 * its commit: it says when the key may go.
 */
export async function claimNew(db: Db, candidates: readonly Candidate[], at: Date): Promise<Candidate[]> {
  if (candidates.length === 0) return [];
  const rows = await db.rows<{ tail: string }>(
    `INSERT INTO match_keys (tail, position) SELECT tail, $2 FROM unnest($1::text[]) AS k (tail)
     ON CONFLICT DO NOTHING RETURNING tail`,
    [candidates.map(({ key }) => key).toSorted(), positionAt(at.getTime())],
  );
  const claimed = new Set(rows.map(({ tail }) => tail));
  return candidates.filter(({ key }) => claimed.has(key));
}

/** In the order of their events from the first free position on. */
export const placeFrom = (fresh: readonly Candidate[], from: Position): Placed[] =>
  fresh.map((candidate, rank) => ({
    ...candidate,
    position: from + rank,
    tail: tailAt(from + rank, candidate.key),
  }));
