/** How deliveries leave the disk: those past retention and those of deleted webhooks, in slices. */
import type { Db } from './connection.ts';
import { dropStoriesOf } from './wakes.ts';

const SLICE = 1_000;
/** Matches of deliveries that leave in one transaction: a digest alone may have ten thousand. */
const MOST_MATCHES = 100_000;

interface Numbered {
  readonly number: number;
}

interface Leaving extends Numbered {
  readonly matches: number;
}

/** False when none was past its time. */
export const dropOldDeliveries = async (db: Db, before: number): Promise<boolean> =>
  remove(
    db,
    await db.rows<Leaving>(
      `SELECT number, matches FROM deliveries WHERE created_at < $1 AND status <> 'pending' ORDER BY created_at LIMIT ${SLICE}`,
      [before],
    ),
  );

/** A slice of a deleted webhook; the webhook itself goes last. False when there is none. */
export async function dropDeletedWebhook(db: Db): Promise<boolean> {
  // The lock waits for commits that may owe it something still.
  const [webhook] = await db.rows<Numbered>(
    `SELECT number FROM webhooks WHERE status = 'deleted' ORDER BY number LIMIT 1 FOR UPDATE`,
  );
  if (webhook === undefined) return false;
  const deliveries = await db.rows<Leaving>(
    `SELECT number, matches FROM deliveries WHERE webhook = $1 LIMIT ${SLICE}`,
    [webhook.number],
  );
  const waiting = await db.run(
    `DELETE FROM owed WHERE webhook = $1 AND position = ANY(ARRAY
       (SELECT position FROM owed WHERE webhook = $1 AND delivery IS NULL ORDER BY position LIMIT ${SLICE}))`,
    [webhook.number],
  );
  const isKnowing = await dropStoriesOf(db, webhook.number);
  if (!(await remove(db, deliveries)) && waiting === 0 && !isKnowing)
    await db.run('DELETE FROM webhooks WHERE number = $1', [webhook.number]);
  return true;
}

async function remove(db: Db, deliveries: readonly Leaving[]): Promise<boolean> {
  if (deliveries.length === 0) return false;
  const numbers: number[] = [];
  let left = MOST_MATCHES;
  for (const { number, matches } of deliveries) {
    if (left <= 0) break;
    left -= matches;
    numbers.push(number);
  }
  await db.run('DELETE FROM owed WHERE delivery = ANY($1)', [numbers]);
  await db.run('DELETE FROM attempts WHERE delivery = ANY($1)', [numbers]);
  await db.run('DELETE FROM deliveries WHERE number = ANY($1)', [numbers]);
  return true;
}
