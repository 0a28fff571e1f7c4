/** One partition a day of matches and of payloads: made before it is needed, dropped when all in it is past retention. */
import { positionAt, timeOf } from '../order.ts';
import type { Position } from '../store.ts';
import type { Database, Db } from './connection.ts';

const DAY = 24 * 60 * 60 * 1_000;
const TABLES = ['matches', 'events'] as const;
/** Another than the one of migrations. */
const LOCK = 5_271_845;

const dayOf = (time: number): number => Math.floor(time / DAY);
const nameOf = (table: string, day: number): string =>
  `${table}_${new Date(day * DAY).toISOString().slice(0, 10).replaceAll('-', '')}`;

/** Where the partition of a position begins. */
export const startOfDay = (position: Position): Position => positionAt(dayOf(timeOf(position)) * DAY);

export interface Partitions {
  /** Makes those of a time's day and of the next, unless they are there. */
  ready(time: number): Promise<void>;
}

export function createPartitions(database: Database): Partitions {
  const made = new Set<number>();
  return {
    async ready(time) {
      const missing = [dayOf(time), dayOf(time) + 1].filter((day) => !made.has(day));
      if (missing.length === 0) return;
      await database.transaction(async (db) => {
        await db.run('SELECT pg_advisory_xact_lock($1)', [LOCK]);
        for (const day of missing) for (const table of TABLES) await make(db, table, day);
      });
      for (const day of missing) made.add(day);
    },
  };
}

const make = (db: Db, table: string, day: number): Promise<number> =>
  db.run(
    `CREATE TABLE IF NOT EXISTS ${nameOf(table, day)} PARTITION OF ${table}
     FOR VALUES FROM (${positionAt(day * DAY)}) TO (${positionAt((day + 1) * DAY)})`,
  );

/** Drops one day that ends before the position. False when there is none. */
export async function dropBefore(database: Database, position: Position): Promise<boolean> {
  const [oldest] = await database.rows<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'matches'::regclass ORDER BY c.relname LIMIT 1`,
  );
  const digits = oldest?.name.slice(-8);
  if (digits === undefined) return false;
  const day = dayOf(Date.parse(`${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}T00:00:00Z`));
  if (positionAt((day + 1) * DAY) > position) return false;
  await database.transaction(async (db) => {
    await db.run('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    for (const table of TABLES) await db.run(`DROP TABLE IF EXISTS ${nameOf(table, day)}`);
  });
  return true;
}
