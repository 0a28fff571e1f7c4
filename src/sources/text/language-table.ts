/**
 * Scores languages by pieces of words: the table of the `eld` package, in typed arrays. As objects, which is what its
 * module makes of it, the same table takes 42 MB that a collection of garbage walks through, and 0.4 s at each start.
 *
 * A word gives pieces of up to four bytes, each of which begins three bytes after the one before; the last one ends with the word.
 */
import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';
import { NumberTable } from '../../base/number-table.ts';

export interface LanguageTable {
  /** The codes of the languages, in the table's order. */
  readonly codes: readonly string[];
  /** Where the scores of a piece begin in `scores`. */
  readonly places: NumberTable;
  /** Of a piece: how many languages have it, then a language and its score for each of them. */
  readonly scores: Uint8Array;
}

const OPENING = 'ngrams:{';
const PIECE = 4;
const STEP = 3;
/** Of a longer word, no more is looked at. */
const LONGEST_WORD = 70;
/** No piece has a score of less than this, which the table leaves out. */
const LEAST_SCORE = 53;
/** Text is cut at the first space after this many bytes … */
const ENOUGH_BYTES = 350;
/** … or, where no space comes, at the first character after this many. */
const MOST_BYTES = 380;

const SPACE = 0x20;
const [BEGINS_WORD, ENDS_WORD] = [2 ** 32, 2 ** 33];

export async function readLanguageTable(): Promise<LanguageTable> {
  const home = pathToFileURL(findPackageJSON('eld', import.meta.url)!);
  const text = await readFile(new URL('src/ngrams/small.js', home), 'utf8');
  const { dictionary } = (await import(new URL('src/dictionary.js', home).href)) as { dictionary: readonly string[] };
  const opening = text.indexOf(OPENING);
  if (opening < 0) throw new Error('The table of languages has another form than this program reads.');
  const codes = Array.from(text.slice(0, opening).matchAll(/[{,]\d+:'([a-z]{2})'/g), ([, code]) => code!);
  return { codes, ...readPieces(text, opening + OPENING.length, bytesOf(dictionary)) };
}

/** The table writes each byte over 127 as a character of its own; smaller ones are what they are. */
function bytesOf(dictionary: readonly string[]): Uint8Array {
  const bytes = new Uint8Array(256).map((_, character) => character);
  for (let byte = 128; byte < 256; byte++) if (dictionary[byte] !== ' ') bytes[dictionary[byte]!.charCodeAt(0)] = byte;
  return bytes;
}

const [QUOTE, COMMA, CLOSING, BACKSLASH, ZERO, NINE] = [0x27, 0x2c, 0x7d, 0x5c, 0x30, 0x39];

/** Walks through entries such as `' l\'e':{6:69,17:60}` and `ther:{11:83}`. A pattern for them takes three times as long, at every start. */
function readPieces(text: string, from: number, bytes: Uint8Array): Pick<LanguageTable, 'places' | 'scores'> {
  const places = new NumberTable();
  const scores = new Uint8Array(text.length);
  // The first place is nobody's, since a table of numbers has 0 for none.
  let end = 1;
  for (let at = from; text.charCodeAt(at) !== CLOSING; ) {
    const mark = text.charCodeAt(at) === QUOTE ? "':{" : ':{';
    const close = text.indexOf(mark, at + 1);
    const after = text.indexOf('}', close + mark.length);
    if (close < 0 || after < 0) throw new Error('The table of languages ends half-way.');
    places.set(pieceNamed(text.slice(at + mark.length - 2, close), bytes), end);
    end = putScores(text.slice(close + mark.length, after), scores, end);
    at = text.charCodeAt(after + 1) === COMMA ? after + 2 : after + 1;
  }
  return { places, scores: scores.slice(0, end) };
}

function pieceNamed(name: string, bytes: Uint8Array): number {
  let [piece, ends] = [0, 0];
  for (let at = 0; at < name.length; at++) {
    const letter = name.charCodeAt(at);
    if (letter === SPACE) ends += at === 0 ? BEGINS_WORD : ENDS_WORD;
    else if (letter !== BACKSLASH) piece = piece * 256 + bytes[letter]!;
  }
  return piece + ends;
}

/** `6:69,17:60` as its numbers, with their count of pairs before them; returns where the next ones go. */
function putScores(listed: string, scores: Uint8Array, place: number): number {
  let [end, number] = [place + 1, 0];
  for (let at = 0; at < listed.length; at++) {
    const digit = listed.charCodeAt(at);
    if (digit >= ZERO && digit <= NINE) number = number * 10 + digit - ZERO;
    else [scores[end++], number] = [number, 0];
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
