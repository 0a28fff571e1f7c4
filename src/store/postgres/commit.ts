/**
 * The one transaction of the hot path. Whatever the number of events, it is a fixed number of statements over arrays, in two
 * round trips: the first takes turns and reads, the second writes and commits.
 *
 * Commits of all nodes give out positions one after the other, under the lock on `latest`: so positions grow in the order in
 * which they become visible, and no reader ever passes one that is still to come. The lock is taken within the second round trip,
 * and goes with its end: this program does nothing while it has it. A commit without a new match does not take it. What needs
 * positions is made ready with those that are next when it reads; the server moves them on if others have taken them since.
 *
 * The rings of recent events and the notice to other nodes come after the commit, and are not waited for.
 */
import { createNamedLocks } from '../../base/named-lock.ts';
import type { Db } from '../db.ts';
import { type Commit, type Committed, moveCursor, type TextEvent } from '../nouns/commits.ts';
import { noteCarriers } from '../nouns/erasure/carriers.ts';
import { type Refusals, refusalsAmong, type SeenTombstones } from '../nouns/erasure/tombstones.ts';
import { latestOf } from '../nouns/matches.ts';
import type { MatchSpan } from '../nouns/nodes.ts';
import type { RecentLimits } from '../nouns/recent.ts';
import { commitUpstream } from '../nouns/upstreams.ts';
import { countAgreement, countUsage } from '../nouns/usage.ts';
import { nextPosition, type Position, timeOf } from '../order.ts';
import { madeInTurns, type TextCommit, textCommit } from '../rows/commit.ts';
import { createNotices, createRings } from './after-commit.ts';
import {
  type Candidate,
  candidatesOf,
  claimKeys,
  countMatches,
  liveRules,
  type Placed,
  type Possible,
  placeFrom,
  possibleMatches,
  ruleIdsOf,
  type StoredRule,
  storedKeys,
} from './candidates.ts';
import type { Database } from './connection.ts';
import { isOutcomeUnknown } from './failures.ts';
import type { Partitions } from './partitions.ts';
import {
  type CommitPlace,
  numbered,
  type Preparation,
  prepareMatches,
  storeMatches,
  storyOfEarlier,
  toldMatch,
} from './store-matches.ts';
import { keepBooks, type StoryTeller, storyTeller } from './story-writes.ts';

interface Options {
  readonly partitions: Partitions;
  readonly recent: RecentLimits;
  /** Whether other nodes hear of commits from the database. Else somebody else tells them. */
  readonly notify: boolean;
}

export interface LockWaits {
  waits: number;
  seconds: number;
}

/** The commits of a process. */
export interface Commits {
  commit(batch: Commit): Promise<Committed>;
  /** Resolves when the recent events of the commits until now can be read. */
  recentKept(): Promise<void>;
  /** Waits for the lock on `latest`, counted. */
  readonly lock: LockWaits;
  /** Does what is left to do after commits. */
  close(): Promise<void>;
}

/** The state that the commits of a process share. */
interface Shared {
  readonly stories: StoryTeller;
  readonly tombstones: SeenTombstones;
  readonly lock: LockWaits;
}

/** The books of stories are those of one commit at a time. */
const MATCHES = 'matches';

export function createCommits(database: Database, { partitions, recent, notify }: Options): Commits {
  const shared = { stories: storyTeller(), tombstones: {}, lock: { waits: 0, seconds: 0 } };
  const turns = createNamedLocks();
  const rings = createRings(database, recent);
  const notices = createNotices(database);
  return {
    async commit(batch) {
      const text = await madeInTurns(textCommit(batch));
      await partitions.ready(batch.at.getTime());
      const hasMatches = text.events.some(({ matches }) => matches.length > 0);
      const result = hasMatches
        ? await turns.run(MATCHES, () => write(database, { ...text, possible: possibleMatches(text) }, shared))
        : await writeWithoutMatches(database, text);
      const { platform, at, events } = text;
      if (events.length > 0 && recent.events > 0) rings.add({ platform, at: at.getTime(), events });
      if (notify && result.added > 0) notices.add({ accountIds: result.accountIds, spans: spansOf(result) });
      return result;
    },
    recentKept: rings.done,
    lock: shared.lock,
    async close() {
      await Promise.all([rings.done(), notices.done()]);
    },
  };
}

