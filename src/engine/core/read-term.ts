/** Reads what the core's dictionary says of a term: see `core/dictionary.ts` and `core/key.ts`. */
import type { CoreMemory } from './core-memory.ts';

const TERM_PAGES = 3072 / 4;
const PAGE_BITS = 13;
const KEY_BYTES = 15;

export interface ReadTerm {
  readonly field: number;
  /** Bytes of the word. */
  readonly length: number;
  readonly text: () => string;
}

export function readTerm({ i32, u8 }: CoreMemory, term: number): ReadTerm {
  const page = i32[TERM_PAGES + (term >> PAGE_BITS)]!;
  const slot = i32[(page >> 2) + (term & ((1 << PAGE_BITS) - 1))]!;
  const text = i32[(slot >> 2) + 7]!;
  const [from, length, field] =
    text === 0
      ? [slot, keyLength(u8, slot), u8[slot + KEY_BYTES]! - 1]
      : [text + 8, i32[text >> 2]!, i32[(text >> 2) + 1]!];
  return { field, length, text: () => Buffer.from(u8.buffer, from, length).toString() };
}

function keyLength(u8: Uint8Array, slot: number): number {
  let length = KEY_BYTES;
  while (length > 0 && u8[slot + length - 1] === 0) length--;
  return length;
}
