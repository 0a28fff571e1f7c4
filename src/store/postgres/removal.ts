/**
 * How things leave: matches past retention are out of sight as `oldest` rises over them, and off the disk when their
 * day's partition is dropped; matches of deleted rules go in small slices; posts that must be erased go at once.
 */
import type { Clock } from '../../base/clock.ts';
import type { Platform } from '../../domain/platform.ts';
import { positionAt, timeOf } from '../order.ts';
import { ANSWERS_KEPT } from '../rows/answers.ts';
import { minuteOf } from '../rows/minutes.ts';
import { encodeText } from '../rows/texts.ts';
import type { Position, Store } from '../store.ts';
import type { Database, Db } from './connection.ts';
import { stateOf } from './matches.ts';
import { changeMinutes, takeRuleFromAccount } from './minutes.ts';
import { removeOldChanges } from './nodes.ts';
import { forgetOwed } from './owed.ts';
import { dropBefore, type Partitions } from './partitions.ts';
import { eraseRecent } from './recent.ts';
import { removeOldOfUpstreams } from './upstreams.ts';

/** Matches looked at in one transaction. */
const SLICE = 200;
const DAY = 24 * 60 * 60 * 1_000;

interface Doomed {
  readonly position: Position;
  readonly rule: number;
  readonly account: number;
  readonly platform: Platform;
  readonly event: number;
  readonly tail: string;
  /** Of a rule that is deleted already: nobody sees it, and no chart counts it. */
  readonly deleted: number;
}

const DOOMED = `SELECT m.position, m.rule, m.account, m.platform, m.event, m.tail, r.deleted
  FROM matches m JOIN rules r ON r.number = m.rule`;

interface Options {
  readonly retentionDays: number;
  readonly partitions: Partitions;
  readonly clock: Clock;
}

export const removalStore = (database: Database, options: Options): Pick<Store, 'removeSlice' | 'deleteMatches'> => ({
  async removeSlice(now) {
    await options.partitions.ready(now.getTime());
    const oldest = now.getTime() - options.retentionDays * DAY;
    const removed = await database.transaction(async (db) => {
      // Commits wait meanwhile, as they do for each other: what is counted here cannot change under it.
      await db.run(`SELECT 1 FROM state WHERE name = 'latest' FOR UPDATE`);
      const results = [
        await removeDeleted(db),
        await removeOld(db, positionAt(oldest)),
        await removeDeliveries(db, oldest),
        await removeWebhook(db),
        (await db.run('DELETE FROM answers WHERE kept_at <= $1', [now.getTime() - ANSWERS_KEPT])) > 0,
        await removeOldOfUpstreams(db, oldest),
      ];
      await removeOldChanges(db);
      await db.run('DELETE FROM passes WHERE ends_at <= $1', [now.getTime()]);
      return results.includes(true);
    });
    if (removed) return { more: true };
    return { more: await dropBefore(database, (await stateOf(database)).oldest) };
  },

  async deleteMatches(accountId, platform, postId) {
    const gone = await database.transaction(async (db) => {
      await db.run(`SELECT 1 FROM state WHERE name = 'latest' FOR UPDATE`);
      const matches = await db.rows<Doomed>(
        `${DOOMED} WHERE m.event IN (SELECT number FROM events WHERE platform = $2 AND post_id = $3)
         AND m.account = (SELECT number FROM accounts WHERE id = $1)`,
        [accountId, platform, encodeText(postId)],
      );
      await forget(db, matches, { erase: true });
      await removeRows(db, matches);
      return matches.filter(({ deleted }) => deleted === 0).length;
    });
    await eraseRecent(database, accountId, platform, postId);
    return gone;
  },
});

/** What else is known of matches that go. */
async function forget(db: Db, matches: readonly Doomed[], options: { erase: boolean }): Promise<void> {
  if (matches.length === 0) return;
  await forgetOwed(
    db,
    matches.map(({ position }) => position),
    options,
  );
  await db.run('DELETE FROM match_keys WHERE tail = ANY($1)', [matches.map(({ tail }) => tail)]);
  const shown = matches.filter(({ deleted }) => deleted === 0);
  await changeMinutes(
    db,
    shown.map(({ rule, account, platform, position }) => ({
      rule,
      account,
      platform,
      minute: minuteOf(timeOf(position)),
      matches: -1,
    })),
  );
}

