/**
 * The events of a commit in rows of the ring, in UTF-8: the form in which they are stored. They are written once, and handed from
 * thread to thread without a copy. An event that matched is told of by where its payload stands in them.
 */

import type { RecentTotals, RingEvent } from '../nouns/recent.ts';
import { SHARED } from '../nouns/recent.ts';
import { encodeText } from './texts.ts';

/** The bytes of a row, about, so that reading or rewriting one is quick. */
const ROW_BYTES = 256 * 1024;
/** The size of a row's buffer at first. */
const FIRST_BYTES = 16 * 1024;

export interface PackedRow extends RecentTotals {
  readonly owner: string;
  /** UTF-8. */
  readonly lines: Uint8Array<ArrayBuffer>;
}

/** The place of a payload: its row, its first byte and the byte after its last. */
export interface PayloadPlace {
  readonly row: number;
  readonly start: number;
  readonly end: number;
}

export interface RingPacker {
  /** Answers where the payload stands, until the next event is added. */
  add(event: RingEvent): PayloadPlace;
  rows(): PackedRow[];
}

interface GrowingRow {
  readonly number: number;
  readonly owner: string;
  /** The text at the beginning of each line. */
  readonly start: string;
  events: number;
  bytes: Buffer<ArrayBuffer>;
  end: number;
}

export function createRingPacker(): RingPacker {
  const rows: GrowingRow[] = [];
  const growing = new Map<string, GrowingRow>();
  const place = { row: 0, start: 0, end: 0 };

  function rowOf(owner: string): GrowingRow {
    const there = growing.get(owner);
    if (there !== undefined && there.end < ROW_BYTES) return there;
    const bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
    const row = { number: rows.length, owner, start: `[${encodeText(owner)},`, events: 0, bytes, end: 0 };
    rows.push(row);
    growing.set(owner, row);
    return row;
  }

  return {
    add({ accountId, postId, payload, source }) {
      const row = rowOf(accountId ?? SHARED);
      write(row, `${row.events === 0 ? '' : '\n'}${row.start}${encodeText(postId)},`);
      place.row = row.number;
      place.start = row.end;
      write(row, payload);
      place.end = row.end;
      write(row, source === undefined ? ']' : `,${encodeText(source)}]`);
      row.events++;
      return place;
    },
    rows: () =>
      rows.map(({ owner, events, bytes, end }) => ({ owner, events, bytes: end, lines: bytes.subarray(0, end) })),
  };
}

/** A character takes three bytes at most; how many a long text takes is counted only where that might not fit. */
function write(row: GrowingRow, text: string): void {
  if (row.end + 3 * text.length > row.bytes.length) makeRoom(row, Buffer.byteLength(text));
  row.end += row.bytes.write(text, row.end);
}

function makeRoom(row: GrowingRow, more: number): void {
  if (row.end + more <= row.bytes.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(2 * row.bytes.length, row.end + more));
  row.bytes.copy(larger, 0, 0, row.end);
  row.bytes = larger;
}

/** The text between two bytes of a row; all of it without them. */
export function textIn({ lines }: PackedRow, start?: number, end?: number): string {
  return Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).toString('utf8', start, end);
}
