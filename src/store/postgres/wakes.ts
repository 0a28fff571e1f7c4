/** What contracts decided: their accounts, the stories they know, and digests of what they held. */
import { type MatchRow, matchOf } from '../rows/matches.ts';
import { type HeldRow, heldOf, type WakeStoryRow, type WakingRow, wakeStoriesOf } from '../rows/owed.ts';
import { wakeAccountColumn } from '../rows/webhooks.ts';
import type { OwedStore, SealedDigest, WakeTurn } from '../store.ts';
import type { Database, Db } from './connection.ts';
import { MATCH_COLUMNS, MATCH_JOINS } from './matches.ts';

/** Rows that leave in one transaction. */
const SLICE = 1_000;

/** A digest has a limit, so all its rows may be looked at, one after the other: at once, a plan may begin with every match. */
const HELD = `FROM (SELECT position, webhook, story FROM owed WHERE delivery = $1) o
  CROSS JOIN LATERAL (SELECT m.tail, r.deleted FROM matches m JOIN rules r ON r.number = m.rule
    WHERE m.position = o.position OFFSET 0) m`;

type WakeCalls = Pick<OwedStore, 'wakeStories' | 'closeDigest' | 'matchesAt' | 'sealDigest'>;

export const wakeStore = (database: Database): WakeCalls => ({
  wakeStories: async (webhookId, stories) =>
    wakeStoriesOf(
      await database.rows<WakeStoryRow>(
        `SELECT story, woke, seen FROM wake_stories
         WHERE webhook = (SELECT number FROM webhooks WHERE id = $1) AND story = ANY($2)`,
        [webhookId, stories],
      ),
    ),
  async closeDigest(deliveryId) {
    const [digest] = await database.rows<{ number: number }>(
      'UPDATE deliveries SET digest = 2 WHERE id = $1 AND digest IS NOT NULL RETURNING number',
      [deliveryId],
    );
    const rows = await database.rows<HeldRow>(`SELECT o.position, o.story, m.tail ${HELD} WHERE m.deleted = 0`, [
      digest?.number ?? -1,
    ]);
    return rows.map(heldOf);
  },
  matchesAt: async (positions) =>
    (
      await database.rows<MatchRow>(
        `SELECT m.* FROM unnest($1::bigint[]) AS p (position)
         CROSS JOIN LATERAL (SELECT ${MATCH_COLUMNS} FROM matches m ${MATCH_JOINS}
           WHERE m.position = p.position AND r.deleted = 0 OFFSET 0) m`,
        [positions],
      )
    ).map(matchOf),
  sealDigest: (sealed) => database.transaction((db) => sealDigest(db, sealed)),
});

/** Part of the transaction that freezes a batch: after a crash, all of a decision is there or none of it. */
export async function storeWakeTurn(
  db: Db,
  webhook: WakingRow,
  { account, stories, held, digest }: WakeTurn,
  at: Date,
): Promise<void> {
  await db.run('UPDATE webhooks SET wake_account = $2, wake_turn = wake_turn + 1 WHERE number = $1', [
    webhook.number,
    wakeAccountColumn(account),
  ]);
  const known = [...stories].toSorted(([left], [right]) => (left < right ? -1 : 1));
  await db.run(
    `INSERT INTO wake_stories (webhook, story, woke, seen)
     SELECT $1, story, woke, seen FROM unnest($2::text[], $3::smallint[], $4::bigint[]) AS s (story, woke, seen)
     ON CONFLICT (webhook, story) DO UPDATE SET woke = excluded.woke, seen = excluded.seen`,
    [
      webhook.number,
      known.map(([story]) => story),
      known.map(([, { woke }]) => (woke ? 1 : 0)),
      known.map(([, { seen }]) => seen),
    ],
  );
  if (held.length === 0) return;
  const delivery = await openDigest(db, webhook, digest, held.length, at);
  await db.run(
    `UPDATE owed SET delivery = $1, story = h.story FROM unnest($3::bigint[], $4::text[]) AS h (position, story)
     WHERE owed.webhook = $2 AND owed.position = h.position AND owed.position = ANY($3)`,
    [delivery, webhook.number, held.map(({ position }) => position), held.map(({ story }) => story ?? null)],
  );
}

