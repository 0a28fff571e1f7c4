/** Decisions of contracts: their accounts, the stories they know, and digests of matches they held. */
import type { WakeAccount, WakeStory } from '../../domain/wake.ts';
import { type Db, deleteSlice } from '../db.ts';
import { matchId, type Position, timeOf } from '../order.ts';
import { MATCH_TAIL } from '../rows/match-rows.ts';
import { textOrNull } from '../rows/texts.ts';
import { wakeAccountColumn } from './webhooks.ts';

/** For the process that delivers. Not scoped. */
export interface WakeStore {
  /** The state of these stories for a webhook; stories that it does not know are left out. */
  wakeStories(webhookId: string, stories: readonly string[]): Promise<Map<string, WakeStory>>;
  /** Nothing joins the digest from now on. Answers what is in it, of rules that are still there. */
  closeDigest(deliveryId: string): Promise<HeldMatch[]>;
  /** Gives a closed digest its bytes, or drops one that is empty. False, and nothing done, when matches have left it. */
  sealDigest(sealed: SealedDigest): Promise<boolean>;
}

/** The decision of a contract. */
export interface WakeTurn {
  /** The webhook's turn that it was decided from. */
  readonly turn: number;
  readonly account: WakeAccount;
  readonly stories: ReadonlyMap<string, WakeStory>;
  readonly held: readonly {
    readonly position: Position;
    readonly story: string | undefined;
    readonly silence?: string | undefined;
  }[];
  /** For the held matches, unless a digest for the same time is open and has room. */
  readonly digest: {
    readonly id: string;
    readonly dueAt: Date;
    readonly most: number;
    /** Nothing more joins it, and it is due then. */
    readonly fullAt?: Date;
    /** It waits for the end of this silence. */
    readonly silence?: string;
  };
}

export interface HeldMatch {
  readonly id: string;
  readonly position: Position;
  readonly at: Date;
  readonly story: string | undefined;
  /** The silence that held it. */
  readonly silence?: string;
}

export interface SealedDigest {
  readonly deliveryId: string;
  /** It is undefined for an empty digest. */
  readonly body: string | undefined;
  readonly madeFor?: string;
  /** How many matches the body tells of. */
  readonly matches: number;
  /** Why the body is not as its owner wanted it. */
  readonly note?: string | undefined;
}

/** A webhook that matches are decided for. */
export interface WakingRow {
  readonly number: number;
  readonly account: number;
  readonly wake_turn: number;
  readonly waking: number | boolean;
}

/** Whether a decision is of the present contract. Silences hold matches of a webhook without one, too. */
export const isWakeTurn = ({ waking, wake_turn }: WakingRow, wake: WakeTurn | undefined): boolean =>
  wake === undefined ? !waking : wake.turn === wake_turn;

/** Under a lock: once the end of a silence has returned, nothing waits for it. */
export const holdsStill = async (db: Db, { silence }: WakeTurn['digest']): Promise<boolean> =>
  silence === undefined || (await db.row('SELECT 1 FROM silences WHERE id = $1 FOR SHARE', [silence])) !== undefined;

interface HeldRow {
  readonly position: Position;
  readonly tail: string;
  readonly story: string | null;
  readonly silence: string | null;
}

export const heldOf = ({ position, tail, story, silence }: HeldRow): HeldMatch => ({
  id: matchId(position, tail),
  position,
  at: new Date(timeOf(position)),
  story: story ?? undefined,
  ...(silence !== null && { silence }),
});

interface WakeStoryRow {
  readonly story: string;
  readonly woke: number;
  readonly seen: number;
}

const wakeStoriesOf = (rows: readonly WakeStoryRow[]) =>
  new Map(rows.map(({ story, woke, seen }) => [story, { woke: woke === 1, seen }]));

/** Rows that leave in one transaction. */
const SLICE = 1_000;

/** A digest has a limit, so all its rows may be looked at. On PostgreSQL one after the other: at once, a plan may begin with every match. */
const HELD = {
  sqlite: `SELECT o.position, o.story, o.silence, ${MATCH_TAIL.sqlite} AS tail, r.deleted
    FROM owed o INDEXED BY owed_in_delivery CROSS JOIN matches m ON m.position = o.position
    CROSS JOIN rules r ON r.number = m.rule WHERE o.delivery = $1`,
  postgres: `SELECT o.position, o.story, o.silence, m.tail, m.deleted
    FROM (SELECT position, story, silence FROM owed WHERE delivery = $1 FOR UPDATE) o
    CROSS JOIN LATERAL (SELECT m.tail, r.deleted FROM matches m JOIN rules r ON r.number = m.rule
      WHERE m.position = o.position OFFSET 0 FOR SHARE OF r) m`,
};

/** Under locks: once a rule's deletion has returned, no digest tells of a match of it. */
const heldIn = (db: Db, delivery: number) => db.rows<HeldRow & { deleted: number }>(HELD[db.dialect], [delivery]);

export const wakeReads = (db: Db): Pick<WakeStore, 'wakeStories'> => ({
  async wakeStories(webhookId, stories) {
    const rows = await db.rows<WakeStoryRow>(
      `SELECT story, woke, seen FROM wake_stories
       WHERE webhook = (SELECT number FROM webhooks WHERE id = $1) AND story = ANY($2)`,
      [webhookId, stories],
    );
    return wakeStoriesOf(rows);
  },
});

