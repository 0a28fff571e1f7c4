/** Readings of open sources, written in the commit that moves their cursor. A digest stands for a long cursor. */
import { createHash } from 'node:crypto';
import { type Db, deleteSlice } from '../db.ts';
import { decodeText, encodeText } from '../rows/texts.ts';
import { minuteOf } from './minutes.ts';

/** The place at which a stream resumes. An upstream's cursor has the name of its platform; each source has its own. */
export interface Cursor {
  readonly name: string;
  readonly value: string;
  /** The number of events that an open source brought since it last moved a cursor. */
  readonly reading?: { readonly source: string; readonly events: number };
}

/** How many events were stored, and the cursor after the first of them and after the last; none where nothing was read. */
export interface Reading {
  readonly events: number;
  readonly firstCursor: string | undefined;
  readonly lastCursor: string | undefined;
}

/** Minutes that go in one slice of removal. */
const OLD_SLICE = 1_000;
const MAX_MARK = 200;

/** Source, minute, events, and the cursor twice: it is the first of its minute, or the last. Undefined for other cursors. */
export function readingValues({ name, value, reading }: Cursor, at: Date): (string | number)[] | undefined {
  if (reading === undefined) return undefined;
  const mark = markOf(name.slice(`source:${reading.source}`.length).trimStart(), value);
  return [reading.source, minuteOf(at.getTime()), reading.events, mark, mark];
}

/** A source that visits many addresses has a cursor for each: the address stands before it. */
function markOf(address: string, value: string): string {
  const mark = address === '' ? value : `${address} ${value}`;
  const isLong = mark.length > MAX_MARK;
  return encodeText(isLong ? `sha256:${createHash('sha256').update(mark).digest('hex')}` : mark);
}

interface ReadingRow {
  readonly first_mark: string;
  readonly last_mark: string;
}

export const readingOf = (events: number, first: ReadingRow | undefined, last: ReadingRow | undefined): Reading => ({
  events,
  firstCursor: first === undefined ? undefined : decodeText(first.first_mark),
  lastCursor: last === undefined ? undefined : decodeText(last.last_mark),
});

/** Part of a commit. */
export async function putReading(db: Db, cursor: Cursor, at: Date): Promise<void> {
  const values = readingValues(cursor, at);
  if (values === undefined) return;
  await db.run(
    `INSERT INTO readings AS r (source, minute, events, first_mark, last_mark) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (source, minute) DO UPDATE SET events = r.events + excluded.events, last_mark = excluded.last_mark`,
    values,
  );
}

export async function readingsOf(db: Db, source: string, from: Date, to: Date): Promise<Reading> {
  const span = [source, minuteOf(from.getTime()), minuteOf(to.getTime())];
  const within = 'FROM readings WHERE source = $1 AND minute >= $2 AND minute <= $3';
  const total = await db.row<{ events: number | null }>(`SELECT CAST(sum(events) AS bigint) AS events ${within}`, span);
  const first = await db.row<ReadingRow>(`SELECT first_mark, last_mark ${within} ORDER BY minute LIMIT 1`, span);
  const last = await db.row<ReadingRow>(`SELECT first_mark, last_mark ${within} ORDER BY minute DESC LIMIT 1`, span);
  return readingOf(total?.events ?? 0, first, last);
}

/** False when none is past its time. */
export const removeReadings = async (db: Db, before: number): Promise<boolean> =>
  (await deleteSlice(db, 'readings', { key: 'source, minute', of: 'minute < $1 ORDER BY minute', limit: OLD_SLICE }, [
    minuteOf(before),
  ])) > 0;