/** The open digest for this time, with room for more matches; a full one is closed, and a new one takes over. */
async function openDigest(
  db: Db,
  webhook: WakingRow,
  { id, dueAt, most }: WakeTurn['digest'],
  more: number,
  at: Date,
): Promise<number> {
  const [open] = await db.rows<{ number: number; matches: number }>(
    'SELECT number, matches FROM deliveries WHERE webhook = $1 AND next_at = $2 AND digest = 1 FOR UPDATE',
    [webhook.number, dueAt.getTime()],
  );
  if (open !== undefined && open.matches + more <= most) {
    await db.run('UPDATE deliveries SET matches = matches + $2 WHERE number = $1', [open.number, more]);
    return open.number;
  }
  if (open !== undefined) await db.run('UPDATE deliveries SET digest = 2 WHERE number = $1', [open.number]);
  const [added] = await db.rows<{ number: number }>(
    `INSERT INTO deliveries (id, webhook, account, created_at, matches, status, made, next_at, digest)
     VALUES ($1, $2, $3, $4, $5, 'pending', 0, $6, 1) RETURNING number`,
    [id, webhook.number, webhook.account, at.getTime(), more, dueAt.getTime()],
  );
  return added!.number;
}

async function sealDigest(db: Db, { deliveryId, body, matches }: SealedDigest): Promise<boolean> {
  const [digest] = await db.rows<{ number: number }>(
    `SELECT number FROM deliveries WHERE id = $1 AND digest = 2 AND status = 'pending' AND body IS NULL FOR UPDATE`,
    [deliveryId],
  );
  if (digest === undefined) return false;
  // Under locks: once a rule's deletion has returned, no digest tells of a match of it.
  const rows = await db.rows<{ position: number; webhook: number; deleted: number }>(
    `SELECT o.position, o.webhook, m.deleted FROM (SELECT position, webhook FROM owed WHERE delivery = $1 FOR UPDATE) o
     CROSS JOIN LATERAL (SELECT r.deleted FROM matches m JOIN rules r ON r.number = m.rule
       WHERE m.position = o.position OFFSET 0 FOR SHARE OF r) m`,
    [digest.number],
  );
  const left = rows.filter(({ deleted }) => deleted === 1).map(({ position }) => position);
  if (rows.length - left.length !== matches) return false;
  // What is left of deleted rules waits, until it leaves the disk.
  await db.run('UPDATE owed SET delivery = NULL, story = NULL WHERE delivery = $1 AND position = ANY($2)', [
    digest.number,
    left,
  ]);
  if (matches === 0) await db.run('DELETE FROM deliveries WHERE number = $1', [digest.number]);
  else await db.run('UPDATE deliveries SET body = $2, matches = $3 WHERE number = $1', [digest.number, body, matches]);
  return true;
}

/** False when no story is past its time. */
export const dropWakeStories = async (db: Db, before: number): Promise<boolean> =>
  (await db.run(
    `DELETE FROM wake_stories WHERE ctid = ANY(ARRAY
       (SELECT ctid FROM wake_stories WHERE seen < $1 ORDER BY seen LIMIT ${SLICE}))`,
    [before],
  )) > 0;

/** A slice of what a deleted webhook knew. False when that was nothing. */
export const dropStoriesOf = async (db: Db, webhook: number): Promise<boolean> =>
  (await db.run(
    `DELETE FROM wake_stories WHERE ctid = ANY(ARRAY
       (SELECT ctid FROM wake_stories WHERE webhook = $1 ORDER BY story LIMIT ${SLICE}))`,
    [webhook],
  )) > 0;
