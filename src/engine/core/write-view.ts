/** Hands an analysed event to the core: the bytes of its pieces, and a record for each of its words (`core/words.ts`). */
import type { EventView } from '../events/event-view.ts';
import type { Fields, TermField } from '../index/field.ts';
import { type CoreMemory, ROOT } from './core-memory.ts';
import { writeBytes } from './encode.ts';

/** Integers of a word's record. */
const WORD = 12;
const PIECE_SHIFT = 16;
export const HOLDS_NUL = 1 << 15;
/** Stands between pieces, and in no text. */
const BETWEEN = 0xff;
/** Of a longer event only the first words are counted. */
const MOST_COUNTED = 4096;

export class ViewWriter {
  readonly #memory: CoreMemory;
  readonly #fields: Fields;
  #count = 0;
  #byte = 0;

  constructor(memory: CoreMemory, fields: Fields) {
    this.#memory = memory;
    this.#fields = fields;
  }

  /** Writes the words of the fields that rules name; where words are to be counted, the first ones of the other fields too. */
  write({ pieces, words }: EventView, counted: boolean): void {
    let units = 0;
    for (const { text } of pieces) units += text.length + 1;
    this.#memory.exports.reserveEvent(words.count, units * 3);
    this.#count = 0;
    this.#byte = this.#memory.i32[ROOT.text]!;
    for (let word = 0; word < words.count; ) {
      const piece = words.pieces[word]!;
      const { field: name, text } = pieces[piece]!;
      const field = this.#fields.inEvent(name);
      let end = word + 1;
      while (end < words.count && words.pieces[end] === piece) end++;
      if (field.uses > 0) this.#writePiece(field, text, words, word, end);
      else if (counted && this.#count < MOST_COUNTED) {
        this.#writePiece(field, text, words, word, Math.min(end, word + MOST_COUNTED));
      }
      word = end;
    }
    this.#memory.i32[ROOT.textEnd] = this.#byte;
    this.#memory.i32[ROOT.wordCount] = this.#count;
  }

  #writePiece(field: TermField, text: string, words: EventView['words'], from: number, to: number): void {
    const { starts, ends, positions } = words;
    const { i32, u8 } = this.#memory;
    const place = (words.pieces[from]! << PIECE_SHIFT) | field.number;
    const hasNul = text.includes('\0');
    let unit = 0;
    let byte = this.#byte;
    let at = (i32[ROOT.words]! >> 2) + this.#count * WORD;
    for (let word = from; word < to; word++, at += WORD) {
      const end = ends[word]!;
      byte = writeBytes(u8, byte, text, unit, starts[word]!);
      i32[at] = byte;
      byte = writeBytes(u8, byte, text, starts[word]!, end);
      i32[at + 1] = byte;
      i32[at + 2] = positions[word]!;
      i32[at + 3] = hasNul && text.slice(starts[word], end).includes('\0') ? place | HOLDS_NUL : place;
      unit = end;
    }
    // Literals may ask for what stands behind the last word; no rule asks for anything of a field that is only counted.
    if (field.uses > 0) byte = writeBytes(u8, byte, text, unit, text.length);
    u8[byte++] = BETWEEN;
    this.#byte = byte;
    this.#count += to - from;
  }
}
