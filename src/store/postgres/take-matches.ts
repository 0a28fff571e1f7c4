/** Takes matches off the disk, with what is owed of them and their keys, and their events with the last of them. */
import type { Platform } from '../../domain/platform.ts';
import type { Db } from '../db.ts';
import { noteColdMatchesGone } from '../nouns/cold/cold-objects.ts';
import type { FoundMatch, StoredPosts } from '../nouns/erasure/erasure.ts';
import { versionsOf } from '../nouns/erasure/tombstones.ts';
import { forgetJudgements } from '../nouns/judging/judgements.ts';
import { minuteOf, takeCounts } from '../nouns/minutes.ts';
import { forgetOwed } from '../nouns/owed.ts';
import { forgetRatings } from '../nouns/ratings.ts';
import { matchKey, type Position, timeOf } from '../order.ts';
import { decodeText, encodeText } from '../rows/texts.ts';
import { takeFromStories } from './story-removal.ts';

interface Doomed {
  readonly position: Position;
  readonly rule: number;
  readonly account: number;
  readonly platform: Platform;
  readonly event: number;
  readonly rule_id: string;
  readonly deleted: number;
  /** True for a deleted rule that may be restored: the account's charts do not count it. */
  readonly hidden: boolean;
  readonly story: Position | null;
}

/** `whole`: all matches of a rule go, whose parts of stories go by themselves. Answers those that are gone by this call: of two that remove the same match, one gets it. */
export async function takeMatches(
  db: Db,
  found: readonly { position: Position }[],
  options: { readonly erase: boolean; readonly whole?: boolean },
): Promise<Doomed[]> {
  if (found.length === 0) return [];
  const matches = await db.rows<Doomed>(
    `DELETE FROM matches m USING rules r WHERE r.number = m.rule AND m.position = ANY($1)
     RETURNING m.position, m.rule, abs(m.account) AS account, m.account < 0 AS hidden, m.platform, m.event, r.id AS rule_id, r.deleted, m.story`,
    [found.map(({ position }) => position)],
  );
  await noteColdMatchesGone(db, matches);
  const positions = matches.map(({ position }) => position);
  await forgetOwed(db, positions, options);
  await forgetJudgements(db, positions);
  if (options.erase) await forgetRatings(db, positions);
  if (!options.whole) await takeFromStories(db, matches);
  const events = [...new Set(matches.map(({ event }) => event))];
  await forgetKeys(db, matches, events);
  await db.run(
    'DELETE FROM events e WHERE e.number = ANY($1) AND NOT EXISTS (SELECT 1 FROM matches m WHERE m.event = e.number)',
    [events],
  );
  return matches;
}

async function forgetKeys(db: Db, matches: readonly Doomed[], events: readonly number[]): Promise<void> {
  const rows = await db.rows<{ number: number; post_id: string }>(
    'SELECT number, post_id FROM events WHERE number = ANY($1)',
    [events],
  );
  const posts = new Map(rows.map(({ number, post_id }) => [number, decodeText(post_id)]));
  await db.run('DELETE FROM match_keys WHERE tail = ANY($1)', [
    matches.map(({ rule_id, platform, event }) => matchKey(rule_id, platform, posts.get(event)!)),
  ]);
}

/** The statements that find and remove erased posts and their matches on PostgreSQL. */
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
