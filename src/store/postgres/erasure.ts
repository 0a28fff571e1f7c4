/** The statements that find and remove erased posts and their matches on PostgreSQL. */
import type { FoundMatch, StoredPosts } from '../nouns/erasure/erasure.ts';
import { versionsOf } from '../nouns/erasure/tombstones.ts';
import { minuteOf, takeCounts } from '../nouns/minutes.ts';
import { timeOf } from '../order.ts';
import { decodeText, encodeText } from '../rows/texts.ts';
import { takeMatches } from './take-matches.ts';

export const storedPosts: StoredPosts<FoundMatch> = {
  async versions(db, platform, postIds) {
    const rows = await db.rows<{ post: string; post_id: string }>(
      `SELECT p.post, e.post_id FROM unnest($2::text[], $3::text[], $4::text[]) AS p (post, first, below)
       CROSS JOIN LATERAL (
         SELECT post_id FROM events WHERE platform = $1 AND post_id = p.post
         UNION SELECT post_id FROM events WHERE platform = $1 AND post_id >= p.first AND post_id < p.below
         UNION SELECT post_id FROM rehearsal_samples WHERE platform = $1 AND post_id = p.post
         UNION SELECT post_id FROM rehearsal_samples WHERE platform = $1 AND post_id >= p.first AND post_id < p.below
       ) e`,
      [
        platform,
        postIds.map(encodeText),
        postIds.map((postId) => versionsOf(postId).from),
        postIds.map((postId) => versionsOf(postId).below),
      ],
    );
    const byPost = Map.groupBy(rows, ({ post }) => decodeText(post));
    return new Map([...byPost].map(([post, found]) => [post, found.map(({ post_id }) => post_id)]));
  },
  matches: (db, platform, encodedPostIds) =>
    db.rows<FoundMatch>(
      `SELECT m.position, abs(m.account) AS account, e.post_id FROM events e JOIN matches m ON m.event = e.number
       WHERE e.platform = $1 AND e.post_id = ANY($2)`,
      [platform, encodedPostIds],
    ),
  async payloads(db, platform, postId) {
    const rows = await db.rows<{ payload: string }>('SELECT payload FROM events WHERE platform = $1 AND post_id = $2', [
      platform,
      encodeText(postId),
    ]);
    return rows.map(({ payload }) => payload);
  },
  async take(db, found) {
    const matches = await takeMatches(db, found, { erase: true });
    await takeCounts(
      db,
      matches.map(({ position, ...match }) => ({ ...match, minute: minuteOf(timeOf(position)), matches: -1 })),
    );
    return matches;
  },
};
