/** What contracts decided: their accounts, the stories they know, and digests of what they held. */
import type { Match } from '../../domain/match.ts';
import type { WakeStory } from '../../domain/wake.ts';
import { type MatchRow, matchOf } from '../rows/matches.ts';
import { type HeldRow, heldOf, type WakeStoryRow, type WakingRow, wakeStoriesOf } from '../rows/owed.ts';
import { wakeAccountColumn } from '../rows/webhooks.ts';
import type { HeldMatch, Position, SealedDigest, WakeTurn } from '../store.ts';
import { COLUMNS, JOINS } from './matches.ts';
import type { Sql } from './sql.ts';
import { TAIL } from './tails.ts';

/** Rows that leave in one transaction. */
const SLICE = 1_000;

/** A digest has a limit, so all its rows may be looked at. */
const HELD = `FROM owed o INDEXED BY owed_in_delivery CROSS JOIN matches m ON m.position = o.position
  CROSS JOIN rules r ON r.number = m.rule WHERE o.delivery = ?`;

export const wakeReads = (sql: Sql) => ({
  wakeStories: (webhookId: string, stories: readonly string[]): Map<string, WakeStory> =>
    wakeStoriesOf(
      sql.rows<WakeStoryRow>(
        `SELECT s.story, s.woke, s.seen FROM json_each(:stories) j CROSS JOIN wake_stories s
           ON s.webhook = (SELECT number FROM webhooks WHERE id = :webhook) AND s.story = j.value`,
        { webhook: webhookId, stories: JSON.stringify(stories) },
      ),
    ),

  heldIn(deliveryId: string): HeldMatch[] {
    const digest = sql.row<{ number: number }>('SELECT number FROM deliveries WHERE id = ?', [deliveryId]);
    const rows = sql.rows<HeldRow>(`SELECT o.position, o.story, ${TAIL} AS tail ${HELD} AND r.deleted = 0`, [
      digest?.number ?? -1,
    ]);
    return rows.map(heldOf);
  },

  matchesAt: (positions: readonly Position[]): Match[] =>
    sql
      .rows<MatchRow>(`SELECT ${COLUMNS} FROM (SELECT value AS position FROM json_each(?)) w ${JOINS}`, [
        JSON.stringify(positions),
      ])
      .filter(({ deleted }) => deleted === 0)
      .map(matchOf),
});

/** Part of the transaction that freezes a batch: after a crash, all of a decision is there or none of it. */
export function keepWakeTurn(
  sql: Sql,
  webhook: WakingRow,
  { account, stories, held, digest }: WakeTurn,
  at: Date,
): void {
  sql.run('UPDATE webhooks SET wake_account = ?, wake_turn = wake_turn + 1 WHERE number = ?', [
    wakeAccountColumn(account),
    webhook.number,
  ]);
  for (const [story, { woke, seen }] of stories)
    sql.run(
      `INSERT INTO wake_stories (webhook, story, woke, seen) VALUES (?, ?, ?, ?)
       ON CONFLICT (webhook, story) DO UPDATE SET woke = excluded.woke, seen = excluded.seen`,
      [webhook.number, story, woke ? 1 : 0, seen],
    );
  if (held.length === 0) return;
  const delivery = openDigest(sql, webhook, digest, held.length, at);
  for (const { position, story } of held)
    sql.run('UPDATE owed SET delivery = ?, story = ? WHERE position = ? AND webhook = ?', [
      delivery,
      story ?? null,
      position,
      webhook.number,
    ]);
}

/** The open digest for this time, with room for more matches; a full one is closed, and a new one takes over. */
function openDigest(
  sql: Sql,
  webhook: WakingRow,
  { id, dueAt, most }: WakeTurn['digest'],
  more: number,
  at: Date,
): number {
  const open = sql.row<{ number: number; matches: number }>(
    'SELECT number, matches FROM deliveries WHERE webhook = ? AND next_at = ? AND digest = 1',
    [webhook.number, dueAt.getTime()],
  );
  if (open !== undefined && open.matches + more <= most) {
    sql.run('UPDATE deliveries SET matches = matches + ? WHERE number = ?', [more, open.number]);
    return open.number;
  }
  if (open !== undefined) sql.run('UPDATE deliveries SET digest = 2 WHERE number = ?', [open.number]);
  return sql.insert(
    `INSERT INTO deliveries (id, webhook, account, created_at, matches, status, made, next_at, digest)
     VALUES (?, ?, ?, ?, ?, 'pending', 0, ?, 1)`,
    [id, webhook.number, webhook.account, at.getTime(), more, dueAt.getTime()],
  );
}

/** Under the lock: once a rule's deletion has returned, no digest tells of a match of it. */
export function sealDigest(sql: Sql, { deliveryId, body, matches }: SealedDigest): boolean {
  const digest = sql.row<{ number: number }>(
    `SELECT number FROM deliveries WHERE id = ? AND digest = 2 AND status = 'pending' AND body IS NULL`,
    [deliveryId],
  );
  if (digest === undefined) return false;
  const held = sql.row<{ rows: number }>(`SELECT count(*) AS rows ${HELD} AND r.deleted = 0`, [digest.number]);
  if (held?.rows !== matches) return false;
  // What is left of deleted rules waits, until it leaves the disk.
  const left = sql.rows<{ position: Position; webhook: number }>(
    `SELECT o.position, o.webhook ${HELD} AND r.deleted = 1`,
    [digest.number],
  );
  for (const { position, webhook } of left)
    sql.run('UPDATE owed SET delivery = NULL, story = NULL WHERE position = ? AND webhook = ?', [position, webhook]);
  if (matches === 0) sql.run('DELETE FROM deliveries WHERE number = ?', [digest.number]);
  else sql.run('UPDATE deliveries SET body = ?, matches = ? WHERE number = ?', [body!, matches, digest.number]);
  return true;
}

/** False when no story is past its time. */
export const removeWakeStories = (sql: Sql, before: number): boolean =>
  sql.run(
    `DELETE FROM wake_stories WHERE (webhook, story) IN
       (SELECT webhook, story FROM wake_stories WHERE seen < ? ORDER BY seen LIMIT ${SLICE})`,
    [before],
  ) > 0;

/** A slice of what a deleted webhook knew. False when that was nothing. */
export const forgetWakeStories = (sql: Sql, webhook: number): boolean =>
  sql.run(
    `DELETE FROM wake_stories WHERE webhook = :webhook AND story IN
       (SELECT story FROM wake_stories WHERE webhook = :webhook ORDER BY story LIMIT ${SLICE})`,
    { webhook },
  ) > 0;
