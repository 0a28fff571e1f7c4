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
/** Words that stand nowhere in the event are no neighbours of any other. */
const NOWHERE = 0x20000000;

export class ViewWriter {
  readonly #memory: CoreMemory;
  readonly #fields: Fields;
  #count = 0;
  #byte = 0;

  constructor(memory: CoreMemory, fields: Fields) {
    this.#memory = memory;
    this.#fields = fields;
  }

  /**
   * Writes the words of the fields that rules name; of all fields where they are to be counted. `marks` are words of a field
   * of their own that stand nowhere in the event.
   */
  write({ pieces, words }: EventView, everything: boolean, marked: TermField, marks: readonly string[]): void {
    let units = 0;
    for (const { text } of pieces) units += text.length + 1;
    for (const mark of marks) units += mark.length + 1;
    this.#memory.exports.reserveEvent(words.count + marks.length, units * 3);
    this.#count = 0;
    this.#byte = this.#memory.i32[ROOT.text]!;
    for (let word = 0; word < words.count; ) {
      const piece = words.pieces[word]!;
      const { field: name, text } = pieces[piece]!;
      const field = this.#fields.inEvent(name);
      let end = word + 1;
      while (end < words.count && words.pieces[end] === piece) end++;
      if (field.uses > 0 || everything) this.#writePiece(field, text, words, word, end);
      word = end;
    }
    for (const mark of marks) this.#writeMark(marked, mark);
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
    byte = writeBytes(u8, byte, text, unit, text.length);
    u8[byte++] = BETWEEN;
    this.#byte = byte;
    this.#count += to - from;
  }

  #writeMark(field: TermField, text: string): void {
    const { i32, u8 } = this.#memory;
    const at = (i32[ROOT.words]! >> 2) + this.#count * WORD;
    i32[at] = this.#byte;
    this.#byte = writeBytes(u8, this.#byte, text, 0, text.length);
    i32[at + 1] = this.#byte;
    i32[at + 2] = NOWHERE + 2 * this.#count;
    i32[at + 3] = (0xffff << PIECE_SHIFT) | field.number | (text.includes('\0') ? HOLDS_NUL : 0);
    this.#count++;
    u8[this.#byte++] = BETWEEN;
  }
}
