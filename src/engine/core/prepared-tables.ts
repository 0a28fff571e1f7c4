/**
 * The tables of characters, made ahead for one version of Unicode and kept in `tables.bin`: to make them takes a third of a
 * second, and every start would pay for it. Where Node has another version, they are made as before.
 */
import { existsSync, readFileSync } from 'node:fs';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

export interface CharacterTables {
  readonly lower: Uint16Array;
  readonly kinds: Uint8Array;
  readonly ranks: Uint8Array;
}

export interface PageTables {
  readonly lower: Uint16Array;
  readonly kinds: Uint8Array;
  readonly stopWords: Uint8Array;
  readonly secondLevels: Uint8Array;
}

export interface EngineTables {
  readonly characters: CharacterTables;
  readonly pages: PageTables;
}

const VERSION_BYTES = 16;
const PLANE = 0x10000;
const WORD_TABLE = 2_056;
/** The file has tables of these lengths after the version, in this order. */
const LENGTHS = [2 * PLANE, 2 * PLANE, PLANE, 2 * PLANE, 2 * PLANE, WORD_TABLE, WORD_TABLE];

const unicode = (): string => (process.versions['unicode'] ?? '').padEnd(VERSION_BYTES);

export function packTables({ characters, pages }: EngineTables): Buffer {
  const parts = [
    shifts(characters.lower),
    characters.kinds,
    characters.ranks,
    shifts(pages.lower),
    pages.kinds,
    pages.stopWords,
    pages.secondLevels,
  ];
  return deflateRawSync(Buffer.concat([Buffer.from(unicode()), ...parts]), { level: 9 });
}

/** Answers undefined where the tables were made for another version of Unicode, or the file is not as it should be. */
export function unpackTables(packed: Uint8Array): EngineTables | undefined {
  const bytes = inflated(packed);
  if (bytes?.toString('latin1', 0, VERSION_BYTES) !== unicode()) return undefined;
  const parts: Uint8Array[] = [];
  let end = VERSION_BYTES;
  for (const length of LENGTHS) {
    // Each in a buffer of its own, where sixteen bits may stand.
    parts.push(Uint8Array.from(bytes.subarray(end, end + length)));
    end += length;
  }
  if (bytes.length !== end) return undefined;
  const [postLower, postKinds, ranks, pageLower, pageKinds, stopWords, secondLevels] = parts;
  return {
    characters: { lower: shifted(postLower!), kinds: postKinds!, ranks: ranks! },
    pages: { lower: shifted(pageLower!), kinds: pageKinds!, stopWords: stopWords!, secondLevels: secondLevels! },
  };
}

/** By how much each character moves: nearly always by nothing, which takes hardly any room in the file. */
const shifts = (lower: Uint16Array): Uint8Array => new Uint8Array(lower.map((folded, code) => folded - code).buffer);

function shifted(bytes: Uint8Array): Uint16Array {
  const lower = new Uint16Array(bytes.buffer);
  for (let code = 0; code < lower.length; code++) lower[code]! += code;
  return lower;
}

function inflated(packed: Uint8Array): Buffer | undefined {
  try {
    return inflateRawSync(packed);
  } catch {
    return undefined;
  }
}

let read: { readonly tables: EngineTables | undefined } | undefined;

export function preparedTables(): EngineTables | undefined {
  const file = new URL('tables.bin', import.meta.url);
  read ??= { tables: existsSync(file) ? unpackTables(readFileSync(file)) : undefined };
  return read.tables;
}
