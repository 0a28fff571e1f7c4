/**
 * Erasure that lasts: the matches of a post go at once, a tombstone keeps it out, and removal takes its text off the disk. A
 * tombstone is a digest of a platform and a post's id, with no text: it refuses the post whenever it comes again, for one account
 * or for all, until nothing could bring the post back. Every erasure takes the lock that commits share: a commit that is under way
 * ends first, and the next one sees the tombstone.
 */
import type { Clock } from '../../../base/clock.ts';
import type { Platform } from '../../../domain/platform.ts';
import type { Db } from '../../db.ts';
import { StoreError } from '../../error.ts';
import type { Position } from '../../order.ts';
import { accountNumber, lockRules } from '../../rows/locks.ts';
import { decodeText, encodeText } from '../../rows/texts.ts';
import { noteErasure } from '../nodes.ts';
import { eraseSamples } from '../rehearsals.ts';
import { carriedAmong } from './carriers.ts';
import { hideRecent, ringOwners } from './erased.ts';
import {
  type Erasing,
  type ErasureNote,
  type ErasureProgress,
  type ErasureStep,
  goOnErasing,
  keepErasure,
  sumOf,
  totalOf,
} from './erasing.ts';
import {
  announcedEnd,
  bury,
  buryTexts,
  EVERY_ACCOUNT,
  eventText,
  ownMarkOf,
  postText,
  ratedAmong,
  refusalsAmong,
  tombstoneEnd,
} from './tombstones.ts';

export interface ErasureStore {
  /**
   * Erases what the account holds of a post, and of what carries it, and refuses both from now on. Nothing that other accounts
   * see changes. Answers how many matches went. The text is off the disk after the next rounds of `removeSlice`.
   */
  deleteMatches(accountId: string, platform: Platform, postId: string, note?: ErasureNote): Promise<number>;
  /** Erases a post for all accounts; with `sameText` also posts with the same text under any id. Not scoped. */
  eraseEverywhere(platform: Platform, postId: string, note?: ErasureNote, sameText?: boolean): Promise<Erasure>;
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
  readonly note?: ErasureNote;
}

export interface Erasure {
  readonly matches: number;
  /** The accounts that lost matches. */
  readonly accountIds: readonly string[];
}

/** A match of a post that is to be erased. */
export interface FoundMatch {
  readonly position: Position;
  readonly account: number;
  readonly post_id: string;
}

/** The tables in which a database has posts and their matches. */
export interface StoredPosts<Found extends FoundMatch> {
  /** The encoded ids that are stored of each post: its own, and those of its versions. */
  versions(db: Db, platform: Platform, postIds: readonly string[]): Promise<Map<string, string[]>>;
  matches(db: Db, platform: Platform, encodedPostIds: readonly string[]): Promise<Found[]>;
  /** The stored payloads of a post. */
  payloads(db: Db, platform: Platform, postId: string): Promise<string[]>;
  /** Takes matches off the disk. Answers those that are gone by this call, each with its account. */
  take(db: Db, found: readonly Found[]): Promise<readonly { readonly account: number; readonly deleted: number }[]>;
}

interface Options<Found extends FoundMatch> {
  /** How long a tombstone lasts. */
  readonly days: number;
  readonly posts: StoredPosts<Found>;
  /** As in `RecentLimits`. */
  readonly mostErased?: number | undefined;
  /** Hears that the disk may hold what was erased. */
  readonly freed?: () => void;
}

/** Events looked at in one transaction after a restore. */
const SLICE = 500;