/** The data that a transaction was about to commit, should its connection break. */
interface Attempt {
  /** Its number at the server. */
  transaction?: string;
  /** The accounts whose books it may have changed. */
  accounts?: readonly number[];
  result?: Omit<Committed, 'latest' | 'before'>;
}

/** With the keys of its matches: what is made before the transaction does not make it longer. */
interface KeyedCommit extends TextCommit {
  readonly possible: readonly Possible[];
}

async function write(database: Database, batch: KeyedCommit, shared: Shared): Promise<Committed> {
  let attempt: Attempt = {};
  try {
    return await database.pipelined((db, commit) => {
      shared.stories.forget(attempt.accounts ?? []);
      attempt = {};
      return writeIn(db, commit, batch, attempt, shared);
    });
  } catch (error) {
    shared.stories.forget(attempt.accounts ?? []);
    // The connection broke, perhaps after the server had committed: the server knows whether it did.
    const { transaction, result } = attempt;
    if (!isOutcomeUnknown(error) || transaction === undefined || result === undefined) throw error;
    const row = await database.row<{ status: string | null }>('SELECT pg_xact_status($1::xid8) AS status', [
      transaction,
    ]);
    if (row?.status !== 'committed') throw error;
    // The place of the commit is not known: other nodes find it when they look for news.
    return { ...result, latest: await latestOf(database) };
  }
}

/** Without a match there is nothing to store but a cursor, and what an upstream says: one round trip. */
async function writeWithoutMatches(database: Database, batch: TextCommit): Promise<Committed> {
  const { platform, at, events, cursor, upstream } = batch;
  const result = resultOf(events, [], []);
  if (cursor === undefined && upstream === undefined) return { ...result, latest: await latestOf(database) };
  return database.pipelined(async (db, commit) => {
    if (upstream !== undefined) await commitUpstream(db, platform, at, upstream);
    const [latest] = await Promise.all([latestOf(db), cursor && moveCursor(db, cursor, at), commit()]);
    return { ...result, latest };
  });
}

const spansOf = ({ before, latest }: Committed): MatchSpan[] => (before === undefined ? [] : [{ before, latest }]);

/** The answers of the first round trip. */
interface Found extends Preparation {
  readonly rules: ReadonlyMap<string, StoredRule>;
  readonly refusals: Refusals;
  readonly stored: ReadonlySet<string>;
  readonly latest: Position;
  readonly transaction: string;
}

/** In this order: turns first, after them what they protect, and the newest position last, so that it is after all that was read. */
async function look(db: Db, { platform, at, events, possible }: KeyedCommit, shared: Shared): Promise<Found> {
  const matched = events.filter(({ matches }) => matches.length > 0);
  const ruleIds = ruleIdsOf(events);
  const live = liveRules(db, ruleIds);
  const news = shared.stories.ask(db, ruleIds);
  const [rules, refusals, prepared, stored, state] = await Promise.all([
    live,
    // After the rules are locked: an erasure waits for the lock, or was done before it.
    refusalsAmong(db, platform, matched, shared.tombstones),
    prepareMatches(db, platform, at, matched, ruleIds),
    storedKeys(db, possible),
    db.row<{ value: Position; transaction: string }>(
      `SELECT value, pg_current_xact_id()::text AS transaction FROM state WHERE name = 'latest'`,
    ),
    news.asked,
  ]);
  await news.read(rules.values());
  return { ...prepared, rules, refusals, stored, latest: state!.value, transaction: state!.transaction };
}

