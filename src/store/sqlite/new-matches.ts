/** What of a commit is new: matches that are not stored yet. Their events are stored on the way. */
import type { Platform } from '../../domain/platform.ts';
import { eventKey, matchKey } from '../order.ts';
import type { TextEvent, TextMatch } from '../rows/commit.ts';
import { encodeText } from '../rows/texts.ts';
import type { Refusals } from '../rows/tombstones.ts';
import type { Verdict } from '../store.ts';
import { accountNumber } from './accounts.ts';
import { nameNewEvents } from './event-names.ts';
import type { LiveRules, StoredRule } from './live-rules.ts';
import type { Sql } from './sql.ts';

export interface NewMatch {
  readonly rule: StoredRule;
  readonly event: number;
  readonly of: TextEvent;
  /** Of the stored event; empty for none. */
  readonly source: string;
  readonly key: string;
  readonly highlights: string;
  readonly asked: readonly number[];
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
  readonly live: readonly { readonly rule: StoredRule; readonly match: TextMatch }[];
}

/** The same post may be here twice, pushed by an account and seen by everybody: a rule matches it once all the same. */
interface StoredPost {
  readonly number: number;
  readonly account: number;
  readonly source: string | null;
  readonly isNew: boolean;
}

/** What is known while a commit goes through its events. */
interface Progress {
  readonly stored: Map<string, StoredPost[]>;
  readonly owners: Map<string | undefined, number>;
  readonly seen: Set<string>;
  /** The number of the first event that the commit has stored. */
  firstNew: number | undefined;
}

const NOTHING_NEW: EventResult = { found: [], isRepeat: false };
const NONE: readonly string[] = [];

export function newMatches(
  sql: Sql,
  rules: LiveRules,
  events: readonly TextEvent[],
  platform: Platform,
  refusals: Refusals,
): EventResult[] {
  const candidates = events.map((event) => candidateOf(event, rules, refusals));
  const progress: Progress = {
    stored: storedPosts(sql, platform, candidates),
    owners: new Map([[undefined, 0]]),
    seen: new Set(),
    firstNew: undefined,
  };
  const results = candidates.map((candidate) =>
    candidate === undefined ? NOTHING_NEW : resultOf(sql, platform, candidate, progress),
  );
  if (progress.firstNew !== undefined) nameNewEvents(sql, progress.firstNew);
  return results;
}

function candidateOf(event: TextEvent, rules: LiveRules, refusals: Refusals): Candidate | undefined {
  const { accountId, matches, postId } = event;
  const live: { rule: StoredRule; match: TextMatch }[] = [];
  for (const match of matches) {
    const rule = rules.get(match.ruleId);
    if (rule?.version !== match.version || refusals.isRefused(event, rule.account)) continue;
    if (accountId === undefined || accountId === rule.accountId) live.push({ rule, match });
  }
  return live.length === 0 ? undefined : { event, post: encodeText(postId), live };
}

/** One question for all of them: most are not there. */
function storedPosts(
  sql: Sql,
  platform: Platform,
  candidates: readonly (Candidate | undefined)[],
): Map<string, StoredPost[]> {
  const posts = new Set(candidates.flatMap((candidate) => candidate?.post ?? []));
  const stored = new Map<string, StoredPost[]>();
  if (posts.size === 0) return stored;
  const rows = sql.rows<{ post: string; number: number; account: number; source: string | null }>(
    `SELECT e.post_id AS post, e.number, e.account, e.source
     FROM (SELECT p.event FROM json_each(:posts) j CROSS JOIN event_posts p ON p.platform = :platform AND p.post_id = j.value
       UNION ALL SELECT p.event FROM json_each(:posts) j CROSS JOIN new_events p ON p.platform = :platform AND p.post_id = j.value) s
     CROSS JOIN events e ON e.number = s.event`,
    { posts: JSON.stringify([...posts]), platform },
  );
  for (const { post, ...row } of rows) stored.set(post, [...(stored.get(post) ?? []), { ...row, isNew: false }]);
  return stored;
}

function resultOf(sql: Sql, platform: Platform, candidate: Candidate, progress: Progress): EventResult {
  const {
    event: { postId, accountId, payload, source, earlier = NONE },
    post,
    live,
  } = candidate;
  const { stored, owners, seen } = progress;
  const same = stored.get(post) ?? [];
  const owner = owners.get(accountId) ?? accountNumber(sql, accountId!)!;
  owners.set(accountId, owner);
  let own = same.find((one) => one.account === owner);
  const found: NewMatch[] = [];
  for (const { rule, match } of live) {
    const key = matchKey(match.ruleId, platform, postId);
    if (seen.has(key) || same.some((one) => isKnown(sql, one, rule))) continue;
    seen.add(key);
    if (own === undefined) {
      const number = sql.insert(
        'INSERT INTO events (platform, account, post_id, payload, source, key) VALUES (?, ?, ?, ?, ?, ?)',
        [platform, owner, post, payload, source ?? null, eventKey(platform, postId)],
      );
      progress.firstNew ??= number;
      own = { number, account: owner, source: source ?? null, isNew: true };
      stored.set(post, [...same, own]);
    }
    const { highlights, asked, verdict } = match;
    found.push({
      rule,
      event: own.number,
      of: candidate.event,
      source: own.source ?? '',
      key,
      highlights,
      asked,
      verdict,
      earlier,
    });
  }
  return { found, isRepeat: found.length === 0 };
}

const isKnown = (sql: Sql, { isNew, number }: StoredPost, rule: StoredRule): boolean =>
  !isNew && sql.row('SELECT 1 FROM matches WHERE event = ? AND rule = ?', [number, rule.number]) !== undefined;
