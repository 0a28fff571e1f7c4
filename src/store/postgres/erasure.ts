/**
 * Erasing posts: their matches go at once, and a tombstone keeps them out. Every erasure takes the lock that commits share:
 * a commit that is under way ends first, and the next one sees the tombstone.
 */
import type { Clock } from '../../base/clock.ts';
import type { Platform } from '../../domain/platform.ts';
import { timeOf } from '../order.ts';
import { minuteOf } from '../rows/minutes.ts';
import { decodeText, encodeText } from '../rows/texts.ts';
import {
  announcedEnd,
  EVERY_ACCOUNT,
  eventText,
  NOTHING_ERASED,
  postText,
  tombstoneEnd,
  versionsOf,
} from '../rows/tombstones.ts';
import type { Erasure, ErasureStore, Position } from '../store.ts';
import type { Database, Db } from './connection.ts';
import { hideRecent, ownersOfRings } from './erased.ts';
import { changeMinutes } from './minutes.ts';
import { noteErasure } from './nodes.ts';
import { dropSamples } from './rehearsals.ts';
import { RULE_LOCK } from './schema.ts';
import { takeMatches } from './take-matches.ts';
import { addTombstones, refusalsAmong, tombstoneStore } from './tombstones.ts';

/** Events looked at in one transaction after a restore. */
const SLICE = 500;

interface Found {
  readonly position: Position;
  readonly account: number;
  readonly post_id: string;
}

export function erasureStore(database: Database, days: number, clock: Clock): ErasureStore {
  const erasing = <T>(work: (db: Db) => Promise<T>): Promise<T> =>
    database.transaction(async (db) => {
      await db.run('SELECT pg_advisory_xact_lock($1)', [RULE_LOCK]);
      return work(db);
    });
  const end = (): number => tombstoneEnd(clock.now(), days);
  return {
    ...tombstoneStore(database),
    deleteMatches: (accountId, platform, postId) =>
      erasing(async (db) => {
        const [account] = await db.rows<{ number: number }>('SELECT number FROM accounts WHERE id = $1', [accountId]);
        if (account === undefined) return 0;
        await addTombstones(db, account.number, [eventText(platform, postId)], end());
        await hideRecent(db, accountId, platform, postId);
        await dropSamples(db, platform, [encodeText(postId)], account.number);
        const found = await ofPosts(db, platform, [encodeText(postId)]);
        return (
          await erase(
            db,
            found.filter((one) => one.account === account.number),
          )
        ).matches;
      }),
    eraseEverywhere: (platform, postId) =>
      erasing(async (db) => {
        await addTombstones(db, EVERY_ACCOUNT, [eventText(platform, postId)], end());
        for (const owner of await ownersOfRings(db, platform)) await hideRecent(db, owner, platform, postId);
        await dropSamples(db, platform, [encodeText(postId)]);
        return erase(db, await ofPosts(db, platform, [encodeText(postId)]));
      }),
    async eraseAnnounced(platform, postIds, { onlyStored = false } = {}) {
      // Most of what a platform announces was never stored: it costs a look, and no lock that commits wait for.
      if (onlyStored && (await storedVersions(database, platform, postIds)).size === 0) return NOTHING_ERASED;
      return erasing(async (db) => {
        const versions = await storedVersions(db, platform, postIds);
        const text = (postId: string) => postText(platform, postId);
        const isStored = (postId: string) => versions.has(postId);
        await addTombstones(db, EVERY_ACCOUNT, postIds.filter(isStored).map(text), end());
        await addTombstones(
          db,
          EVERY_ACCOUNT,
          onlyStored ? [] : postIds.filter((postId) => !isStored(postId)).map(text),
          announcedEnd(clock.now()),
        );
        const stored = [...versions.values()].flat();
        await dropSamples(db, platform, stored);
        return erase(db, await ofPosts(db, platform, stored));
      });
    },
    applyTombstones: (from) => erasing((db) => applySlice(db, from)),
  };
}

async function applySlice(db: Db, from: number): Promise<{ erased: number; next: number | undefined }> {
  // The rings and samples may hold what was erased: previews begin anew.
  if (from === 0) await db.run('TRUNCATE recent, recent_totals, recent_erased, rehearsal_samples');
  const events = await db.rows<{ number: number; platform: Platform; post_id: string }>(
    `SELECT number, platform, post_id FROM events WHERE number >= $1 ORDER BY number LIMIT ${SLICE}`,
    [from],
  );
  let erased = 0;
  for (const [platform, slice] of Map.groupBy(events, (event) => event.platform)) {
    const refusals = await refusalsAmong(
      db,
      platform,
      slice.map(({ post_id }) => ({ postId: decodeText(post_id) })),
    );
    const found = await ofPosts(db, platform, [...new Set(slice.map(({ post_id }) => post_id))]);
    const refused = found.filter(({ post_id, account }) =>
      refusals.isRefused({ postId: decodeText(post_id) }, account),
    );
    erased += (await erase(db, refused)).matches;
  }
  const last = events.at(-1);
  return { erased, next: last === undefined ? undefined : last.number + 1 };
}

/** The encoded ids that are stored of each post: its own, and those of its versions. */
async function storedVersions(db: Db, platform: Platform, postIds: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await db.rows<{ post: string; post_id: string }>(
    `SELECT p.post, e.post_id FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS p (post, id, first, below)
     CROSS JOIN LATERAL (
       SELECT post_id FROM events WHERE platform = $1 AND post_id = p.id
       UNION SELECT post_id FROM events WHERE platform = $1 AND post_id >= p.first AND post_id < p.below
       UNION SELECT post_id FROM rehearsal_samples WHERE platform = $1 AND post_id = p.id
       UNION SELECT post_id FROM rehearsal_samples WHERE platform = $1 AND post_id >= p.first AND post_id < p.below
     ) e`,
    [
      platform,
      postIds.map(encodeText),
      postIds.map(encodeText),
      postIds.map((postId) => versionsOf(postId).from),
      postIds.map((postId) => versionsOf(postId).below),
    ],
  );
  return new Map(
    [...Map.groupBy(rows, ({ post }) => decodeText(post))].map(([post, found]) => [
      post,
      found.map(({ post_id }) => post_id),
    ]),
  );
}

const ofPosts = (db: Db, platform: Platform, encodedPostIds: readonly string[]): Promise<Found[]> =>
  db.rows<Found>(
    `SELECT m.position, abs(m.account) AS account, e.post_id FROM events e JOIN matches m ON m.event = e.number
     WHERE e.platform = $1 AND e.post_id = ANY($2)`,
    [platform, encodedPostIds],
  );

async function erase(db: Db, found: readonly Found[]): Promise<Erasure> {
  const matches = await takeMatches(db, found, { erase: true });
  const shown = matches.filter(({ deleted }) => deleted === 0);
  await changeMinutes(
    db,
    matches.map(({ position, ...match }) => ({ ...match, minute: minuteOf(timeOf(position)), matches: -1 })),
  );
  const accounts = await db.rows<{ id: string }>('SELECT id FROM accounts WHERE number = ANY($1)', [
    [...new Set(matches.map(({ account }) => account))],
  ]);
  const accountIds = accounts.map(({ id }) => id);
  await noteErasure(db, accountIds);
  return { matches: shown.length, accountIds };
}