export const wakeWrites = (db: Db): Pick<WakeStore, 'closeDigest' | 'sealDigest'> => ({
  closeDigest: (deliveryId) =>
    db.transaction(async (tx) => {
      const digest = await tx.row<{ number: number }>(
        'UPDATE deliveries SET digest = 2 WHERE id = $1 AND digest IS NOT NULL RETURNING number',
        [deliveryId],
      );
      const rows = digest === undefined ? [] : await heldIn(tx, digest.number);
      return rows.filter(({ deleted }) => deleted === 0).map(heldOf);
    }),
  sealDigest: (sealed) => db.transaction((tx) => sealDigest(tx, sealed)),
});

/** Part of the transaction that freezes a batch: after a crash, all of a decision is there or none of it. */
export async function keepWakeTurn(
  db: Db,
  webhook: WakingRow,
  { account, stories, held, digest }: WakeTurn,
  at: Date,
): Promise<void> {
  await db.run('UPDATE webhooks SET wake_account = $2, wake_turn = wake_turn + 1 WHERE number = $1', [
    webhook.number,
    wakeAccountColumn(account),
  ]);
  const known = [...stories]
    .map(([story, { woke, seen }]) => ({ story, woke: woke ? 1 : 0, seen }))
    .toSorted((one, other) => (one.story < other.story ? -1 : 1));
  await db.run(
    `INSERT INTO wake_stories (webhook, story, woke, seen)
     SELECT $1, story, woke, seen FROM json_to_recordset($2) AS s (story text, woke smallint, seen bigint) WHERE true
     ON CONFLICT (webhook, story) DO UPDATE SET woke = excluded.woke, seen = excluded.seen`,
    [webhook.number, JSON.stringify(known)],
  );
  if (held.length === 0) return;
  const delivery = await openDigest(db, webhook, digest, held, at);
  await db.run(
    `UPDATE owed SET delivery = $1, story = h.story, silence = h.silence
     FROM json_to_recordset($3) AS h (position bigint, story text, silence text)
     WHERE owed.webhook = $2 AND owed.position = h.position AND owed.position = ANY($4)`,
    [delivery, webhook.number, JSON.stringify(held), held.map(({ position }) => position)],
  );
  if (digest.fullAt !== undefined)
    await db.run('UPDATE deliveries SET digest = 2, next_at = $2 WHERE number = $1', [delivery, digest.fullAt]);
}

/** The open digest for this time, with room for more matches; a full one is closed, and a new one takes over. */
async function openDigest(
  db: Db,
  webhook: WakingRow,
  { id, dueAt, most }: WakeTurn['digest'],
  held: WakeTurn['held'],
  at: Date,
): Promise<number> {
  const open = await db.row<{ number: number; matches: number }>(
    'SELECT number, matches FROM deliveries WHERE webhook = $1 AND next_at = $2 AND digest = 1 FOR UPDATE',
    [webhook.number, dueAt],
  );
  if (open !== undefined && open.matches + held.length <= most) {
    await db.run('UPDATE deliveries SET matches = matches + $2 WHERE number = $1', [open.number, held.length]);
    return open.number;
  }
  if (open !== undefined) await db.run('UPDATE deliveries SET digest = 2 WHERE number = $1', [open.number]);
  const added = await db.row<{ number: number }>(
    `INSERT INTO deliveries (id, webhook, account, created_at, matches, status, made, next_at, digest, first)
     VALUES ($1, $2, $3, $4, $5, 'pending', 0, $6, 1, $7) RETURNING number`,
    [id, webhook.number, webhook.account, at, held.length, dueAt, held[0]!.position],
  );
  return added!.number;
}

async function sealDigest(db: Db, { deliveryId, body, madeFor, matches, note }: SealedDigest): Promise<boolean> {
  const digest = await db.row<{ number: number }>(
    `SELECT number FROM deliveries WHERE id = $1 AND digest = 2 AND status = 'pending' AND body IS NULL FOR UPDATE`,
    [deliveryId],
  );
  if (digest === undefined) return false;
  const rows = await heldIn(db, digest.number);
  const left = rows.filter(({ deleted }) => deleted === 1).map(({ position }) => position);
  if (rows.length - left.length !== matches) return false;
  // The matches of deleted rules that are left wait, until they leave the disk.
  await db.run(
    'UPDATE owed SET delivery = NULL, story = NULL, silence = NULL WHERE delivery = $1 AND position = ANY($2)',
    [digest.number, left],
  );
  if (matches === 0) await db.run('DELETE FROM deliveries WHERE number = $1', [digest.number]);
  else
    await db.run('UPDATE deliveries SET body = $2, matches = $3, note = $4, made_for = $5 WHERE number = $1', [
      digest.number,
      body!,
      matches,
      textOrNull(note),
      madeFor ?? null,
    ]);
  return true;
}

/** False when no story is past its time. */
export const removeWakeStories = async (db: Db, before: number): Promise<boolean> =>
  (await deleteSlice(db, 'wake_stories', { key: 'webhook, story', of: 'seen < $1 ORDER BY seen', limit: SLICE }, [
    before,
  ])) > 0;

/** A slice of what a deleted webhook knew. False when that was nothing. */
export const forgetWakeStories = async (db: Db, webhook: number): Promise<boolean> =>
  (await deleteSlice(db, 'wake_stories', { key: 'webhook, story', of: 'webhook = $1 ORDER BY story', limit: SLICE }, [
    webhook,
  ])) > 0;
