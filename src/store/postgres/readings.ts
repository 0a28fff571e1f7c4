/** What open sources have read, written in the commit that moves their cursor. */
import { minuteOf } from '../rows/minutes.ts';
import { type ReadingRow, readingOf } from '../rows/readings.ts';
import type { Reading } from '../store.ts';
import type { Database, Db } from './connection.ts';

/** Minutes that go in one slice of removal. */
const SLICE = 1_000;

export async function putReadings(db: Db, values: readonly (string | number)[]): Promise<void> {
  await db.run(
    `INSERT INTO readings (source, minute, events, first_mark, last_mark) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (source, minute) DO UPDATE SET
       events = readings.events + excluded.events, last_mark = excluded.last_mark`,
    [...values],
  );
}

export async function readingsOf(database: Database, source: string, from: Date, to: Date): Promise<Reading> {
  const span = [source, minuteOf(from.getTime()), minuteOf(to.getTime())];
  const within = 'FROM readings WHERE source = $1 AND minute >= $2 AND minute <= $3';
  const [total] = await database.rows<{ events: number | null }>(
    `SELECT sum(events)::bigint AS events ${within}`,
    span,
  );
  const [first] = await database.rows<ReadingRow>(
    `SELECT first_mark, last_mark ${within} ORDER BY minute LIMIT 1`,
    span,
  );
  const [last] = await database.rows<ReadingRow>(
    `SELECT first_mark, last_mark ${within} ORDER BY minute DESC LIMIT 1`,
    span,
  );
  return readingOf(total?.events ?? 0, first, last);
}

/** False when none is past its time. */
export const dropReadings = async (db: Db, before: number): Promise<boolean> =>
  (await db.run(
    `DELETE FROM readings WHERE ctid = ANY(ARRAY(SELECT ctid FROM readings
       WHERE minute < $1 ORDER BY minute LIMIT ${SLICE}))`,
    [minuteOf(before)],
  )) > 0;