async function writeIn(
  db: Db,
  commit: () => Promise<void>,
  batch: KeyedCommit,
  attempt: Attempt,
  shared: Shared,
): Promise<Committed> {
  const { platform, at, events, upstream } = batch;
  if (upstream !== undefined) await commitUpstream(db, platform, at, upstream);
  const found = await look(db, batch, shared);
  const { rules, refusals, stored, latest, transaction } = found;
  const candidates = candidatesOf(batch.possible, rules).filter(
    ({ event, rule }) => !refusals.isRefused(event, rule.account),
  );
  const fresh = candidates.filter(({ key }) => !stored.has(key));
  const result = resultOf(events, candidates, fresh);
  Object.assign(attempt, { transaction, result, accounts: fresh.map(({ rule }) => rule.account) });
  const cursor = batch.cursor && moveCursor(db, batch.cursor, at);
  const counted = upstream && countReads(db, batch, fresh, rules);
  if (fresh.length === 0) {
    await Promise.all([cursor, counted, commit()]);
    return { ...result, latest };
  }
  const placed = placeFrom(fresh, nextPosition(latest, at.getTime()));
  const [place] = await Promise.all([writeMatches(db, commit, batch, placed, { found, shared }), cursor, counted]);
  return { ...result, latest: placed.at(-1)!.position + place.shift, before: place.before };
}

/** The second round trip. All of it is asked for before anything is awaited. */
async function writeMatches(
  db: Db,
  commit: () => Promise<void>,
  { platform, at }: TextCommit,
  placed: readonly Placed[],
  { found, shared }: { readonly found: Found; readonly shared: Shared },
): Promise<CommitPlace> {
  const numbers = numbered(placed, found);
  const matches = placed.map((match) => toldMatch(match, numbers.events));
  const told = shared.stories.tell(platform, matches, storyOfEarlier(found));
  const unplaced = Promise.all([
    claimKeys(db, placed, at),
    noteCarriers(db, platform, at.getTime(), [...new Set(placed.map(({ event }) => event))]),
    countMatches(db, platform, placed, timeOf(placed.at(-1)!.position)),
    keepBooks(db, told.books),
  ]);
  const locked = lockLatest(db, unplaced, shared.lock);
  const storing = storeMatches(db, platform, found, { placed, numbers, told });
  const [place] = await Promise.all([storing, unplaced, locked, commit()]);
  told.stored(place.shift);
  return place;
}

/** How long the server waited is seen by when it answered what stands before the lock. */
async function lockLatest(db: Db, unplaced: Promise<unknown>, lock: LockWaits): Promise<void> {
  const locked = db.run(`SELECT 1 FROM state WHERE name = 'latest' FOR UPDATE`);
  locked.catch(() => {});
  await unplaced;
  const asked = performance.now();
  await locked;
  lock.waits++;
  lock.seconds += (performance.now() - asked) / 1_000;
}

/** Counts what an upstream delivered, and how far our engine agrees. */
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
  await Promise.all([
    countUsage(db, platform, at, [...byEvent.values()]),
    countAgreement(db, platform, fresh, engineOnly),
  ]);
}

function resultOf(
  events: readonly TextEvent[],
  candidates: readonly Candidate[],
  fresh: readonly Candidate[],
): Omit<Committed, 'latest' | 'before'> {
  const byEvent = Map.groupBy(fresh, ({ event }) => event);
  const byAccount = Map.groupBy(fresh, ({ rule }) => rule.account_id);
  const seen = new Set(candidates.map(({ event }) => event));
  return {
    added: fresh.length,
    addedByEvent: events.map((event) => byEvent.get(event)?.length ?? 0),
    repeats: [...seen].filter((event) => !byEvent.has(event)).length,
    accountIds: [...byAccount.keys()],
    addedByAccount: [...byAccount.values()].map((own) => own.length),
  };
}
