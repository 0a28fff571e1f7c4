/** What open sources have read, written in the commit that moves their cursor. */
import { minuteOf } from '../rows/minutes.ts';
import { type ReadingRow, readingOf } from '../rows/readings.ts';
import type { Reading } from '../store.ts';
import type { Sql } from './sql.ts';

/** Minutes that go in one slice of removal. */
const SLICE = 1_000;

export const putReading = (sql: Sql, values: readonly (string | number)[]): void =>
  void sql.run(
    `INSERT INTO readings (source, minute, events, first_mark, last_mark) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (source, minute) DO UPDATE SET events = events + excluded.events, last_mark = excluded.last_mark`,
    [...values],
  );

export const readingReads = (sql: Sql) => ({
  readings(source: string, from: Date, to: Date): Reading {
    const span = [source, minuteOf(from.getTime()), minuteOf(to.getTime())];
    const within = 'FROM readings WHERE source = ? AND minute >= ? AND minute <= ?';
    const total = sql.row<{ events: number | null }>(`SELECT sum(events) AS events ${within}`, span);
    const first = sql.row<ReadingRow>(`SELECT first_mark, last_mark ${within} ORDER BY minute LIMIT 1`, span);
    const last = sql.row<ReadingRow>(`SELECT first_mark, last_mark ${within} ORDER BY minute DESC LIMIT 1`, span);
    return readingOf(total!.events ?? 0, first, last);
  },
});

/** False when none is past its time. */
export const removeReadings = (sql: Sql, before: number): boolean =>
  sql.run(
    `DELETE FROM readings WHERE (source, minute) IN
       (SELECT source, minute FROM readings WHERE minute < ? ORDER BY minute LIMIT ${SLICE})`,
    [minuteOf(before)],
  ) > 0;
