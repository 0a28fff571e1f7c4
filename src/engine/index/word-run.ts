/**
 * Whether words stand one after another: those of a phrase at neighbouring positions, those of a literal in one piece with
 * one blank between them or, when it is `WRITTEN`, in just its characters. The first way tries every place of the first word.
 * A sender can make a text on which that fails late and often. Such a text is searched a second way (Knuth, Morris and
 * Pratt's), in time linear in its length.
 */
import { unitAt } from './dictionary.ts';
import type { Presence } from './presence.ts';
import { LITERAL, PHRASE_TERMS, payloadOf, WRITTEN } from './program.ts';

/** Steps of the first way for each word of the event, after which the second way takes over. */
const PATIENCE = 2;
/** An event of more words is searched the second way from the start. */
const MANY = 50_000;
/** A text that lacks the last `ENDING` characters of a literal is skipped. */
const ENDING = 8;

export function findsRun(code: Int32Array, at: number, presence: Presence): boolean {
  const { wordTerms, event } = presence;
  const count = code[at + 2]!;
  const terms = at + PHRASE_TERMS;
  const written = (code[at + 1]! & WRITTEN) !== 0;
  const search = written ? searchWritten : searchJoined;
  if (event.words.count > MANY) return search(code, at, presence);
  let patience = PATIENCE * event.words.count;
  for (let word = presence.firstWord(payloadOf(code[terms]!)); word >= 0; word = presence.nextWord(word)) {
    if (word + count > event.words.count) return false;
    let index = 1;
    while (index < count && wordTerms[word + index] === payloadOf(code[terms + index]!)) index++;
    patience -= index;
    if (index === count) {
      if (
        written ? standsWritten(code, terms + count, presence, word, count) : standsJoined(code, at, presence, word)
      ) {
        return true;
      }
      patience -= count;
    }
    if (patience < 0) return search(code, at, presence);
  }
  return false;
}

/** Whether a word follows the one before it as the phrase, or the literal, wants. */
function isJoined(form: number, { event: { words, pieces } }: Presence, word: number): boolean {
  if ((form & LITERAL) === 0) return words.positions[word] === words.positions[word - 1]! + 1;
  return (
    words.pieces[word] === words.pieces[word - 1] &&
    words.starts[word] === words.ends[word - 1]! + 1 &&
    pieces[words.pieces[word]!]!.text.charCodeAt(words.ends[word - 1]!) === 0x20
  );
}

function standsJoined(code: Int32Array, at: number, presence: Presence, word: number): boolean {
  for (let next = word + 1; next < word + code[at + 2]!; next++) {
    if (!isJoined(code[at + 1]!, presence, next)) return false;
  }
  return true;
}

/** Whether the words stand in just these characters, and neither end is inside another word. */
function standsWritten(code: Int32Array, at: number, { event }: Presence, word: number, count: number): boolean {
  const { starts, ends, pieces, count: wordCount } = event.words;
  const piece = pieces[word]!;
  const { text } = event.pieces[piece]!;
  const start = starts[word]! - code[at]!;
  const end = start + code[at + 1]!;
  if (start < 0 || end > text.length) return false;
  const before = word - 1;
  if (before >= 0 && pieces[before] === piece && ends[before]! > start) return false;
  const after = word + count;
  if (after < wordCount && pieces[after] === piece && starts[after]! < end) return false;
  if (pieces[after - 1] !== piece || ends[after - 1]! > end) return false;
  for (let unit = 0; start + unit < end; unit++) {
    if (text.charCodeAt(start + unit) !== unitAt(code, at + 2, unit)) return false;
  }
  return true;
}

/** Follows the words. A word that is not joined to the one before it starts the search anew. */
function searchJoined(code: Int32Array, at: number, presence: Presence): boolean {
  const count = code[at + 2]!;
  const wanted = Int32Array.from({ length: count }, (_, index) => payloadOf(code[at + PHRASE_TERMS + index]!));
  const fallback = fallbacksOf(wanted);
  const { wordTerms, event } = presence;
  let held = 0;
  for (let word = 0; word < event.words.count; word++) {
    if (word > 0 && !isJoined(code[at + 1]!, presence, word)) held = 0;
    while (held > 0 && wanted[held] !== wordTerms[word]) held = fallback[held - 1]!;
    if (wanted[held] === wordTerms[word]) held++;
    if (held === count) return true;
  }
  return false;
}

/** Follows the characters, and checks each find by its words. */
function searchWritten(code: Int32Array, at: number, presence: Presence): boolean {
  const count = code[at + 2]!;
  const tail = at + PHRASE_TERMS + count;
  const lead = code[tail]!;
  const length = code[tail + 1]!;
  const wanted = Int32Array.from({ length }, (_, index) => unitAt(code, tail + 2, index));
  const fallback = fallbacksOf(wanted);
  const ending = String.fromCharCode(...wanted.subarray(-ENDING));
  const { pieces } = presence.event;
  let word = 0;
  for (let piece = 0; piece < pieces.length; piece++) {
    const { text } = pieces[piece]!;
    if (!text.includes(ending)) continue;
    let held = 0;
    for (let unit = 0; unit < text.length; unit++) {
      const character = text.charCodeAt(unit);
      while (held > 0 && wanted[held] !== character) held = fallback[held - 1]!;
      if (wanted[held] === character) held++;
      if (held < length) continue;
      held = fallback[held - 1]!;
      word = wordFrom(presence, word, piece, unit + 1 - length + lead);
      if (hasWords(code, at, presence, word) && standsWritten(code, tail, presence, word, count)) return true;
    }
  }
  return false;
}

/** The first word from `word` on that begins at a unit of a piece or after it. */
function wordFrom({ event: { words } }: Presence, word: number, piece: number, unit: number): number {
  let found = word;
  while (
    found < words.count &&
    (words.pieces[found]! < piece || (words.pieces[found] === piece && words.starts[found]! < unit))
  ) {
    found++;
  }
  return found;
}

function hasWords(code: Int32Array, at: number, { wordTerms, event }: Presence, word: number): boolean {
  const count = code[at + 2]!;
  const { pieces, count: wordCount } = event.words;
  if (word + count > wordCount || pieces[word + count - 1] !== pieces[word]) return false;
  for (let index = 0; index < count; index++) {
    if (wordTerms[word + index] !== payloadOf(code[at + PHRASE_TERMS + index]!)) return false;
  }
  return true;
}

/** For each beginning of what is wanted, how much of it its own end could be the beginning of. */
export function fallbacksOf(wanted: Int32Array): Int32Array {
  const fallback = new Int32Array(wanted.length);
  let held = 0;
  for (let index = 1; index < wanted.length; index++) {
    while (held > 0 && wanted[held] !== wanted[index]) held = fallback[held - 1]!;
    if (wanted[held] === wanted[index]) held++;
    fallback[index] = held;
  }
  return fallback;
}
