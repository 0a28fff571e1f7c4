/**
 * Erasure that lasts: the matches of a post go at once, a tombstone keeps it out, and removal takes its text off the disk. A
 * tombstone is a digest of a platform and a post's id, with no text: it refuses the post whenever it comes again, for one account
 * or for all, until nothing could bring the post back. Every erasure takes the lock that commits share: a commit that is under way
 * ends first, and the next one sees the tombstone.
 */
import type { Clock } from '../../base/clock.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Db } from '../db.ts';
import type { Position } from '../order.ts';
import { accountNumber, lockRules } from '../rows/locks.ts';
import { decodeText, encodeText } from '../rows/texts.ts';
import { hideRecent, ringOwners } from './erased.ts';
import { noteErasure } from './nodes.ts';
import { eraseSamples } from './rehearsals.ts';
import { announcedEnd, bury, EVERY_ACCOUNT, eventText, postText, refusalsAmong, tombstoneEnd } from './tombstones.ts';

export interface ErasureStore {
  /**
   * Erases what the account holds of a post, and refuses the post from now on. Nothing that other accounts see changes.
   * Answers how many matches went. The text is off the disk after the next rounds of `removeSlice`.
   */
  deleteMatches(accountId: string, platform: Platform, postId: string): Promise<number>;
  /** The same for all accounts. Not scoped. */
  eraseEverywhere(platform: Platform, postId: string): Promise<Erasure>;
  /**
   * Posts that their platform announced to be deleted, with all their versions, whose ids go on with a slash. A post that
   * is not stored here is refused for the few days in which a source may bring it again. Not scoped.
   */
  eraseAnnounced(platform: Platform, postIds: readonly string[], options?: AnnouncedOptions): Promise<Erasure>;
  /**
   * Erases what is stored although a tombstone refuses it, in a restored backup: looks at a slice of the events from a
   * number on, and answers where the next slice begins; undefined at the end. Not scoped.
   */
  applyTombstones(from: number): Promise<{ erased: number; next: number | undefined }>;
}

export interface AnnouncedOptions {
  /** Posts that are not stored here are not refused: their platform announces all its deletions, and brings none of them again. */
  readonly onlyStored?: boolean;
}

export interface Erasure {
  readonly matches: number;
  /** Whose matches went. */
  readonly accountIds: readonly string[];
}

/** A match of a post that is to be erased. */
export interface FoundMatch {
  readonly position: Position;
  readonly account: number;
  readonly post_id: string;
}

/** Where a database has posts and their matches. */
export interface StoredPosts<Found extends FoundMatch> {
  /** The encoded ids that are stored of each post: its own, and those of its versions. */
  versions(db: Db, platform: Platform, postIds: readonly string[]): Promise<Map<string, string[]>>;
  matches(db: Db, platform: Platform, encodedPostIds: readonly string[]): Promise<Found[]>;
  /** Takes matches off the disk. Answers those that are gone by this call, each with its account. */
  take(db: Db, found: readonly Found[]): Promise<readonly { readonly account: number; readonly deleted: number }[]>;
}

interface Options<Found extends FoundMatch> {
  /** How long a tombstone lasts. */
  readonly days: number;
  readonly posts: StoredPosts<Found>;
  /** Hears that the disk may hold what was erased. */
  readonly freed?: () => void;
}

const NOTHING_ERASED: Erasure = { matches: 0, accountIds: [] };
/** Events looked at in one transaction after a restore. */
const SLICE = 500;

