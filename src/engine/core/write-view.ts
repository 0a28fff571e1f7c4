/** Hands an analysed event to the core: the bytes of its pieces, and a record for each of its words (`core/words.ts`). */

import type { Fields } from '../compile/fields.ts';
import type { EventView } from '../events/event-view.ts';
import { type CoreMemory, ROOT } from './core-memory.ts';
import { writeBytes } from './encode.ts';
import type { WrittenWords } from './match-budget.ts';

/** Integers of a word's record, and how many of them are written here. */
const WORD = 12;
const WRITTEN = 4;
const PIECE_SHIFT = 16;
export const HOLDS_NUL = 1 << 15;
/** Stands between pieces, and in no text. */
const BETWEEN = 0xff;
/** Only the first words of a longer event are counted. */
const MOST_COUNTED = 4096;
/** Words that are written between two yields. */
const WORDS_AT_ONCE = 16_384;

export class ViewWriter {
  readonly #memory: CoreMemory;
  readonly #fields: Fields;

  constructor(memory: CoreMemory, fields: Fields) {
    this.#memory = memory;
    this.#fields = fields;
  }

  /** Writes the words of the fields that rules name; where words are to be counted, the first ones of the other fields too. */
  write(view: EventView, counted: boolean): void {
    this.#memory.exports.reserveEvent(view.words.count, roomFor(view));
    const { i32, u8 } = this.#memory;
    const target: Target = {
      i32,
      u8,
      size: WORD,
      record: i32[ROOT.words]! >> 2,
      byte: i32[ROOT.text]!,
      ...NOTHING_YET,
    };
    this.#write(view, counted, target, view.words.count);
    i32[ROOT.textEnd] = target.byte;
    i32[ROOT.wordCount] = target.count;
  }

  /** Writes words into arrays of their own, in parts, with the words to count. `take` is quick. */
  *writeInParts(view: EventView): Generator<number, WrittenWords> {
    const words = new Int32Array(view.words.count * WRITTEN);
    const u8 = new Uint8Array(roomFor(view));
    const target: Target = { i32: words, u8, size: WRITTEN, record: 0, byte: 0, ...NOTHING_YET };
    while (target.word < view.words.count) {
      const { word, byte } = target;
      this.#write(view, true, target, WORDS_AT_ONCE);
      yield Math.max(target.word - word, (target.byte - byte) >> 3);
    }
    return { words, count: target.count, text: u8.subarray(0, target.byte) };
  }

  /** Hands over what was written in parts, if the rules have not changed since. */
  take({ words, count, text }: WrittenWords): void {
    this.#memory.exports.reserveEvent(count, text.length);
    const { i32, u8 } = this.#memory;
    const first = i32[ROOT.text]!;
    u8.set(text, first);
    i32.set(words.subarray(0, count * WRITTEN), (i32[ROOT.words]! >> 2) + count * (WORD + 1 - WRITTEN));
    this.#memory.exports.spreadWords(count);
    i32[ROOT.textEnd] = first + text.length;
  }

  /** Writes the next words of the event, up to this many of them. */
  #write({ pieces, words }: EventView, counted: boolean, target: Target, atOnce: number): void {
    const last = Math.min(words.count, target.word + atOnce);
    while (target.word < last) {
      const number = words.pieces[target.word]!;
      const { field: name, text } = pieces[number]!;
      const field = this.#fields.inEvent(name);
      let end = target.word + 1;
      while (end < last && words.pieces[end] === number) end++;
      const place = (number << PIECE_SHIFT) | field.number;
      if (field.uses > 0) {
        writeWords(target, text, place, words, end);
        if (end === words.count || words.pieces[end] !== number) finishPiece(target, text);
      } else if (counted && target.count < MOST_COUNTED) {
        writeWords(target, text, place, words, Math.min(end, target.word + MOST_COUNTED));
        // No rule asks for anything of a field that is only counted.
        finishPiece(target, '');
      }
      target.word = end;
    }
  }
}

/** Words are written here: a record every `size` integers, and bytes. */
interface Target {
  readonly i32: Int32Array;
  readonly u8: Uint8Array;
  readonly size: number;
  /** The next record and the next byte go here. */
  record: number;
  byte: number;
  /** Words that were written. */
  count: number;
  /** The next word of the event, and the unit of its text up to which bytes are written. */
  word: number;
  unit: number;
}

const NOTHING_YET = { count: 0, word: 0, unit: 0 };

/** Bytes that the texts may take, with those between them. */
function roomFor({ pieces }: EventView): number {
  let units = 0;
  for (const { text } of pieces) units += text.length + 1;
  return units * 3;
}

/** Writes the words up to `to`, and the text to the end of the last one. */
function writeWords(target: Target, text: string, place: number, words: EventView['words'], to: number): void {
  const { starts, ends, positions } = words;
  const { i32, u8, size } = target;
  const hasNul = text.includes('\0');
  let { record: at, byte, unit } = target;
  for (let word = target.word; word < to; word++, at += size) {
    const end = ends[word]!;
    byte = writeBytes(u8, byte, text, unit, starts[word]!);
    i32[at] = byte;
    byte = writeBytes(u8, byte, text, starts[word]!, end);
    i32[at + 1] = byte;
    i32[at + 2] = positions[word]!;
    i32[at + 3] = hasNul && text.slice(starts[word], end).includes('\0') ? place | HOLDS_NUL : place;
    unit = end;
  }
  target.count += to - target.word;
  target.record = at;
  target.byte = byte;
  target.unit = unit;
}

/** Writes the rest of the text: literals may ask for what stands behind the last word. */
function finishPiece(target: Target, text: string): void {
  target.byte = writeBytes(target.u8, target.byte, text, target.unit, text.length);
  target.u8[target.byte++] = BETWEEN;
  target.unit = 0;
}