export function erasureWrites<Found extends FoundMatch>(db: Db, { days, posts, mostErased, freed }: Options<Found>) {
  const erasing = erasingOf({ days, posts });
  const locked = <T>(work: (tx: Db) => Promise<T>): Promise<T> => {
    freed?.();
    return db.transaction(async (tx) => {
      await lockRules(tx);
      return work(tx);
    });
  };
  /** The posts themselves go now; what carries them is kept to be done. */
  async function begin(tx: Db, of: Begun, now: Date): Promise<ErasureStep> {
    const { platform, account, encoded } = of;
    await eraseSamples(tx, platform, encoded, account === EVERY_ACCOUNT ? undefined : account);
    const counts = await erasing.take(tx, platform, encoded, account);
    const carried = await carriedAmong(tx, platform, encoded);
    const { encoded: _, ...kept } = of;
    const start = { posts: carried, place: 0, after: '', table: 0, walked: 0, counts };
    const number = await keepErasure(tx, { ...kept, ...start, marks: of.marks ?? [] }, now);
    return { counts, number };
  }
  return {
    deleteMatchesAt: (
      accountId: string,
      platform: Platform,
      postId: string,
      note: ErasureNote | undefined,
      now: Date,
    ): Promise<ErasureStep> =>
      locked(async (tx) => {
        const account = await accountNumber(tx, accountId);
        if (account === undefined) return { counts: {}, number: undefined };
        await bury(tx, account, [eventText(platform, postId)], tombstoneEnd(now, days));
        await hideRecent(tx, [accountId, platform], postId, mostErased);
        return begin(tx, { scope: 'account', platform, account, note, encoded: [encodeText(postId)] }, now);
      }),
    eraseEverywhereAt: (
      platform: Platform,
      postId: string,
      note: ErasureNote | undefined,
      sameText: boolean,
      now: Date,
    ): Promise<ErasureStep> =>
      locked(async (tx) => {
        const marks = sameText ? await ownMarks(tx, posts, platform, postId) : [];
        await buryTexts(tx, marks, tombstoneEnd(now, days));
        await bury(tx, EVERY_ACCOUNT, [eventText(platform, postId)], tombstoneEnd(now, days));
        for (const owner of await ringOwners(tx, platform)) await hideRecent(tx, [owner, platform], postId, mostErased);
        const encoded = [encodeText(postId)];
        return begin(tx, { scope: 'all_accounts', platform, account: EVERY_ACCOUNT, note, encoded, marks }, now);
      }),
    async eraseAnnouncedAt(
      platform: Platform,
      postIds: readonly string[],
      { onlyStored = false, note }: AnnouncedOptions,
      now: Date,
    ): Promise<ErasureStep> {
      // Most of what a platform announces was never stored: it costs a look, and no lock that commits wait for.
      if (onlyStored && (await storedAmong(db, posts, platform, postIds)).stored.length === 0)
        return { counts: {}, number: undefined };
      return locked(async (tx) => {
        const { stored, versions } = await storedAmong(tx, posts, platform, postIds);
        const unknown = onlyStored ? [] : postIds.filter((postId) => !stored.includes(postId));
        const texts = (ids: readonly string[]) => ids.map((postId) => postText(platform, postId));
        await bury(tx, EVERY_ACCOUNT, texts(stored), tombstoneEnd(now, days));
        await bury(tx, EVERY_ACCOUNT, texts(unknown), announcedEnd(now));
        const encoded = [...new Set([...versions, ...stored.map(encodeText)])];
        return begin(tx, { scope: 'announced', platform, account: EVERY_ACCOUNT, note, encoded }, now);
      });
    },
    goOnErasingAt: (number: number, now: Date) => locked((tx) => goOnErasing(tx, erasing, number, now)),
    applyTombstones: (from: number) => locked((tx) => applySlice(tx, posts, from)),
  };
}

type Begun = Pick<ErasureProgress, 'scope' | 'platform' | 'account' | 'note'> & {
  readonly encoded: readonly string[];
  readonly marks?: readonly string[];
};

/** The marks of a post's text, in each form in which it is stored. */
async function ownMarks<Found extends FoundMatch>(
  db: Db,
  posts: StoredPosts<Found>,
  platform: Platform,
  postId: string,
): Promise<string[]> {
  const { textKey } = db;
  if (textKey === undefined) throw new StoreError('defect', 'This store has no key for erased texts.');
  const payloads = await posts.payloads(db, platform, postId);
  return [...new Set(payloads.flatMap((payload) => ownMarkOf(platform, payload, textKey) ?? []))];
}