export function erasureWrites<Found extends FoundMatch>(db: Db, { days, posts, freed }: Options<Found>) {
  const erasing = <T>(work: (tx: Db) => Promise<T>): Promise<T> => {
    freed?.();
    return db.transaction(async (tx) => {
      await lockRules(tx);
      return work(tx);
    });
  };
  return {
    deleteMatchesAt: (accountId: string, platform: Platform, postId: string, now: Date): Promise<number> =>
      erasing(async (tx) => {
        const account = await accountNumber(tx, accountId);
        if (account === undefined) return 0;
        await bury(tx, account, [eventText(platform, postId)], tombstoneEnd(now, days));
        await hideRecent(tx, accountId, platform, postId);
        await eraseSamples(tx, platform, [encodeText(postId)], account);
        const found = await posts.matches(tx, platform, [encodeText(postId)]);
        const own = found.filter((one) => one.account === account);
        return (await erase(tx, posts, own)).matches;
      }),
    eraseEverywhereAt: (platform: Platform, postId: string, now: Date): Promise<Erasure> =>
      erasing(async (tx) => {
        await bury(tx, EVERY_ACCOUNT, [eventText(platform, postId)], tombstoneEnd(now, days));
        for (const owner of await ringOwners(tx, platform)) await hideRecent(tx, owner, platform, postId);
        await eraseSamples(tx, platform, [encodeText(postId)]);
        return erase(tx, posts, await posts.matches(tx, platform, [encodeText(postId)]));
      }),
    async eraseAnnouncedAt(
      platform: Platform,
      postIds: readonly string[],
      { onlyStored = false }: AnnouncedOptions,
      now: Date,
    ): Promise<Erasure> {
      // Most of what a platform announces was never stored: it costs a look, and no lock that commits wait for.
      if (onlyStored && (await posts.versions(db, platform, postIds)).size === 0) return NOTHING_ERASED;
      return erasing(async (tx) => {
        const versions = await posts.versions(tx, platform, postIds);
        const [stored, unknown] = [true, false].map((isStored) =>
          postIds.filter((postId) => versions.has(postId) === isStored).map((postId) => postText(platform, postId)),
        );
        await bury(tx, EVERY_ACCOUNT, stored!, tombstoneEnd(now, days));
        if (!onlyStored) await bury(tx, EVERY_ACCOUNT, unknown!, announcedEnd(now));
        const encoded = [...versions.values()].flat();
        await eraseSamples(tx, platform, encoded);
        return erase(tx, posts, await posts.matches(tx, platform, encoded));
      });
    },
    applyTombstones: (from: number) => erasing((tx) => applySlice(tx, posts, from)),
  };
}

async function applySlice<Found extends FoundMatch>(
  db: Db,
  posts: StoredPosts<Found>,
  from: number,
): Promise<{ erased: number; next: number | undefined }> {
  // The rings and samples of a restored database may hold what was erased: previews begin anew.
  if (from === 0)
    for (const table of ['recent', 'recent_totals', 'recent_erased', 'rehearsal_samples'])
      await db.run(`DELETE FROM ${table}`);
  const events = await db.rows<{ number: number; platform: Platform; post_id: string }>(
    `SELECT number, platform, post_id FROM events WHERE number >= $1 ORDER BY number LIMIT ${SLICE}`,
    [from],
  );
  let erased = 0;
  for (const [platform, slice] of Map.groupBy(events, (event) => event.platform)) {
    const encoded = [...new Set(slice.map(({ post_id }) => post_id))];
    const named = encoded.map((postId) => ({ postId: decodeText(postId) }));
    const refusals = await refusalsAmong(db, platform, named);
    const found = await posts.matches(db, platform, encoded);
    const refused = found.filter(({ post_id, account }) =>
      refusals.isRefused({ postId: decodeText(post_id) }, account),
    );
    erased += (await erase(db, posts, refused)).matches;
  }
  const last = events.at(-1);
  return { erased, next: last === undefined ? undefined : last.number + 1 };
}

async function erase<Found extends FoundMatch>(
  db: Db,
  posts: StoredPosts<Found>,
  found: readonly Found[],
): Promise<Erasure> {
  const matches = await posts.take(db, found);
  const accounts = await db.rows<{ id: string }>('SELECT id FROM accounts WHERE number = ANY($1)', [
    [...new Set(matches.map(({ account }) => account))],
  ]);
  const accountIds = accounts.map(({ id }) => id);
  await noteErasure(db, accountIds);
  return { matches: matches.filter(({ deleted }) => deleted === 0).length, accountIds };
}

type Timed = ReturnType<typeof erasureWrites>;

/** The time is asked for where the caller is. */
export const erasureStore = (writes: Timed, clock: Clock): ErasureStore => ({
  deleteMatches: (accountId, platform, postId) => writes.deleteMatchesAt(accountId, platform, postId, clock.now()),
  eraseEverywhere: (platform, postId) => writes.eraseEverywhereAt(platform, postId, clock.now()),
  eraseAnnounced: (platform, postIds, options = {}) => writes.eraseAnnouncedAt(platform, postIds, options, clock.now()),
  applyTombstones: writes.applyTombstones,
});
