/**
 * How things leave the disk: matches of deleted rules and matches past retention in slices, posts that must be erased at
 * once. Deleted content is overwritten (`secure_delete`), freed pages go back to the file system, and the write-ahead log,
 * which still has the old pages, is emptied when a round of removal is done.
 */
import type { Platform } from '../../domain/platform.ts';
import { coldObjectWrites, noteColdMatchesGone } from '../nouns/cold/cold-objects.ts';
import { resumeErasure } from '../nouns/erasure/erasing.ts';
import { erasingOf, erasureWrites, type StoredPosts } from '../nouns/erasure/erasure.ts';
import { versionsOf } from '../nouns/erasure/tombstones.ts';
import { forgetJudgements } from '../nouns/judging/judgements.ts';
import { minuteOf, takeCounts } from '../nouns/minutes.ts';
import { forgetOwed } from '../nouns/owed.ts';
import { forgetRatings } from '../nouns/ratings.ts';
import type { RecentLimits } from '../nouns/recent.ts';
import { removalsOf, removeDeletedRule } from '../nouns/removal.ts';
import { moveSomeMatches } from '../nouns/trash.ts';
import { type Position, positionAt, timeOf } from '../order.ts';
import { decodeText } from '../rows/texts.ts';
import type { SqliteDb } from './db.ts';
import { EVENTS_OF_POST, forgetNames, GONE, type GoneEvent, KEYED_EVENTS, namesOf } from './event-names.ts';
import { removeOldMatches } from './retention.ts';
import { createIdleSettling, settle } from './settle.ts';
import { freePages, type Sql, truncateLog } from './sql.ts';
import { leaveStories, takeFromStory } from './story-writes.ts';

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

/** The statements that find and remove erased posts and their matches on SQLite. */
const storedPosts = (db: SqliteDb): StoredPosts<Doomed> => ({
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

/** Matches taken one by one in a transaction: a few milliseconds. */
const SLICE = 500;
const DAY = 24 * 60 * 60 * 1000;

export function removalWrites(
  db: SqliteDb,
  { retentionDays, erasureDays, recent }: { retentionDays: number; erasureDays: number; recent: RecentLimits },
) {
  /** Pages were freed since the log was last emptied. */
  let isLogDue = false;
  const settleIdle = createIdleSettling(db);
  const posts = storedPosts(db);
  const erasing = erasingOf({ days: erasureDays, posts });
  const onFreed = (): void => {
    isLogDue = true;
  };
  return {
    async removeSlice(now: Date): Promise<{ more: boolean }> {
      const removed = await db.transaction(async () => {
        await settleIdle();
        const isLeft = await resumeErasure(db, erasing, now);
        return (await removeSome(db, now.getTime(), now.getTime() - retentionDays * DAY)) || isLeft;
      });
      if (removed) isLogDue = true;
      if (removed || !isLogDue) return { more: removed };
      const freed = freePages(db.sql);
      isLogDue = freed || !truncateLog(db.sql);
      return { more: freed };
    },
    ...erasureWrites(db, {
      days: erasureDays,
      posts,
      mostErased: recent.erased,
      freed: onFreed,
    }),
    ...coldObjectWrites(db, onFreed),
  };
}

/** All of it in one transaction. Whether there was anything. */
async function removeSome(db: SqliteDb, now: number, due: number): Promise<boolean> {
  const steps = [
    moveSomeMatches,
    () => removeDeletedRule(db, now, (_, rule) => takeSome(db, rule)),
    () => removeOldMatches(db, positionAt(due)),
    ...removalsOf(now, due),
  ];
  let isAny = false;
  for (const step of steps) if (await step(db)) isAny = true;
  return isAny;
}

const OF_RULE = `${doomedSql(`(SELECT position AS found FROM rule_matches WHERE rule = ? LIMIT ${SLICE})
  CROSS JOIN matches`)} WHERE m.position = found`;

async function takeSome(db: SqliteDb, rule: number): Promise<boolean> {
  await settle(db);
  const matches = db.sql.rows<Doomed>(OF_RULE, [rule]);
  leaveStories(db.sql, rule, new Set(matches.flatMap(({ story }) => story ?? [])));
  await removeMatches(db, matches, { erase: false, whole: true });
  return matches.length > 0;
}

interface Doomed {
  readonly position: Position;
  readonly rule: number;
  readonly account: number;
  /** True for a deleted rule that may be restored: the account's charts do not count it. */
  readonly hidden: number;
  readonly platform: Platform;
  readonly event: number;
  readonly deleted: number;
  readonly story: Position | null;
  readonly source: string;
  readonly post_id: string;
}

/** Takes matches off the disk, with what is owed and counted of them, and their events with the last of them. */
function doomedSql(matches: string): string {
  return `SELECT m.position, m.rule, abs(m.account) AS account, m.account < 0 AS hidden, m.platform, m.event, r.deleted, m.story, coalesce(e.source, '') AS source, e.post_id
   FROM ${matches} m CROSS JOIN rules r ON r.number = m.rule CROSS JOIN events e ON e.number = m.event`;
}

/** `whole`: all matches of a rule go, whose counts and parts of stories go by themselves. */
async function removeMatches(
  db: SqliteDb,
  matches: readonly Doomed[],
  options: { readonly erase: boolean; readonly whole?: boolean },
): Promise<void> {
  if (matches.length === 0) return;
  await settle(db);
  await noteColdMatchesGone(db, matches);
  const positions = matches.map(({ position }) => position);
  await forgetOwed(db, positions, options);
  await forgetJudgements(db, positions);
  if (options.erase) await forgetRatings(db, positions);
  for (const match of matches) removeRow(db.sql, match);
  if (options.whole) return;
  await takeCounts(
    db,
    matches.map(({ position, ...match }) => ({ ...match, minute: minuteOf(timeOf(position)), matches: -1 })),
  );
  for (const { position, story, rule, platform, source } of matches)
    if (story !== null) takeFromStory(db.sql, { story, rule, platform, source }, position);
}

function removeRow(sql: Sql, { position, event, rule, platform }: Doomed): void {
  sql.run('DELETE FROM matches WHERE position = ?', [position]);
  sql.run('DELETE FROM rule_matches WHERE rule = ? AND platform = ? AND position = ?', [rule, platform, position]);
  const gone = sql.rows<GoneEvent>(
    `DELETE FROM events WHERE number = :event AND NOT EXISTS (SELECT 1 FROM matches WHERE event = :event) ${GONE}`,
    { event },
  );
  forgetNames(sql, gone);
}
