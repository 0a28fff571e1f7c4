/**
 * One partition a day of matches and of payloads: made days before it is needed, dropped when all in it is past retention.
 * Nothing here locks out readers or writers of the whole table. A new partition is a plain table that is attached; an old
 * one is detached concurrently and dropped when it is a plain table again. Where a long read stands in the way, the lock
 * times out, and the next round of housekeeping goes on from there.
 */
import type { Db } from '../db.ts';
import { type Position, positionAt, timeOf } from '../order.ts';
import type { Database } from './connection.ts';
import { isLockTimeout } from './failures.ts';

const DAY = 24 * 60 * 60 * 1_000;
const DAYS_AHEAD = 7;
const TABLES = ['matches', 'events'] as const;
/** Others than the one of migrations: to make partitions, and to drop them. */
const MAKE_LOCK = 5_271_845;
const DROP_LOCK = 5_271_847;
/** How long a partition waits to be dropped in one round. */
const DROP_WAIT_MS = 2_000;

const dayOf = (time: number): number => Math.floor(time / DAY);
const nameOf = (table: string, day: number): string =>
  `${table}_${new Date(day * DAY).toISOString().slice(0, 10).replaceAll('-', '')}`;

/** The first position in the partition of a position. */
export const startOfDay = (position: Position): Position => positionAt(dayOf(timeOf(position)) * DAY);

export interface Partitions {
  /** Makes those of a time's day and of the next, unless they are there. */
  ready(time: number): Promise<void>;
  /** Makes those of the week that follows. */
  readyAhead(time: number): Promise<void>;
  /** Drops a day that ends before the position. False when there is none, or when a reader stands in the way. */
  dropBefore(position: Position): Promise<boolean>;
}

export function createPartitions(database: Database): Partitions {
  const made = new Set<number>();
  async function make(days: readonly number[]): Promise<void> {
    const missing = days.filter((day) => !made.has(day));
    if (missing.length === 0) return;
    await database.transaction(async (db) => {
      await db.run('SELECT pg_advisory_xact_lock($1)', [MAKE_LOCK]);
      for (const day of missing) for (const table of TABLES) await makeOne(db, table, day);
    });
    for (const day of missing) made.add(day);
  }
  const daysFrom = (time: number, count: number) => Array.from({ length: count }, (_, index) => dayOf(time) + index);
  return {
    ready: (time) => make(daysFrom(time, 2)),
    readyAhead: (time) => make(daysFrom(time, DAYS_AHEAD + 1)),
    async dropBefore(position) {
      // Should the clock be set back, they are made anew.
      for (const day of made) if (day < dayOf(timeOf(position))) made.delete(day);
      return dropBefore(database, position);
    },
  };
}

async function makeOne(db: Db, table: string, day: number): Promise<void> {
  const name = nameOf(table, day);
  const [found] = await db.rows<{ attached: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM pg_inherits WHERE inhrelid = c.oid) AS attached FROM pg_class c WHERE c.oid = to_regclass($1)`,
    [name],
  );
  if (found?.attached === true) return;
  if (found === undefined) await db.run(`CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL)`);
  await db.run(
    `ALTER TABLE ${table} ATTACH PARTITION ${name}
     FOR VALUES FROM (${positionAt(day * DAY)}) TO (${positionAt((day + 1) * DAY)})`,
  );
}

interface OldPartition {
  readonly table: string;
  readonly name: string;
  /** Null: it is a plain table by now. True: an earlier round was interrupted between the two steps. */
  readonly pending: boolean | null;
}

async function dropBefore(database: Database, position: Position): Promise<boolean> {
  if ((await oldPartitions(database, position)).length === 0) return false;
  try {
    return await database.patiently((db) => drop(db, position), { lockMs: DROP_WAIT_MS });
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}

/** The oldest day of each table that ends before a position. */
async function oldPartitions(db: Db, position: Position): Promise<OldPartition[]> {
  const old: OldPartition[] = [];
  for (const table of TABLES) {
    const rows = await db.rows<OldPartition>(
      `SELECT $3 AS table, c.relname AS name, i.inhdetachpending AS pending
       FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
       WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname ~ $1 AND c.relname < $2
       ORDER BY c.relname LIMIT 1`,
      [`^${table}_[0-9]{8}$`, nameOf(table, dayOf(timeOf(position))), table],
    );
    old.push(...rows);
  }
  return old;
}

/** One node at a time: the lock goes with the connection. */
async function drop(db: Db, position: Position): Promise<boolean> {
  const [lock] = await db.rows<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [DROP_LOCK]);
  if (lock?.taken !== true) return false;
  for (const { table, name, pending } of await oldPartitions(db, position)) {
    if (pending !== null)
      await db.run(`ALTER TABLE ${table} DETACH PARTITION ${name} ${pending ? 'FINALIZE' : 'CONCURRENTLY'}`);
    await db.run(`DROP TABLE ${name}`);
  }
  return true;
}