async function removeRows(db: Db, matches: readonly Doomed[]): Promise<void> {
  if (matches.length === 0) return;
  await db.run('DELETE FROM matches WHERE position = ANY($1)', [matches.map(({ position }) => position)]);
  await db.run(
    'DELETE FROM events e WHERE e.number = ANY($1) AND NOT EXISTS (SELECT 1 FROM matches m WHERE m.event = e.number)',
    [[...new Set(matches.map(({ event }) => event))]],
  );
}

/** A slice of a deleted rule; the rule itself goes last. */
async function removeDeleted(db: Db): Promise<boolean> {
  const [rule] = await db.rows<{ number: number; account: number }>(
    'SELECT number, account FROM rules WHERE deleted = 1 ORDER BY number LIMIT 1 FOR UPDATE',
  );
  if (rule === undefined) return false;
  const matches = await db.rows<Doomed>(`${DOOMED} WHERE m.rule = $1 LIMIT ${SLICE}`, [rule.number]);
  await forget(db, matches, { erase: false });
  await removeRows(db, matches);
  if (matches.length > 0 || (await takeRuleFromAccount(db, rule.number, rule.account))) return true;
  for (const statement of [
    'DELETE FROM tallies WHERE rule = $1',
    'DELETE FROM usage WHERE subject = $1',
    'DELETE FROM agreement WHERE rule = $1',
    'DELETE FROM rule_platforms WHERE rule = $1',
    'DELETE FROM rules WHERE number = $1',
  ])
    await db.run(statement, [rule.number]);
  return true;
}

/** The rows stay until their partition is dropped; nobody reads below `oldest`. */
async function removeOld(db: Db, before: Position): Promise<boolean> {
  const matches = await db.rows<Doomed>(
    `${DOOMED} WHERE m.position >= (SELECT value FROM state WHERE name = 'oldest') AND m.position < $1
     ORDER BY m.position LIMIT ${SLICE}`,
    [before],
  );
  const last = matches.at(-1);
  if (last === undefined) return false;
  await forget(db, matches, { erase: false });
  await db.run(`UPDATE state SET value = greatest(value, $1) WHERE name = 'oldest'`, [last.position + 1]);
  return true;
}

async function removeDeliveries(db: Db, before: number): Promise<boolean> {
  const rows = await db.rows<{ number: number }>(
    `SELECT number FROM deliveries WHERE created_at < $1 AND status <> 'pending' ORDER BY created_at LIMIT ${SLICE}`,
    [before],
  );
  return removeNumbered(
    db,
    rows.map(({ number }) => number),
  );
}

async function removeNumbered(db: Db, deliveries: readonly number[]): Promise<boolean> {
  if (deliveries.length === 0) return false;
  await db.run('DELETE FROM owed WHERE delivery = ANY($1)', [deliveries]);
  await db.run('DELETE FROM attempts WHERE delivery = ANY($1)', [deliveries]);
  await db.run('DELETE FROM deliveries WHERE number = ANY($1)', [deliveries]);
  return true;
}

/** A slice of a deleted webhook; the webhook itself goes last. */
async function removeWebhook(db: Db): Promise<boolean> {
  const [webhook] = await db.rows<{ number: number }>(`SELECT number FROM webhooks WHERE status = 'deleted' LIMIT 1`);
  if (webhook === undefined) return false;
  const rows = await db.rows<{ number: number }>(`SELECT number FROM deliveries WHERE webhook = $1 LIMIT ${SLICE}`, [
    webhook.number,
  ]);
  const numbers = rows.map(({ number }) => number);
  if (await removeNumbered(db, numbers)) return true;
  const waiting = await db.run(
    `DELETE FROM owed WHERE webhook = $1 AND position IN
       (SELECT position FROM owed WHERE webhook = $1 AND delivery IS NULL LIMIT ${SLICE})`,
    [webhook.number],
  );
  if (waiting === 0) await db.run('DELETE FROM webhooks WHERE number = $1', [webhook.number]);
  return true;
}
