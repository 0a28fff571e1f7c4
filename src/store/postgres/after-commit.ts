/** Work after a commit that nobody waits for: the rings of recent events, and the notice that other nodes hear. */
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Db } from '../db.ts';
import { refusalsAmong, type SeenTombstones } from '../nouns/erasure/tombstones.ts';
import { type MatchNews, tellOfMatches } from '../nouns/nodes.ts';
import type { RecentLimits, RingEvent } from '../nouns/recent.ts';
import { shareRules } from '../rows/locks.ts';
import { createRingPacker, textIn } from '../rows/packed-ring.ts';
import type { Database } from './connection.ts';

/** One piece of work after another, each with all that came while the one before was done. */
interface Behind<T> {
  add(one: T): void;
  /** Resolves when all that was added until now is done. */
  done(): Promise<void>;
}

interface Pace {
  /** The most items that wait. The oldest beyond it are left out. */
  readonly most: number;
  /** Milliseconds between two pieces of work, unless somebody waits for what is done. */
  readonly apart: number;
  readonly clock?: Pick<Clock, 'sleep'>;
}

export function workBehind<T>(
  { most, apart, clock = systemClock }: Pace,
  work: (all: readonly T[]) => Promise<void>,
): Behind<T> {
  let waiting: T[] = [];
  let isWorking = false;
  // One that was left out is settled too.
  let [awaited, added, settled] = [0, 0, 0];
  let [piece, resting] = [Promise.withResolvers<void>(), new AbortController()];
  async function workAll(): Promise<void> {
    isWorking = true;
    while (waiting.length > 0) {
      const all = waiting;
      waiting = [];
      // Nobody waits for it, and nothing rests on it: the commit is durable.
      await work(all).catch(() => {});
      settled = added - waiting.length;
      piece.resolve();
      [piece, resting] = [Promise.withResolvers(), new AbortController()];
      if (awaited === 0) await clock.sleep(apart, resting.signal);
    }
    isWorking = false;
  }
  return {
    add(one) {
      added++;
      waiting.push(one);
      if (waiting.length > most) waiting.shift();
      if (!isWorking) void workAll();
    },
    async done() {
      const last = added;
      awaited++;
      resting.abort('awaited');
      // Under load something always waits: what comes later is not waited for.
      while (settled < last) await piece.promise;
      awaited--;
    },
  };
}

/** Commits whose events wait for the ring: each has 4 MiB of them at most. */
const MAX_COMMITS_BEHIND = 16;
/** Milliseconds between two writes of a node to the rings: what several commits brought is written at once. */
const RING_MS = 100;
const MAX_NOTICES_BEHIND = 1_000;

interface Kept {
  readonly platform: Platform;
  readonly at: number;
  readonly events: readonly RingEvent[];
}

/**
 * The rings of recent events, for previews. Their transaction waits for no disk: a process that is killed loses the events of the
 * commits that it had not written to the ring, and a server that crashes those of its last half a second. What was erased since its
 * commit stays out, and nothing is erased meanwhile.
 */
export function createRings(database: Database, limits: RecentLimits): Behind<Kept> {
  const tombstones: SeenTombstones = {};
  const keep = (platform: Platform, at: number, events: readonly RingEvent[]): Promise<void> =>
    database.pipelined(async (db, commit) => {
      const [, refusals] = await Promise.all([shareRules(db), refusalsAmong(db, platform, events, tombstones)]);
      const kept = events.filter((event) => !refusals.isKeptOut(event));
      await Promise.all([keepRecent(db, platform, at, kept, limits), commit()]);
    });
  return workBehind({ most: MAX_COMMITS_BEHIND, apart: RING_MS }, async (all) => {
    for (const [platform, own] of Map.groupBy(all, (one) => one.platform)) {
      const events = own.flatMap((one) => one.events).slice(-limits.events);
      await keep(platform, own.at(-1)!.at, events);
    }
  });
}

/** One statement, which the server runs to its end: no node holds the lock on a ring between two statements. */
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
  await db.run(
    `SELECT keep_recent($1, $2, $3, $4, $5, $6, $7, $8) FROM set_config('synchronous_commit', 'off', true)`,
    [
      platform,
      at,
      rows.map(({ owner }) => owner),
      rows.map((row) => row.events),
      rows.map(({ bytes }) => bytes),
      rows.map((row) => textIn(row)),
      limits.events,
      limits.bytes,
    ],
  );
}

/** Milliseconds between two notices of a node. */
const NOTICE_MS = 10;

/** The notices of a node: the first at once, then one in ten milliseconds. One that is lost is made good by those who look for news. */
export const createNotices = (db: Db): Behind<MatchNews> =>
  workBehind({ most: MAX_NOTICES_BEHIND, apart: NOTICE_MS }, async (all) => {
    await tellOfMatches(db, {
      accountIds: [...new Set(all.flatMap(({ accountIds }) => accountIds))],
      spans: all.flatMap(({ spans }) => spans),
    });
  });