/** The steps of an erasure that run inside its transactions. */
export const erasingOf = <Found extends FoundMatch>({ days, posts }: Omit<Options<Found>, 'freed'>): Erasing => ({
  days,
  async take(db, platform, encoded, account) {
    const found = await posts.matches(db, platform, encoded);
    return erase(db, posts, account === EVERY_ACCOUNT ? found : found.filter((one) => one.account === account));
  },
});

/** Which of these posts are stored, carried or rated, and the encoded ids of their versions. */
async function storedAmong<Found extends FoundMatch>(
  db: Db,
  posts: StoredPosts<Found>,
  platform: Platform,
  postIds: readonly string[],
): Promise<{ stored: string[]; versions: string[] }> {
  const versions = await posts.versions(db, platform, postIds);
  const carried = new Set(await carriedAmong(db, platform, postIds.map(encodeText)));
  const rated = new Set(await ratedAmong(db, platform, postIds));
  return {
    stored: postIds.filter((postId) => versions.has(postId) || carried.has(encodeText(postId)) || rated.has(postId)),
    versions: [...versions.values()].flat(),
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
  const events = await db.rows<{ number: number; platform: Platform; post_id: string; payload: string }>(
    `SELECT number, platform, post_id, payload FROM events WHERE number >= $1 ORDER BY number LIMIT ${SLICE}`,
    [from],
  );
  let erased = 0;
  for (const [platform, slice] of Map.groupBy(events, (event) => event.platform)) {
    const encoded = [...new Set(slice.map(({ post_id }) => post_id))];
    const named = slice.map(({ post_id, payload }) => ({ postId: decodeText(post_id), payload }));
    const refusals = await refusalsAmong(db, platform, named);
    const found = await posts.matches(db, platform, encoded);
    const refused = found.filter(({ post_id, account }) =>
      refusals.isRefused({ postId: decodeText(post_id) }, account),
    );
    erased += totalOf(await erase(db, posts, refused));
  }
  const last = events.at(-1);
  return { erased, next: last === undefined ? undefined : last.number + 1 };
}

async function erase<Found extends FoundMatch>(
  db: Db,
  posts: StoredPosts<Found>,
  found: readonly Found[],
): Promise<ErasureStep['counts']> {
  const matches = await posts.take(db, found);
  const accounts = await db.rows<{ id: string; number: number }>(
    'SELECT id, number FROM accounts WHERE number = ANY($1)',
    [[...new Set(matches.map(({ account }) => account))]],
  );
  await noteErasure(
    db,
    accounts.map(({ id }) => id),
  );
  const shown = matches.filter(({ deleted }) => deleted === 0);
  return Object.fromEntries(
    accounts.map(({ id, number }) => [id, shown.filter(({ account }) => account === number).length]),
  );
}

type Timed = Pick<
  ReturnType<typeof erasureWrites>,
  'deleteMatchesAt' | 'eraseEverywhereAt' | 'eraseAnnouncedAt' | 'goOnErasingAt' | 'applyTombstones'
>;

/** The time is asked for where the caller is. Between two slices others write. */
export function erasureStore(writes: Timed, clock: Clock): ErasureStore {
  async function toTheEnd(first: ErasureStep): Promise<Erasure> {
    let [counts, step]: [ErasureStep['counts'], ErasureStep | undefined] = [first.counts, first];
    while (step?.number !== undefined) {
      step = await writes.goOnErasingAt(step.number, clock.now());
      counts = sumOf(counts, step?.counts ?? {});
    }
    return { matches: totalOf(counts), accountIds: Object.keys(counts) };
  }
  return {
    deleteMatches: async (accountId, platform, postId, note) =>
      (await toTheEnd(await writes.deleteMatchesAt(accountId, platform, postId, note, clock.now()))).matches,
    eraseEverywhere: async (platform, postId, note, sameText = false) =>
      toTheEnd(await writes.eraseEverywhereAt(platform, postId, note, sameText, clock.now())),
    eraseAnnounced: async (platform, postIds, options = {}) =>
      toTheEnd(await writes.eraseAnnouncedAt(platform, postIds, options, clock.now())),
    applyTombstones: writes.applyTombstones,
  };
}
