/**
 * Scores languages by pieces of words: the table of the `eld` package, in typed arrays. As objects, which is what its
 * module makes of it, the same table takes 42 MB that a collection of garbage walks through, and 0.4 s at each start.
 *
 * A word gives pieces of up to four bytes, each of which begins three bytes after the one before; the last one ends with the word.
 */
import { createReadStream } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';
import { NumberTable } from '../../base/number-table.ts';

export interface LanguageTable {
  /** The codes of the languages, in the table's order. */
  readonly codes: readonly string[];
  /** The place in `scores` at which the scores of a piece begin. */
  readonly places: NumberTable;
  /** For each piece: how many languages have it, then a language and its score for each of them. */
  readonly scores: Uint8Array;
}

const OPENING = 'ngrams:{';
/** Bytes of the table that are read at a time. */
const PART = 2 ** 18;
const PIECE = 4;
const STEP = 3;
/** No more of a longer word is looked at. */
const LONGEST_WORD = 70;
/** No piece has a score of less than this, which the table leaves out. */
const LEAST_SCORE = 53;
/** Text is cut at the first space after this many bytes … */
const ENOUGH_BYTES = 350;
/** … or, where no space comes, at the first character after this many. */
const MOST_BYTES = 380;

const SPACE = 0x20;
const [BEGINS_WORD, ENDS_WORD] = [2 ** 32, 2 ** 33];

/** Read part by part, each in a turn of its own: all of it at once would hold up the thread that answers requests for 60 ms. */
export async function readLanguageTable(): Promise<LanguageTable> {
  const home = pathToFileURL(findPackageJSON('eld', import.meta.url)!);
  const { dictionary } = (await import(new URL('src/dictionary.js', home).href)) as { dictionary: readonly string[] };
  const file = createReadStream(new URL('src/ngrams/small.js', home), { encoding: 'utf8', highWaterMark: PART });
  const pieces = new Pieces(bytesOf(dictionary));
  let codes: readonly string[] | undefined;
  let rest = '';
  for await (const part of file) {
    const text = rest + (part as string);
    const opening = codes === undefined ? text.indexOf(OPENING) : -OPENING.length;
    if (opening === -1) throw new Error('The table of languages has another form than this program reads.');
    codes ??= Array.from(text.slice(0, opening).matchAll(/[{,]\d+:'([a-z]{2})'/g), ([, code]) => code!);
    rest = text.slice(pieces.add(text, opening + OPENING.length));
  }
  if (!rest.startsWith('}')) throw new Error('The table of languages ends half-way.');
  return { codes: codes ?? [], ...pieces.table() };
}

/** The table writes each byte over 127 as a character of its own; smaller ones are what they are. */
function bytesOf(dictionary: readonly string[]): Uint8Array {
  const bytes = new Uint8Array(256).map((_, character) => character);
  for (let byte = 128; byte < 256; byte++) if (dictionary[byte] !== ' ') bytes[dictionary[byte]!.charCodeAt(0)] = byte;
  return bytes;
}

const [QUOTE, COMMA, CLOSING, BACKSLASH, ZERO, NINE] = [0x27, 0x2c, 0x7d, 0x5c, 0x30, 0x39];
/** As many pieces as the table has, and some more: enlarging again and again would take a third of the time. */
const ROOM_FOR_PIECES = 90_000;
const ROOM_FOR_SCORES = 2 ** 19;

class Pieces {
  readonly #bytes: Uint8Array;
  readonly #places = new NumberTable(ROOM_FOR_PIECES);
  readonly #scores = new Uint8Array(ROOM_FOR_SCORES);
  /** The first place is nobody's, since a table of numbers has 0 for none. */
  #end = 1;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Adds entries such as `' l\'e':{6:69,17:60}` and `ther:{11:83}`; answers where the rest begins: no whole entry, or the end of the table. */
  add(text: string, from: number): number {
    const last = text.lastIndexOf('}');
    let at = from;
    for (;;) {
      if (text.charCodeAt(at) === COMMA) at++;
      if (at >= last || text.charCodeAt(at) === CLOSING) return at;
      const name = text.charCodeAt(at) === QUOTE ? at + 1 : at;
      const mark = name > at ? "':{" : ':{';
      const nameEnd = text.indexOf(mark, name);
      const end = text.indexOf('}', nameEnd);
      this.#places.set(pieceNamed(text, name, nameEnd, this.#bytes), this.#end);
      this.#end = putScores(text, nameEnd + mark.length, end, this.#scores, this.#end);
      at = end + 1;
    }
  }

  table(): Pick<LanguageTable, 'places' | 'scores'> {
    return { places: this.#places, scores: this.#scores.slice(0, this.#end) };
  }
}

function pieceNamed(text: string, from: number, end: number, bytes: Uint8Array): number {
  let [piece, ends] = [0, 0];
  for (let at = from; at < end; at++) {
    const letter = text.charCodeAt(at);
    if (letter === SPACE) ends += at === from ? BEGINS_WORD : ENDS_WORD;
    else if (letter !== BACKSLASH) piece = piece * 256 + bytes[letter]!;
  }
  return piece + ends;
}

/** `6:69,17:60` as its numbers, with their count of pairs before them; returns where the next ones go. */
function putScores(text: string, from: number, to: number, scores: Uint8Array, place: number): number {
  let [end, number] = [place + 1, 0];
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at);
    if (digit >= ZERO && digit <= NINE) number = number * 10 + digit - ZERO;
    else {
      scores[end++] = number;
      number = 0;
    }
  }
  scores[end++] = number;
  scores[place] = (end - place - 1) / 2;
  return end;
}

