/**
 * Cuts page text and rule text into words, as Lucene's standard tokenizer does: the word boundaries of UAX #29, of
 * which only pieces with letters, digits, ideographs or emoji are words. `Intl.Segmenter` does not fit, because it
 * breaks Thai, Chinese and Japanese by dictionary.
 */
import { pushWord, type WordScanner } from '../words.ts';
import {
  BASIC,
  COMPLEX,
  CR,
  classOfAstral,
  DOUBLE_QUOTE,
  HAN,
  HEBREW,
  HIRAGANA,
  JOINER,
  KATAKANA,
  LETTER,
  LF,
  MARK,
  MID_BOTH,
  MID_LETTER,
  MID_NUMBER,
  NEWLINE,
  NUMERIC,
  OTHER,
  PICTOGRAPH,
  REGIONAL,
  SINGLE_QUOTE,
  SKIN_TONE,
  SPACE,
  ZWJ,
} from './word-classes.ts';

/** Longer words are cut into pieces of this many units. */
const MAX_WORD = 255;
const EMOJI_STYLE = 0xfe0f;
const TEXT_STYLE = 0xfe0e;
const KEYCAP = 0x20e3;

/**
 * Lower case, code point by code point, so that no character depends on its neighbours, as an index of many languages
 * needs it: `Σ` becomes `σ` even at the end of a word, and `İ` becomes `i`. The result has the length of the text.
 */
export function fold(text: string): string {
  const simple = text.includes('Σ') || text.includes('İ') ? text.replaceAll('Σ', 'σ').replaceAll('İ', 'i') : text;
  return simple.toLowerCase();
}

export const scanWords: WordScanner = (text, into, from = 0, enough = text.length) => {
  const length = text.length;
  let at = from;
  while (at < length && at < enough) {
    const unit = text.charCodeAt(at);
    const kind = unit < 0xd800 || unit > 0xdbff ? BASIC[unit]! : classAt(text, at, length);
    if (kind === LETTER || kind === NUMERIC) {
      const end = plainWordEnd(text, at, length);
      pushWord(into, at, end);
      at = end;
    } else if (kind === OTHER || kind === SPACE) {
      // `#` and `*` are not words, but with a keycap around them they are emoji.
      if (unit === 0x23 || unit === 0x2a) at = pushIfWord(text, at, kind, into);
      else at += unit >= 0xd800 && unit <= 0xdbff && classAt(text, at, length) !== OTHER ? 2 : 1;
    } else {
      at = pushIfWord(text, at, kind, into);
    }
  }
  return at;
};

/** Nearly every word is ASCII letters and digits up to a blank. Only other words need the full rules. */
function plainWordEnd(text: string, start: number, length: number): number {
  const limit = Math.min(length, start + MAX_WORD);
  let at = start;
  while (at < limit && isPlain(text.charCodeAt(at))) at++;
  const unit = at < limit ? text.charCodeAt(at) : 0x20;
  if (unit === 0x20) return at > start ? at : segmentEnd(text, start, limit);
  // Punctuation without a letter or digit after it ends the word too.
  if (unit < 0x80 && at > start && (BASIC[unit] === OTHER || at + 1 === limit || text.charCodeAt(at + 1) === 0x20)) {
    if (unit !== 0x5f) return at;
  }
  return segmentEnd(text, start, limit);
}

const isPlain = (unit: number) =>
  (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a);

/** Reads one piece of text that does not start with a letter or digit. Returns where the next piece starts. */
function pushIfWord(text: string, start: number, kind: number, into: Parameters<WordScanner>[1]): number {
  const limit = Math.min(text.length, start + MAX_WORD);
  const emoji = emojiEnd(text, start, kind, limit);
  if (emoji > start) {
    pushWord(into, start, emoji);
    return emoji;
  }
  const end = kind === COMPLEX ? complexEnd(text, start, limit) : segmentEnd(text, start, limit);
  if (isWord(text, start, end, kind)) pushWord(into, start, end);
  return end;
}

function isWord(text: string, start: number, end: number, kind: number): boolean {
  if (kind === HAN || kind === HIRAGANA || kind === COMPLEX || kind === KATAKANA || kind === HEBREW) return true;
  if (kind !== JOINER) return false;
  for (let at = start; at < end; at += width(text, at, end)) {
    const one = classAt(text, at, end);
    if (one === LETTER || one === NUMERIC || one === HEBREW || one === KATAKANA) return true;
  }
  return false;
}

function complexEnd(text: string, start: number, limit: number): number {
  let at = start;
  while (at < limit && classAt(text, at, limit) === COMPLEX) at = skipMarks(text, at + width(text, at, limit), limit);
  return at;
}

/** The end of the emoji that starts here, or the start if there is none. */
function emojiEnd(text: string, start: number, kind: number, limit: number): number {
  if (kind === REGIONAL) {
    const second = skipMarks(text, start + 2, limit);
    return second < limit && classAt(text, second, limit) === REGIONAL ? skipMarks(text, second + 2, limit) : start;
  }
  if (kind === OTHER) return keycapEnd(text, start, limit);
  if (kind !== PICTOGRAPH && kind !== SKIN_TONE && kind !== ZWJ) return start;
  let at = start;
  while (at < limit && classAt(text, at, limit) === ZWJ) at++;
  const first = at < limit ? classAt(text, at, limit) : OTHER;
  if (first !== PICTOGRAPH && first !== SKIN_TONE) return start;
  for (;;) {
    at = emojiMarksEnd(text, at + width(text, at, limit), limit);
    const joined = text.charCodeAt(at - 1) === 0x200d && at < limit && classAt(text, at, limit) === PICTOGRAPH;
    if (!joined) return at;
  }
}

