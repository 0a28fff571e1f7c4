/**
 * The one transaction of the hot path. Whatever the number of events, it is a fixed number of statements over arrays.
 *
 * Commits of all nodes give out positions one after the other, under the lock on `latest`: so positions grow in the order in
 * which they become visible, and no reader ever passes one that is still to come. Everything that needs no position happens
 * before the lock is taken; under it there is one statement. A commit without a new match does not take it. The rings of
 * recent events come after the commit.
 */
import { inSlices } from '../../base/cooperate.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Db } from '../db.ts';
import { type Commit, type Committed, moveCursor } from '../nouns/commits.ts';
import { noteCarriers } from '../nouns/erasure/carriers.ts';
import { type Refusals, refusalsAmong } from '../nouns/erasure/tombstones.ts';
import { latestOf } from '../nouns/matches.ts';
import type { RecentLimits, RingEvent } from '../nouns/recent.ts';
import { commitUpstream } from '../nouns/upstreams.ts';
import { countAgreement, countUsage } from '../nouns/usage.ts';
import { nextPosition, type Position, timeOf } from '../order.ts';
import { COST_AT_ONCE, type TextCommit, type TextEvent, textCommit } from '../rows/commit.ts';
import { createRingPacker, textIn } from '../rows/packed-ring.ts';
import {
  type Candidate,
  candidatesOf,
  claimNew,
  liveRules,
  type Placed,
  placeFrom,
  type StoredRule,
} from './candidates.ts';
import type { Database } from './connection.ts';
import { correctCounts, countMatches, type MatchCounts } from './counts.ts';
import { isOutcomeUnknown } from './failures.ts';
import type { Partitions } from './partitions.ts';
import { type Preparation, prepareMatches, storeMatches, storyOfEarlier } from './store-matches.ts';
import type { StoryTeller } from './story-writes.ts';

interface Options {
  readonly partitions: Partitions;
  readonly recent: RecentLimits;
  /** Waits for the lock on `latest` are counted here. */
  readonly lock: LockWaits;
  readonly stories: StoryTeller;
}

export interface LockWaits {
  waits: number;
  seconds: number;
}

/** What a transaction was about to commit, should its connection break. */
interface Attempt {
  placed: readonly Placed[];
  /** Of what it decided about stories. */
  mark?: number;
  result?: Written;
}

export async function commit(
  database: Database,
  batch: Commit,
  { partitions, recent, lock, stories }: Options,
): Promise<Committed> {
  const text = await inSlices(textCommit(batch), COST_AT_ONCE);
  await partitions.ready(batch.at.getTime());
  const { refusals, ...result } = await write(database, text, { lock, stories });
  // The commit is durable. Recent events are for previews alone: without them it has succeeded all the same.
  const kept = text.events.filter((event) => !refusals.isKeptOut(event));
  await keepRecent(database, text.platform, text.at.getTime(), kept, recent).catch(() => {});
  return result;
}

/** With what of its events was erased. */
interface Written extends Committed {
  readonly refusals: Refusals;
}

type UnderLock = Pick<Options, 'lock' | 'stories'>;

