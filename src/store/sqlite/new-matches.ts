/** Finds the matches of a commit that are not stored yet. Their events are stored on the way. */
import type { SQLInputValue } from 'node:sqlite';
import type { Platform } from '../../domain/platform.ts';
import type { Verdict } from '../nouns/commits.ts';
import type { Refusals } from '../nouns/erasure/tombstones.ts';
import { eventKey, type Position } from '../order.ts';
import type { ToldEvent } from '../rows/packed-events.ts';
import type { ToldMatch } from '../rows/story-books.ts';
import { encodeText } from '../rows/texts.ts';
import { nameNewEvents } from './event-names.ts';
import type { LiveRules, StoredRule } from './live-rules.ts';
import { rowInserter, type Sql } from './sql.ts';

export interface NewMatch extends ToldMatch {
  readonly event: ToldEvent;
  readonly rule: StoredRule;
  /** The number of the stored event, which an earlier arrival may have stored. */
  readonly number: number;
  readonly highlights: string;
  readonly verdict: Verdict | undefined;
}

/** The new matches of an event, and whether all of it was known. */
interface EventResult {
  readonly found: readonly NewMatch[];
  readonly isRepeat: boolean;
}

/** An event of which something may be stored: `rules` has the rule of each of its matches, if it is live. */
interface Candidate {
  readonly event: ToldEvent;
  readonly post: string;
  readonly key: string;
  readonly rules: readonly (StoredRule | undefined)[];
}

/** A post may be stored twice, pushed by an account and seen by everybody; a rule matches it once all the same. */
interface StoredPost {
  readonly number: number;
  readonly account: number;
  readonly source: string | null;
  readonly isNew: boolean;
  /** The rules by which this commit has found it. */
  readonly rules: Set<number>;
}

/** The state of a commit while it goes through its events. */
interface Progress {
  readonly stored: Map<string, StoredPost[]>;
  readonly owners: Map<string | undefined, number>;
  /** The position of the next match. */
  position: Position;
  /** The number of the next event. */
  number: number;
  /** The new events, value by value. */
  readonly rows: SQLInputValue[];
}

/** The distinct values of a commit's matches. Matches that follow each other mostly have the same. */
export function distinctIn<Match, Value>(matches: readonly Match[], keyOf: (match: Match) => Value): Set<Value> {
  const values = new Set<Value>();
  let last: Value | undefined;
  for (const match of matches) {
    const value = keyOf(match);
    if (value !== last) values.add(value);
    last = value;
  }
  return values;
}

const NOTHING_NEW: EventResult = { found: [], isRepeat: false };

const inserterFor = (platform: Platform) =>
  rowInserter('events', ['number', 'platform', 'account', 'post_id', 'payload', 'source', 'key'], {
    platform: `'${platform}'`,
    // The bytes of a text.
    payload: 'CAST(? AS TEXT)',
  });
const INSERTERS = { x: inserterFor('x'), firehose: inserterFor('firehose') };

/** They get the positions from the given one on, in the order of their events. */
export function newMatches(
  sql: Sql,
  rules: LiveRules,
  { events, platform }: { readonly events: readonly ToldEvent[]; readonly platform: Platform },
  refusals: Refusals,
  position: Position,
): EventResult[] {
  const candidates = events.map((event) => candidateOf(event, platform, rules, refusals));
  const first = nextNumber(sql);
  const progress: Progress = {
    stored: storedPosts(sql, platform, candidates),
    owners: new Map([[undefined, 0]]),
    position,
    number: first,
    rows: [],
  };
  const results = candidates.map((candidate) =>
    candidate === undefined ? NOTHING_NEW : resultOf(sql, candidate, progress),
  );
  INSERTERS[platform](sql, progress.rows);
  if (progress.number > first) nameNewEvents(sql, first);
  return results;
}

const nextNumber = (sql: Sql): number =>
  sql.row<{ number: number }>('SELECT coalesce(max(number), 0) + 1 AS number FROM events')!.number;

