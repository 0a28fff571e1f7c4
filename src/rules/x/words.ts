/**
 * How posts are cut into words, and how two texts are compared. Rules and posts go through the same code here.
 *
 * A word is a run of letters, digits and marks; everything else (punctuation, `_`, symbols, blanks) separates and
 * disappears. Two kinds of character are words by themselves, blanks or not: an emoji with all that belongs to its
 * sequence, and a character of a script that is written without blanks, together with its marks. So `火山` is two words,
 * and is found inside a longer run as two neighbours.
 */
import { normalize } from '../../base/normalize.ts';
import { POST_KINDS } from '../plane-tables.ts';
import { charactersOfPlane, unpackPlane } from '../planes.ts';
import { cutWords, pushWord, type WordScanner, type WordSpans } from '../words.ts';

const SEPARATOR = 0;
const LETTER = 1;
const MARK = 2;
const SPACELESS = 3;
const EMOJI = 4;
/** U+20E3, which turns the digit before it into a keycap emoji. */
const KEYCAP = 5;
const SURROGATE = 6;

const ZERO_WIDTH_JOINER = 0x200d;

/**
 * X's own list of characters that end a word and cannot begin a keyword; the ranges hold some letters, for instance `ª`.
 * Combining marks (U+0300–036F) stand in them too, but an accent never splits a word, so they are left out here.
 */
const PUNCTUATION = '!%&\\\'()*+-./;<=>?,:#@"[]_\t\r\n';
const PUNCTUATION_RANGES = [
  [0x7b, 0xbf],
  [0x2b0, 0x2ff],
  [0x370, 0x37f],
  [0x2000, 0x2bff],
  [0xff00, 0xff03],
  [0xff05, 0xff0f],
] as const;