async function write(database: Database, batch: TextCommit, parts: UnderLock): Promise<Written> {
  let attempt: Attempt = { placed: [] };
  try {
    const written = await database.transaction((db) => {
      attempt = { placed: [] };
      return writeIn(db, batch, attempt, parts);
    });
    if (attempt.mark !== undefined) parts.stories.confirm(attempt.mark);
    return written;
  } catch (error) {
    // The connection broke, perhaps after the server had committed: whether it did is seen by what it stored.
    if (!isOutcomeUnknown(error) || attempt.result === undefined || !(await isStored(database, attempt.placed)))
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

async function writeIn(db: Db, batch: TextCommit, attempt: Attempt, parts: UnderLock): Promise<Written> {
  const { platform, at, events, cursor, upstream } = batch;
  if (upstream !== undefined) await commitUpstream(db, platform, at, upstream);
  const rules = await liveRules(db, events);
  // After the rules are locked: an erasure waits for the lock, or was done before it.
  const refusals = await refusalsAmong(db, platform, events);
  const candidates = candidatesOf(events, platform, rules).filter(
    ({ event, rule }) => !refusals.isRefused(event, rule.account),
  );
  const fresh = await claimNew(db, candidates, at);
  if (upstream !== undefined) await countReads(db, batch, fresh, rules);
  if (cursor !== undefined) await moveCursor(db, cursor, at);
  if (fresh.length > 0) {
    await noteCarriers(db, platform, at.getTime(), [...new Set(fresh.map(({ event }) => event))]);
    const prepared = await prepareMatches(db, platform, at, fresh);
    const counted = await countMatches(db, platform, fresh, at.getTime());
    attempt.placed = await placeUnderLock(db, batch, fresh, { prepared, counted, attempt, ...parts });
  }
  const latest = attempt.placed.at(-1)?.position ?? (await latestOf(db));
  attempt.result = { ...resultOf(events, candidates, attempt.placed, latest), refusals };
  return attempt.result;
}

interface Placing extends UnderLock {
  readonly prepared: Preparation;
  readonly counted: MatchCounts;
  readonly attempt: Attempt;
}

async function placeUnderLock(
  db: Db,
  { platform, at }: TextCommit,
  fresh: readonly Candidate[],
  { prepared, counted, attempt, lock, stories }: Placing,
): Promise<readonly Placed[]> {
  const asked = performance.now();
  const [state] = await db.rows<{ value: Position; mark: number }>(
    `SELECT value, mark FROM state WHERE name = 'latest' FOR UPDATE`,
  );
  lock.waits++;
  lock.seconds += (performance.now() - asked) / 1_000;
  const { value: latest, mark } = state!;
  const placed = placeFrom(fresh, nextPosition(latest, at.getTime()));
  const time = timeOf(placed.at(-1)!.position);
  await correctCounts(db, platform, counted, time);
  const late = time === counted.time ? [] : counted.rules;
  await storeMatches(db, platform, placed, prepared, late, async (matches) => {
    const told = await stories.tell(db, platform, matches, { mark, forced: storyOfEarlier(prepared) });
    attempt.mark = told.mark;
    return told;
  });
  return placed;
}

/** What an upstream delivered, and how far our engine agrees. */
async function countReads(
  db: Db,
  { platform, at }: TextCommit,
  fresh: readonly Candidate[],
  rules: ReadonlyMap<string, StoredRule>,
): Promise<void> {
  const byEvent = Map.groupBy(fresh, ({ event }) => event);
  const engineOnly = [...byEvent.keys()]
    .flatMap((event) => event.engineOnly ?? [])
    .flatMap((id) => rules.get(id)?.number ?? []);
  await countUsage(db, platform, at, [...byEvent.values()]);
  await countAgreement(db, platform, fresh, engineOnly);
}

function resultOf(
  events: readonly TextEvent[],
  candidates: readonly Candidate[],
  placed: readonly Placed[],
  latest: Position,
): Committed {
  const byEvent = Map.groupBy(placed, ({ event }) => event);
  const byAccount = Map.groupBy(placed, ({ rule }) => rule.account_id);
  const seen = new Set(candidates.map(({ event }) => event));
  return {
    added: placed.length,
    addedByEvent: events.map((event) => byEvent.get(event)?.length ?? 0),
    repeats: [...seen].filter((event) => !byEvent.has(event)).length,
    latest,
    accountIds: [...byAccount.keys()],
    addedByAccount: [...byAccount.values()].map((own) => own.length),
  };
}

/**
 * The rings of recent events, for previews. They are written after a commit, by one statement that the server runs to its
 * end: no node holds a lock on a ring between two statements, and a crash loses at most a commit's events for previews.
 */
export async function keepRecent(
  db: Db,
  platform: Platform,
  at: number,
  events: readonly RingEvent[],
  limits: RecentLimits,
): Promise<void> {
  if (events.length === 0 || limits.events === 0) return;
  const ring = createRingPacker();
  for (const event of events) ring.add(event);
  const rows = ring.rows();
  await db.run('SELECT keep_recent($1, $2, $3, $4, $5, $6, $7, $8)', [
    platform,
    at,
    rows.map(({ owner }) => owner),
    rows.map((row) => row.events),
    rows.map(({ bytes }) => bytes),
    rows.map((row) => textIn(row)),
    limits.events,
    limits.bytes,
  ]);
}
