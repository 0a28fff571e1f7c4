/** Rows of what open sources have read. A cursor may be long: then its digest stands for it. */
import { createHash } from 'node:crypto';
import type { Cursor, Reading } from '../store.ts';
import { minuteOf } from './minutes.ts';
import { decodeText, encodeText } from './texts.ts';

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

export interface ReadingRow {
  readonly first_mark: string;
  readonly last_mark: string;
}

export const readingOf = (events: number, first: ReadingRow | undefined, last: ReadingRow | undefined): Reading => ({
  events,
  firstCursor: first === undefined ? undefined : decodeText(first.first_mark),
  lastCursor: last === undefined ? undefined : decodeText(last.last_mark),
});
