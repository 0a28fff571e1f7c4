/**
 * The word-break class of every code point: Unicode's Word_Break property, with its "Other" split up where Lucene's
 * standard tokenizer makes words of such characters (Han, Hiragana, South-East Asian scripts, emoji). JavaScript does
 * not know Word_Break, so the classes are derived from the properties that define it in UAX #29.
 */
import { PAGE_CLASSES } from '../plane-tables.ts';
import { charactersOfPlane, unpackPlane } from '../planes.ts';

export const OTHER = 0;
export const LETTER = 1;
export const NUMERIC = 2;
export const HEBREW = 3;
export const KATAKANA = 4;
/** Underscores and similar characters: they join letters and digits, but are not words alone. */
export const JOINER = 5;
/** Extend and Format: they belong to the character before them. */
export const MARK = 6;
/** A skin tone: a mark or, if there is nothing to mark, an emoji. */
export const SKIN_TONE = 7;
export const ZWJ = 8;
export const MID_LETTER = 9;
export const MID_BOTH = 10;
export const MID_NUMBER = 11;
export const SINGLE_QUOTE = 12;
export const DOUBLE_QUOTE = 13;
export const HAN = 14;
export const HIRAGANA = 15;
/** Thai, Lao, Khmer, Myanmar and others: a run of them is one word. */
export const COMPLEX = 16;
export const PICTOGRAPH = 17;
/** Half of a flag. */
export const REGIONAL = 18;
export const SPACE = 19;
export const CR = 20;
export const LF = 21;
export const NEWLINE = 22;

/** Extended_Pictographic as of Unicode 12; later versions took characters out of it. */
const PICTOGRAPHS = String.raw`\xA9\xAE\u203C\u2049\u2122\u2194-\u2199\u21A9\u21AA\u231A\u231B\u2328\u2388\u23CF\u23E9-\u23F3\u23F8-\u23FA\u25AA\u25AB\u25B6\u25C0\u25FB-\u25FE\u2600-\u2605\u2607-\u2612\u2614-\u2685\u2690-\u2705\u2708-\u2712\u2714\u2716\u271D\u2721\u2728\u2733\u2734\u2744\u2747\u274C\u274E\u2753-\u2755\u2757\u2763-\u2767\u2795-\u2797\u27A1\u27B0\u27BF\u2934\u2935\u2B05-\u2B07\u2B1B\u2B1C\u2B50\u2B55\u3030\u303D\u3297\u3299\u{1F000}-\u{1F0FF}\u{1F10D}-\u{1F10F}\u{1F12F}\u{1F16C}-\u{1F16F}\u{1F18E}\u{1F191}-\u{1F19A}\u{1F1AD}-\u{1F1E5}\u{1F201}-\u{1F20F}\u{1F21A}\u{1F22F}\u{1F232}-\u{1F23A}\u{1F23C}-\u{1F23F}\u{1F249}-\u{1F3FA}\u{1F400}-\u{1F53D}\u{1F546}-\u{1F64F}\u{1F680}-\u{1F6FF}\u{1F774}-\u{1F77F}\u{1F7D5}-\u{1F7FF}\u{1F80C}-\u{1F80F}\u{1F848}-\u{1F84F}\u{1F85A}-\u{1F85F}\u{1F888}-\u{1F88F}\u{1F8AE}-\u{1F8FF}\u{1F90C}-\u{1F93A}\u{1F93C}-\u{1F945}\u{1F947}-\u{1FAFF}\u{1FC00}-\u{1FFFD}`;

const SOUTH_EAST_ASIAN = String.raw`[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tai_Le}\p{Script=New_Tai_Lue}\p{Script=Tai_Tham}\p{Script=Tai_Viet}\p{Script=Ahom}]`;