/** Makes the table that `npm run core` keeps. It finds runs: a match for each character would take ten times longer. */
export function makeKinds(plane: 0 | 1): Uint8Array {
  const kinds = new Uint8Array(0x10000);
  const characters = charactersOfPlane(plane);
  const width = plane + 1;
  const mark = (pattern: RegExp, kind: number) => {
    for (const run of characters.matchAll(pattern)) {
      kinds.fill(kind, run.index / width, (run.index + run[0].length) / width);
    }
  };
  mark(/[\p{L}\p{N}\p{Co}]+/gu, LETTER);
  mark(/\p{M}+/gu, MARK);
  mark(
    /[[\p{L}\p{Nl}]&&[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]+/gv,
    SPACELESS,
  );
  if (plane === 0) markBasicPlane(kinds);
  // `©`, `®` and `™` are emoji by their property, but are written as plain signs far more often.
  mark(/[\p{Emoji}--[\0-\x7f©®™]]+/gv, EMOJI);
  return kinds;
}

function markBasicPlane(kinds: Uint8Array): void {
  for (const [first, last] of PUNCTUATION_RANGES) kinds.fill(SEPARATOR, first, last + 1);
  for (const character of PUNCTUATION) kinds[character.charCodeAt(0)] = SEPARATOR;
  kinds.fill(MARK, 0xfe00, 0xfe10);
  kinds[0x20e3] = KEYCAP;
  kinds.fill(SURROGATE, 0xd800, 0xe000);
}

const KINDS = unpackPlane(POST_KINDS[0]);

/** The second plane is rarely needed, so its table is unpacked on first use. The two planes after it hold only ideographs. */
let laterKinds: Uint8Array | undefined;
const LATER_END = 0x20000;
const IDEOGRAPHS_END = 0x40000;

/** The kinds of the code points of the first two planes, one after another: the core reads posts by the same tables. */
export function kindsOfTwoPlanes(): Uint8Array {
  laterKinds ??= unpackPlane(POST_KINDS[1]);
  const kinds = new Uint8Array(LATER_END);
  kinds.set(KINDS);
  kinds.set(laterKinds, 0x10000);
  return kinds;
}

function kindOfCode(code: number): number {
  if (code < 0x10000) return code >= 0xd800 && code <= 0xdfff ? SEPARATOR : KINDS[code]!;
  if (code >= LATER_END) return code < IDEOGRAPHS_END ? SPACELESS : SEPARATOR;
  laterKinds ??= unpackPlane(POST_KINDS[1]);
  return laterKinds[code - 0x10000]!;
}

const makeScanner =
  (spacelessKind: number): WordScanner =>
  (text, into, from = 0, enough = text.length) => {
    const { length } = text;
    const first = into.count;
    let start = -1;
    for (let at = from; at < length; ) {
      if (at >= enough && start < 0) return at;
      const unit = text.charCodeAt(at);
      let kind = KINDS[unit]!;
      let width = 1;
      if (kind === SURROGATE) {
        const code = text.codePointAt(at)!;
        kind = kindOfCode(code);
        width = code > 0xffff ? 2 : 1;
      }
      if (kind === SPACELESS) kind = spacelessKind;
      if (kind === LETTER || kind === MARK) {
        if (start < 0) start = at;
        at += width;
        continue;
      }
      if (start >= 0) {
        pushWord(into, start, at);
        start = -1;
      }
      if (kind === SEPARATOR) {
        at += width;
      } else if (kind === KEYCAP) {
        pushKeycap(text, at, first, into);
        at += width;
      } else {
        const end = kind === EMOJI ? endOfEmoji(text, at) : endOfMarks(text, at + width);
        pushWord(into, at, end);
        at = end;
      }
    }
    if (start >= 0) pushWord(into, start, length);
    return length;
  };

/** The words of a post or a rule. */
export const scanWords: WordScanner = makeScanner(SPACELESS);

/** The words of a text in which a run of a script without blanks is one word, like a run of letters. */
export const scanWholeRuns: WordScanner = makeScanner(LETTER);

function endOfMarks(text: string, from: number): number {
  let at = from;
  while (at < text.length && KINDS[text.charCodeAt(at)] === MARK) at++;
  return at;
}

const isVariationSelector = (unit: number) => unit === 0xfe0f || unit === 0xfe0e;
const isSkinTone = (code: number) => code >= 0x1f3fb && code <= 0x1f3ff;
const isRegional = (code: number) => code >= 0x1f1e6 && code <= 0x1f1ff;
const isTag = (code: number) => code >= 0xe0020 && code <= 0xe007f;

/** Two regional letters are a flag; otherwise emoji joined by joiners, each with selector, skin tone and tags, are one. */
function endOfEmoji(text: string, from: number): number {
  const first = text.codePointAt(from)!;
  if (isRegional(first)) return from + (isRegional(text.codePointAt(from + 2) ?? 0) ? 4 : 2);
  let at = from;
  for (;;) {
    at += text.codePointAt(at)! > 0xffff ? 2 : 1;
    if (isVariationSelector(text.charCodeAt(at))) at++;
    if (isSkinTone(text.codePointAt(at) ?? 0)) at += 2;
    if (isVariationSelector(text.charCodeAt(at))) at++;
    while (isTag(text.codePointAt(at) ?? 0)) at += 2;
    if (text.charCodeAt(at) !== ZERO_WIDTH_JOINER || kindOfCode(text.codePointAt(at + 1) ?? 0) !== EMOJI) return at;
    at++;
  }
}

/** Adds a keycap emoji. Its digit was already read as a word or as the end of one, so it is removed from there first. */
function pushKeycap(text: string, at: number, first: number, into: WordSpans): void {
  const base = isVariationSelector(text.charCodeAt(at - 1)) ? at - 2 : at - 1;
  if (base < 0 || !'0123456789#*'.includes(text.charAt(base))) return;
  const last = into.count - 1;
  if (last >= first && into.ends[last]! > base) {
    if (into.starts[last] === base) into.count--;
    else into.ends[last] = base;
  }
  pushWord(into, base, at + 1);
}

/** The words of a folded text. */
export const wordsOf = (text: string, scan: WordScanner = scanWords): string[] => cutWords(text, scan);

/** Whether a keyword may begin with the character at this place: anything but X's punctuation, emoji included. */
export function mayBeginKeyword(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return !PUNCTUATION.includes(text.charAt(at)) && unit > 0x20 && unit < 0x7b;
  if (kindOfCode(text.codePointAt(at)!) === EMOJI) return true;
  if ((unit >= 0x300 && unit <= 0x36f) || text.charAt(at).trim() === '') return false;
  return !PUNCTUATION_RANGES.some(([first, last]) => unit >= first && unit <= last);
}

/** Whether the text is a single word in which each character is one that blanks never separate, for instance `火山`. */
export const isSpaceless = (text: string): boolean => {
  for (const character of text) {
    const kind = kindOfCode(character.codePointAt(0)!);
    if (kind !== SPACELESS && kind !== MARK) return false;
  }
  return true;
};

/** How texts are compared: lower case, composed, and without the selectors that only choose how an emoji looks. */
export function fold(text: string): string {
  if (!MAY_COMPOSE.test(text)) return text.toLowerCase();
  return normalize(lowerCase(text.replaceAll(/[\ufe0e\ufe0f]/g, '')), 'NFC');
}

/**
 * Lower case in which no letter depends on its neighbours: `Σ` before a full stop and a letter becomes another one than at
 * the end of the text, and a word must be found in both places.
 */
export const lowerCase = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');

/** A folded text as Greek is written: with `ς` at the end of its words. */
export const withFinalSigmas = (folded: string): string => folded.replaceAll('σ', 'Σ').toLowerCase();

/**
 * All but the units that are composed already and compose with nothing after them. Nearly all of every post is such units
 * (the high surrogates are those of emoji), and asking for the normal form costs more than all the rest of folding.
 */
const MAY_COMPOSE =
  /[^\0-\u02ff\u0400-\u0482\u048a-\u052f\u0621-\u064a\u2010-\u2027\u3001-\u3029\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\udc00-\udfff\ud83c-\ud83e\uff01-\uff5e]/;
