/** The event in the making: its folded text, piece after piece, and a record for each word. */
import { numberOf } from './fields';
import { scratch, WORD_COUNT, WORDS } from './memory';
import { END, PLACE, POSITION, START, WORD } from './words';

/** Stands between pieces, and in no text. */
const BETWEEN: u8 = 0xff;

/** The next byte of folded text goes to `out`; then come the position of the next word and the number of the piece. */
export let out: u32 = 0;
export let position: u32 = 0;
let piece: u32 = 0;

export function openPieces(from: u32): void {
  out = from;
  position = 0;
  piece = 0;
  store<u32>(scratch, 0, WORD_COUNT);
}

// @inline
export function moveOut(place: u32): void {
  out = place;
}

/** Leaves positions free, which phrases feel. */
// @inline
export function skipPositions(count: u32): void {
  position += count;
}

/** The records of the piece's words say this of their place. */
// @inline
export function placeOf(field: u32): u32 {
  return (piece << 16) | numberOf(field);
}

/** The record of the next word. */
// @inline
export function nextRecord(): u32 {
  return load<u32>(scratch, WORDS) + load<u32>(scratch, WORD_COUNT) * WORD;
}

/** Takes over the records that were written from `nextRecord` on, and the position after them. */
// @inline
export function endRecords(record: u32, next: u32): void {
  store<u32>(scratch, (record - load<u32>(scratch, WORDS)) / WORD, WORD_COUNT);
  position = next;
}

// @inline
export function writeRecord(record: u32, start: u32, stop: u32, at: u32, place: u32): void {
  store<u32>(record, start, START);
  store<u32>(record, stop, END);
  store<u32>(record, at, POSITION);
  store<u32>(record, place, PLACE);
}

export function push(start: u32, stop: u32, field: u32, gap: u32): void {
  writeRecord(nextRecord(), start, stop, position, placeOf(field));
  store<u32>(scratch, load<u32>(scratch, WORD_COUNT) + 1, WORD_COUNT);
  position += gap;
}

export function closePiece(): void {
  store<u8>(out++, BETWEEN);
  piece++;
}

/** Adds a value of up to eight bytes that no string of the line shows. */
export function addFlag(field: u32, bytes: u64, length: u32): void {
  store<u64>(out, bytes);
  out += length;
  push(out - length, out, field, 2);
  closePiece();
}

/** Writes a folded code point. */
export function write(code: u32): void {
  if (code < 0x80) {
    store<u8>(out, <u8>code);
    out += 1;
  } else if (code < 0x800) {
    store<u8>(out, <u8>(0xc0 | (code >> 6)));
    store<u8>(out, <u8>(0x80 | (code & 0x3f)), 1);
    out += 2;
  } else if (code < 0x10000) {
    store<u8>(out, <u8>(0xe0 | (code >> 12)));
    store<u8>(out, <u8>(0x80 | ((code >> 6) & 0x3f)), 1);
    store<u8>(out, <u8>(0x80 | (code & 0x3f)), 2);
    out += 3;
  } else {
    store<u8>(out, <u8>(0xf0 | (code >> 18)));
    store<u8>(out, <u8>(0x80 | ((code >> 12) & 0x3f)), 1);
    store<u8>(out, <u8>(0x80 | ((code >> 6) & 0x3f)), 2);
    store<u8>(out, <u8>(0x80 | (code & 0x3f)), 3);
    out += 4;
  }
}