/** Later lines overwrite earlier ones: the most general first. */
const CLASSES: readonly (readonly [number, string])[] = [
  [
    LETTER,
    String.raw`[[\p{Alphabetic}\u02C2-\u02C5\u02D2-\u02D7\u02DE\u02DF\u02E5-\u02EB\u02ED\u02EF-\u02FF\u055A-\u055C\u055E\u058A\u05F3\uA708-\uA716\uA720\uA721\uA789\uA78A\uAB5B]--\p{Ideographic}]`,
  ],
  [HIRAGANA, String.raw`\p{Script=Hiragana}`],
  [COMPLEX, String.raw`[${SOUTH_EAST_ASIAN}&&[\p{L}\u19DE\u19DF\u1AA0-\u1AA6\u1AA8-\u1AAD\uAADE\uAADF]]`],
  [HAN, String.raw`\p{Script=Han}`],
  [KATAKANA, String.raw`[\p{Script=Katakana}\u3031-\u3035\u309B\u309C\u30A0\u30FC\uFF70]`],
  [HEBREW, String.raw`[\p{Script=Hebrew}&&\p{Lo}]`],
  [NUMERIC, String.raw`[\p{Nd}\u066B]`],
  [JOINER, String.raw`[\p{Pc}\u202F]`],
  [SPACE, String.raw`[\p{Zs}--[\u00A0\u2007\u202F]]`],
  [PICTOGRAPH, `[${PICTOGRAPHS}]`],
  [REGIONAL, String.raw`\p{Regional_Indicator}`],
  [MARK, String.raw`[[\p{Cf}\p{Grapheme_Extend}\p{Mc}]--[\u200B]]`],
  [SKIN_TONE, String.raw`\p{Emoji_Modifier}`],
];

/** Single characters of the basic plane, which go before the classes above. */
const CHARACTERS: readonly (readonly [number, string])[] = [
  [ZWJ, '\u200D'],
  [MID_LETTER, ':\u00B7\u0387\u055F\u05F4\u2027\uFE13\uFE55\uFF1A'],
  [MID_BOTH, '.\u2018\u2019\u2024\uFE52\uFF07\uFF0E'],
  [MID_NUMBER, ',;\u037E\u0589\u060C\u060D\u066C\u07F8\u2044\uFE10\uFE14\uFE50\uFE54\uFF0C\uFF1B'],
  [SINGLE_QUOTE, "'"],
  [DOUBLE_QUOTE, '"'],
  [CR, '\r'],
  [LF, '\n'],
  [NEWLINE, '\v\f\u0085\u2028\u2029'],
];

const PLANE_SIZE = 0x10000;

/** Makes the table that `npm run core` keeps: each class is run over all code points of the plane at once. */
export function makeClasses(plane: 0 | 1): Uint8Array {
  const classes = new Uint8Array(PLANE_SIZE);
  const characters = charactersOfPlane(plane);
  const width = plane + 1;
  for (const [name, pattern] of CLASSES) {
    for (const run of characters.matchAll(new RegExp(`(?:${pattern})+`, 'gv'))) {
      classes.fill(name, run.index / width, (run.index + run[0].length) / width);
    }
  }
  if (plane === 0)
    for (const [name, singles] of CHARACTERS) for (const single of singles) classes[single.charCodeAt(0)] = name;
  return classes;
}

export const BASIC: Uint8Array = unpackPlane(PAGE_CLASSES[0]);

/** Emoji and rare scripts: unpacked when the first of them is met. */
let later: Uint8Array | undefined;

/** The classes of the code points of the first two planes, one after another: the core cuts pages by the same tables. */
export function classesOfTwoPlanes(): Uint8Array {
  later ??= unpackPlane(PAGE_CLASSES[1]);
  const classes = new Uint8Array(2 * PLANE_SIZE);
  classes.set(BASIC);
  classes.set(later, PLANE_SIZE);
  return classes;
}

/** For code points above the basic plane. */
export function classOfAstral(code: number): number {
  if (code < 2 * PLANE_SIZE) {
    later ??= unpackPlane(PAGE_CLASSES[1]);
    return later[code - PLANE_SIZE]!;
  }
  if (code < 0x40000) return HAN;
  return code >= 0xe0000 && code <= 0xe01ef ? MARK : OTHER;
}