/** Marks after an emoji. A text style ends it, and after an emoji style only a joiner or a tag may follow. */
function emojiMarksEnd(text: string, from: number, limit: number): number {
  let at = from;
  while (at < limit && isMark(classAt(text, at, limit))) {
    const code = text.codePointAt(at)!;
    if (code === TEXT_STYLE) return at;
    if (code !== EMOJI_STYLE && text.charCodeAt(at - 1) === EMOJI_STYLE && code !== 0x200d && code < 0xe0020) return at;
    at += code > 0xffff ? 2 : 1;
  }
  return at;
}

function keycapEnd(text: string, start: number, limit: number): number {
  const end = skipMarks(text, start + 1, limit);
  for (let at = start + 1; at < end; at++) if (text.charCodeAt(at) === KEYCAP) return end;
  return start;
}

/** The end of the piece of text that starts at `start`, by the word boundary rules of UAX #29. */
export function segmentEnd(text: string, start: number, limit: number): number {
  let last = classAt(text, start, limit);
  let at = start + width(text, start, limit);
  if (last === CR) return at < limit && text.charCodeAt(at) === 0x0a ? at + 1 : at;
  if (last === LF || last === NEWLINE) return at;
  let flagHalves = last === REGIONAL ? 1 : 0;
  let adjacent = true;
  while (at < limit) {
    const kind = classAt(text, at, limit);
    if (isMark(kind)) {
      at += width(text, at, limit);
      adjacent = false;
      continue;
    }
    if (kind === PICTOGRAPH && text.charCodeAt(at - 1) === 0x200d) {
      last = PICTOGRAPH;
    } else if (kind === SPACE && last === SPACE && adjacent) {
      last = SPACE;
    } else if (kind === REGIONAL && last === REGIONAL && flagHalves === 1) {
      flagHalves = 2;
    } else if (joins(last, kind)) {
      last = kind;
    } else {
      const next = afterMid(text, at, limit, last, kind);
      if (next === at) return at;
      // A Hebrew letter keeps a single quote even if nothing follows.
      if (next === limit || !isCore(classAt(text, next, limit))) return next;
      last = classAt(text, next, limit);
      at = next;
    }
    at += width(text, at, limit);
    adjacent = true;
  }
  return at;
}

const isMark = (kind: number) => kind === MARK || kind === ZWJ || kind === SKIN_TONE;
const isLetter = (kind: number) => kind === LETTER || kind === HEBREW;
const isCore = (kind: number) => kind >= LETTER && kind <= KATAKANA;

/** WB5, 8–10, 13–13b. */
function joins(last: number, kind: number): boolean {
  if (kind === JOINER) return isCore(last) || last === JOINER;
  if (last === JOINER) return isCore(kind);
  if (last === KATAKANA || kind === KATAKANA) return last === kind;
  return isCore(last) && isCore(kind);
}

/** WB6–7c, 11–12: the position after punctuation inside a word, otherwise `at`. */
function afterMid(text: string, at: number, limit: number, last: number, kind: number): number {
  const inLetters = isLetter(last) && (kind === MID_LETTER || kind === MID_BOTH || kind === SINGLE_QUOTE);
  const inNumber = last === NUMERIC && (kind === MID_NUMBER || kind === MID_BOTH || kind === SINGLE_QUOTE);
  const inHebrew = last === HEBREW && kind === DOUBLE_QUOTE;
  if (!inLetters && !inNumber && !inHebrew) return at;
  const next = skipMarks(text, at + 1, limit);
  const behind = next < limit ? classAt(text, next, limit) : OTHER;
  if (inLetters && isLetter(behind)) return next;
  if (inNumber && behind === NUMERIC) return next;
  if (inHebrew && behind === HEBREW) return next;
  return last === HEBREW && kind === SINGLE_QUOTE ? next : at;
}

function skipMarks(text: string, from: number, limit: number): number {
  let at = from;
  while (at < limit && isMark(classAt(text, at, limit))) at += width(text, at, limit);
  return at;
}

function classAt(text: string, at: number, limit: number): number {
  const unit = text.charCodeAt(at);
  if (unit < 0xd800 || unit > 0xdbff) return BASIC[unit]!;
  return at + 1 < limit && isLow(text.charCodeAt(at + 1)) ? classOfAstral(text.codePointAt(at)!) : OTHER;
}

function width(text: string, at: number, limit: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdbff && at + 1 < limit && isLow(text.charCodeAt(at + 1)) ? 2 : 1;
}

const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;

export const STOP_WORDS: readonly string[] =
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  );

/** Up to five letters a–z, five bits each. */
function pack(text: string, start: number, end: number): number {
  let packed = 0;
  for (let at = start; at < end; at++) packed = packed * 32 + (text.charCodeAt(at) - 0x60);
  return packed;
}

const STOP_CODES: ReadonlySet<number> = new Set(STOP_WORDS.map((word) => pack(word, 0, word.length)));

/** Whether a folded word is one of the 33 English stop words of `added`, `removed` and the anchor fields. */
export function isStopWord(text: string, start: number, end: number): boolean {
  if (end - start > 5) return false;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x61 || unit > 0x7a) return false;
  }
  return STOP_CODES.has(pack(text, start, end));
}
