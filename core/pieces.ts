/** The event in the making: its folded text, piece after piece, and a record for each word. */
import { numberOf } from './fields';
import { WORD_COUNT, WORDS } from './memory';
import { END, PLACE, POSITION, START, WORD } from './words';

/** Stands between pieces, and in no text. */
const BETWEEN: u8 = 0xff;

/** Where the next byte of folded text goes; the position of the next word; the number of the piece. */
export let out: u32 = 0;
let position: u32 = 0;
let piece: u32 = 0;

export function openPieces(from: u32): void {
  out = from;
  position = 0;
  piece = 0;
  store<u32>(WORD_COUNT, 0);
}

@inline
export function moveOut(place: u32): void {
  out = place;
}

/** Leaves positions free, which phrases feel. */
@inline
export function skipPositions(count: u32): void {
  position += count;
}

export function push(start: u32, stop: u32, field: u32, gap: u32): void {
  const count = load<u32>(WORD_COUNT);
  const word = load<u32>(WORDS) + count * WORD;
  store<u32>(word, start, START);
  store<u32>(word, stop, END);
  store<u32>(word, position, POSITION);
  store<u32>(word, (piece << 16) | numberOf(field), PLACE);
  store<u32>(WORD_COUNT, count + 1);
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