function candidateOf(event: ToldEvent, platform: Platform, live: LiveRules, refusals: Refusals): Candidate | undefined {
  const { accountId, matches, postId } = event;
  let isLive = false;
  const rules = matches.map(({ ruleId, version }) => {
    const rule = live.get(ruleId);
    if (rule?.version !== version || refusals.isRefused(event, rule.account)) return undefined;
    if (accountId !== undefined && accountId !== rule.accountId) return undefined;
    isLive = true;
    return rule;
  });
  return isLive ? { event, post: encodeText(postId), key: eventKey(platform, postId), rules } : undefined;
}

/** One question for all of them: most are not there. */
function storedPosts(
  sql: Sql,
  platform: Platform,
  candidates: readonly (Candidate | undefined)[],
): Map<string, StoredPost[]> {
  const keys = new Map(
    candidates.flatMap((candidate) => (candidate ? [[candidate.post, candidate.key] as const] : [])),
  );
  const stored = new Map<string, StoredPost[]>();
  if (keys.size === 0) return stored;
  const rows = sql.rows<{ post: string; number: number; account: number; source: string | null }>(
    `SELECT e.post_id AS post, e.number, e.account, e.source
     FROM (SELECT k.event FROM json_each(:keys) j CROSS JOIN event_keys k ON k.key = j.value
       UNION ALL SELECT p.event FROM json_each(:posts) j CROSS JOIN event_posts p ON p.platform = :platform AND p.post_id = j.value
       UNION ALL SELECT p.event FROM json_each(:posts) j CROSS JOIN new_events p ON p.platform = :platform AND p.post_id = j.value) s
     CROSS JOIN events e ON e.number = s.event WHERE e.platform = :platform`,
    { keys: JSON.stringify([...keys.values()]), posts: JSON.stringify([...keys.keys()]), platform },
  );
  for (const { post, number, account, source } of rows)
    samePosts(stored, post).push({ number, account, source, isNew: false, rules: new Set() });
  return stored;
}

function samePosts(stored: Progress['stored'], post: string): StoredPost[] {
  const known = stored.get(post);
  if (known !== undefined) return known;
  const none: StoredPost[] = [];
  stored.set(post, none);
  return none;
}

function resultOf(sql: Sql, candidate: Candidate, progress: Progress): EventResult {
  const { event, post, rules } = candidate;
  const same = samePosts(progress.stored, post);
  const owner = ownerOf(sql, event.accountId, progress);
  let own = same.find((one) => one.account === owner);
  const found: NewMatch[] = [];
  for (const [index, { highlights, asked, verdict }] of event.matches.entries()) {
    const rule = rules[index];
    if (rule === undefined || same.some((one) => isKnown(sql, one, rule))) continue;
    if (own === undefined) {
      own = addEvent(candidate, owner, progress);
      same.push(own);
    }
    if (!own.isNew && own.rules.size === 0) warm(sql, own, event);
    own.rules.add(rule.number);
    const { number, source } = own;
    const position = progress.position++;
    const { account, number: ruleNumber } = rule;
    found.push({ position, account, event, asked, ruleNumber, rule, number, source, highlights, verdict });
  }
  return { found, isRepeat: found.length === 0 };
}

/** A new match of an event whose payload lies in objects: those are of older matches, and go before it. */
function warm(sql: Sql, { number }: StoredPost, { payload }: ToldEvent): void {
  sql.run(`UPDATE events SET payload = CAST(? AS TEXT) WHERE number = ? AND substr(payload, 1, 1) = '['`, [
    payload,
    number,
  ]);
}

function ownerOf(sql: Sql, accountId: string | undefined, { owners }: Progress): number {
  const known = owners.get(accountId);
  if (known !== undefined) return known;
  const owner = sql.row<{ number: number }>('SELECT number FROM accounts WHERE id = ?', [accountId!])!.number;
  owners.set(accountId, owner);
  return owner;
}

function addEvent({ event, post, key }: Candidate, account: number, progress: Progress): StoredPost {
  const number = progress.number++;
  const source = event.source ?? null;
  progress.rows.push(number, account, post, event.payload, source, key);
  return { number, account, source, isNew: true, rules: new Set() };
}

const isKnown = (sql: Sql, { isNew, number, rules }: StoredPost, rule: StoredRule): boolean =>
  rules.has(rule.number) ||
  (!isNew && sql.row('SELECT 1 FROM matches WHERE event = ? AND rule = ?', [number, rule.number]) !== undefined);
