/** What of a commit is new: matches that are not stored yet. Their events are stored on the way. */
import type { DatabaseSync } from 'node:sqlite';
import type { Platform } from '../../domain/platform.ts';
import { matchTail } from '../order.ts';
import type { TextEvent, TextMatch } from '../rows/commit.ts';
import { encodeText } from '../rows/texts.ts';
import type { Verdict } from '../store.ts';
import type { LiveRule, LiveRules } from './live-rules.ts';

export interface NewMatch {
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

/** An event of which something may be stored. */
interface Candidate {
  readonly event: TextEvent;
  readonly post: string;
  readonly live: readonly { readonly rule: LiveRule; readonly match: TextMatch }[];
}

/** The same post may be here twice, pushed by an account and seen by everybody: a rule matches it once all the same. */
interface StoredPost {
  readonly number: number;
  readonly account: number;
  readonly isNew: boolean;
}

const NOTHING_NEW: EventResult = { found: [], isRepeat: false };
const NONE: readonly string[] = [];

export function newMatches(db: DatabaseSync, rules: LiveRules) {
  const account = db.prepare('SELECT number FROM accounts WHERE id = ?');
  const samePosts = db.prepare(
    `SELECT e.post_id AS post, e.number, e.account FROM json_each(?) j
     CROSS JOIN events e ON e.platform = ? AND e.post_id = j.value`,
  );
  const known = db.prepare('SELECT 1 FROM matches WHERE event = ? AND rule = ?');
  const insertEvent = db.prepare('INSERT INTO events (platform, account, post_id, payload) VALUES (?, ?, ?, ?)');

  function candidateOf(event: TextEvent): Candidate | undefined {
    const { accountId, matches, postId } = event;
    const live: { rule: LiveRule; match: TextMatch }[] = [];
    for (const match of matches) {
      const rule = rules.get(match.ruleId);
      if (rule?.version !== match.version) continue;
      if (accountId === undefined || accountId === rule.accountId) live.push({ rule, match });
    }
    return live.length === 0 ? undefined : { event, post: encodeText(postId), live };
  }

  /** One question for all of them: most are not there. */
  function storedPosts(platform: Platform, candidates: readonly (Candidate | undefined)[]): Map<string, StoredPost[]> {
    const posts = new Set(candidates.flatMap((candidate) => candidate?.post ?? []));
    const stored = new Map<string, StoredPost[]>();
    if (posts.size === 0) return stored;
    const rows = samePosts.all(JSON.stringify([...posts]), platform) as unknown as (StoredPost & { post: string })[];
    for (const { post, number, account: owner } of rows)
      stored.set(post, [...(stored.get(post) ?? []), { number, account: owner, isNew: false }]);
    return stored;
  }

  return (events: readonly TextEvent[], platform: Platform): EventResult[] => {
    const candidates = events.map(candidateOf);
    const stored = storedPosts(platform, candidates);
    const owners = new Map<string | undefined, number>([[undefined, 0]]);
    const seen = new Set<string>();

    function ownerOf(accountId: string | undefined): number {
      const owner = owners.get(accountId) ?? (account.get(accountId!) as { number: number }).number;
      owners.set(accountId, owner);
      return owner;
    }

    function resultOf({ event: { postId, accountId, payload, earlier = NONE }, post, live }: Candidate): EventResult {
      const same = stored.get(post) ?? [];
      const owner = ownerOf(accountId);
      let event = same.find((one) => one.account === owner)?.number;
      const found: NewMatch[] = [];
      for (const { rule, match } of live) {
        const tail = matchTail(match.ruleId, platform, postId);
        const isKnown = ({ isNew, number }: StoredPost) => !isNew && known.get(number, rule.number) !== undefined;
        if (seen.has(tail) || same.some(isKnown)) continue;
        seen.add(tail);
        if (event === undefined) {
          event = Number(insertEvent.run(platform, owner, post, payload).lastInsertRowid);
          stored.set(post, [...same, { number: event, account: owner, isNew: true }]);
        }
        found.push({ rule, event, tail, highlights: match.highlights, verdict: match.verdict, earlier });
      }
      return { found, isRepeat: found.length === 0 };
    }

    return candidates.map((candidate) => (candidate === undefined ? NOTHING_NEW : resultOf(candidate)));
  };
}
