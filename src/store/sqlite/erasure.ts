/** The statements that find and remove erased posts and their matches on SQLite. */
import type { Platform } from '../../domain/platform.ts';
import type { StoredPosts } from '../nouns/erasure/erasure.ts';
import { versionsOf } from '../nouns/erasure/tombstones.ts';
import { decodeText } from '../rows/texts.ts';
import type { SqliteDb } from './db.ts';
import { EVENTS_OF_POST, KEYED_EVENTS, namesOf } from './event-names.ts';
import { type Doomed, doomedSql, removeMatches } from './remove-matches.ts';

/** By way of the event: an account may have millions of matches. */
const OF_POST = doomedSql(`(SELECT * FROM matches INDEXED BY matches_of_event
  WHERE event IN (${EVENTS_OF_POST}))`);

const STORED_VERSIONS = [
  `SELECT :post AS post_id WHERE EXISTS (SELECT 1 FROM ${KEYED_EVENTS})`,
  ...['event_posts', 'new_events', 'rehearsal_samples'].map(
    (table) => `SELECT post_id FROM ${table} WHERE platform = :platform AND post_id = :post
       UNION SELECT post_id FROM ${table} WHERE platform = :platform AND post_id >= :from AND post_id < :below`,
  ),
].join(' UNION ');

export const storedPosts = (db: SqliteDb): StoredPosts<Doomed> => ({
  async versions(_, platform, postIds) {
    const stored = postIds.map((postId) => [postId, versionsIn(db, platform, postId)] as const);
    return new Map(stored.filter(([, versions]) => versions.length > 0));
  },
  async matches(_, platform, encodedPostIds) {
    const found = encodedPostIds.flatMap((encoded) =>
      db.sql.rows<Doomed>(OF_POST, namesOf(platform, decodeText(encoded))),
    );
    // A post that is stored twice, pushed and seen by all accounts, may name its matches twice.
    return [...new Map(found.map((match) => [match.position, match])).values()];
  },
  async payloads(_, platform, postId) {
    const rows = db.sql.rows<{ payload: string }>(
      `SELECT payload FROM events WHERE number IN (${EVENTS_OF_POST})`,
      namesOf(platform, postId),
    );
    return rows.map(({ payload }) => payload);
  },
  async take(_, found) {
    await removeMatches(db, found, { erase: true });
    return found;
  },
});

const versionsIn = ({ sql }: SqliteDb, platform: Platform, postId: string): string[] =>
  sql
    .rows<{ post_id: string }>(STORED_VERSIONS, { ...namesOf(platform, postId), ...versionsOf(postId) })
    .map(({ post_id }) => post_id);