/** Everything that is no letter of the first plane parts words, but for an apostrophe before a letter. */
const BETWEEN_WORDS = /[\P{L}\u{10000}-\u{10ffff}]+/gu;
const APOSTROPHES = "'`’";
const LOOKED_AT = 1_000;

const encoder = new TextEncoder();
const room = new Uint8Array(3 * LOOKED_AT);

/** The language with the highest score; undefined when no piece of the text is in the table. */
export function mostLikely({ codes, places, scores }: LanguageTable, text: string): string | undefined {
  const words = text.slice(0, LOOKED_AT).replace(BETWEEN_WORDS, apostrophesKept).trim().toLowerCase();
  const seen = new Set<number>();
  const totals = new Uint32Array(codes.length);
  eachPiece(bytesOfWords(words), (piece) => {
    const place = places.get(piece);
    if (place === 0 || seen.has(place)) return;
    seen.add(place);
    const end = place + 2 * scores[place]!;
    for (let at = place + 1; at < end; at += 2) totals[scores[at]!]! += scores[at + 1]! + LEAST_SCORE;
  });
  const most = Math.max(...totals);
  return most === 0 ? undefined : codes[totals.indexOf(most)];
}

/** The apostrophes at its end are counted by hand: a pattern that looks behind itself takes quadratic time over them. */
function apostrophesKept(between: string): string {
  let end = between.length;
  while (end > 0 && APOSTROPHES.includes(between[end - 1]!)) end--;
  return end === 0 ? between : ` ${between.slice(end)}`;
}

function bytesOfWords(words: string): Uint8Array {
  const { written } = encoder.encodeInto(words, room);
  const space = room.indexOf(SPACE, ENOUGH_BYTES + 1);
  let most = MOST_BYTES + 1;
  while (most < written && isInsideCharacter(room[most]!)) most++;
  return room.subarray(0, Math.min(written, most, space < 0 ? written : space));
}

const isInsideCharacter = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** A piece as a number: its bytes, and whether the word begins and ends with it. */
function eachPiece(bytes: Uint8Array, take: (piece: number) => void): void {
  for (let from = 0; from < bytes.length; ) {
    const space = bytes.indexOf(SPACE, from);
    const end = space < 0 ? bytes.length : space;
    const last = Math.min(end, from + LONGEST_WORD);
    let at = from;
    for (; at + PIECE < last; at += STEP) take(pieceOf(bytes, at, at + PIECE) + (at === from ? BEGINS_WORD : 0));
    const begins = at === from ? BEGINS_WORD : 0;
    if (last === end && end > from) take(pieceOf(bytes, Math.max(from, end - PIECE), end) + begins + ENDS_WORD);
    from = end + 1;
  }
}

function pieceOf(bytes: Uint8Array, from: number, end: number): number {
  let piece = 0;
  for (let at = from; at < end; at++) piece = piece * 256 + bytes[at]!;
  return piece;
}
