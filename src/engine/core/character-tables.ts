/**
 * The tables by which the core folds and cuts posts (`core/text.ts`), made from the very code that does it in TypeScript, so
 * that both have the same Unicode. A character is odd when folding depends on its neighbours: the core leaves those alone.
 */
import { isTagCharacter, isTagLetter } from '../../rules/x/lexer.ts';
import { kindsOfTwoPlanes, lowerCase } from '../../rules/x/words.ts';
import { madeOnce } from './made-once.ts';
import { type CharacterTables, preparedTables } from './prepared-tables.ts';

const LEFT_OUT = 7;
const ODD = 8;
const IN_TAG = 16;
const TAG_LETTER = 32;
const SPECIAL = 64;

const PLANE = 0x10000;
/** Characters looked at in one step. */
const STEP = 0x800;
const LATER_END = 0x20000;
const SURROGATES = [0xd800, 0xdfff] as const;
/** Vowels and finals of Hangul, which melt into the syllable before them. */
const JAMO = [0x1160, 0x11ff] as const;

/** Characters that end the core's shortest way through a text. */
const SPECIAL_CHARACTERS = '"\\&.$#@';

/** One mark of each class of marks that can be told apart, in the order in which normal form puts them. */
const MARKS_IN_ORDER =
  '\u0334\u093c\u3099\u094d\u05b0\u05b1\u05b2\u05b3\u05b4\u05b5\u05b6\u05b7\u05b8\u05b9\u05bb\u05bc\u05bd\u05bf\u05c1\u05c2\ufb1e\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652\u0670\u0711\u0e38\u0e48\u0eb8\u0ec8\u0f71\u0f72\u0f74\u0321\u031b\u0316\u059a\u302e\u0301\u0315\u035c\u035d\u0345';

export const characterTables = madeOnce(function* () {
  return preparedTables()?.characters ?? (yield* makeCharacterTables());
});

export function* makeCharacterTables(): Generator<number, CharacterTables> {
  const lower = new Uint16Array(PLANE);
  const kinds = kindsOfTwoPlanes();
  const ranks = new Uint8Array(PLANE);
  yield STEP;
  const melting = yield* meltingCharacters();
  for (let code = 0; code < LATER_END; code++) {
    if (code % STEP === 0) yield STEP;
    const folded = lowerCase(String.fromCodePoint(code));
    const isMark = code >= 0x300 && /^\p{M}/u.test(folded);
    if (code < PLANE) lower[code] = folded.charCodeAt(0);
    const rank = isMark && code < PLANE ? rankOf(folded) : 0;
    if (rank === undefined || isOdd(code, folded, isMark, melting)) kinds[code]! |= ODD;
    else if (rank > 0) ranks[code] = rank;
    if (isTagCharacter(code)) kinds[code]! |= IN_TAG;
    if (isTagLetter(code)) kinds[code]! |= TAG_LETTER;
    if (code < 0x20) kinds[code]! |= SPECIAL;
  }
  for (const selector of [0xfe0e, 0xfe0f]) kinds[selector] = LEFT_OUT | IN_TAG | TAG_LETTER;
  for (const character of SPECIAL_CHARACTERS) kinds[character.charCodeAt(0)]! |= SPECIAL;
  return { lower, kinds, ranks };
}

function isOdd(code: number, folded: string, isMark: boolean, melting: ReadonlySet<string>): boolean {
  if (code < 0x80) return false;
  if (isWithin(code, SURROGATES) || isWithin(code, JAMO)) return true;
  if (code < PLANE ? folded.length !== 1 : isMark || folded !== String.fromCodePoint(code)) return true;
  return folded.normalize('NFC') !== folded || melting.has(folded);
}

const isWithin = (code: number, [first, last]: readonly [number, number]) => code >= first && code <= last;

/** Every character that stands behind the first one in what some character is taken apart into. */
function* meltingCharacters(): Generator<number, Set<string>> {
  const melting = new Set<string>();
  for (let code = 0xc0; code < LATER_END; code++) {
    if (code % STEP === 0) yield STEP;
    if (isWithin(code, SURROGATES)) continue;
    const whole = String.fromCodePoint(code);
    const parts = whole.normalize('NFD');
    if (parts !== whole) for (const character of Array.from(parts).slice(1)) melting.add(character);
  }
  return melting;
}

/** The place of a mark among the classes, from 1 on; 0 when it stays where it stands, undefined when its class is not known. */
function rankOf(mark: string): number | undefined {
  // Normal form puts a mark behind all of its own class that stood before it, and before all that stood behind it.
  const notAbove = Array.from(`a${MARKS_IN_ORDER}${mark}`.normalize('NFD')).lastIndexOf(mark) - 1;
  const below = Array.from(`a${mark}${MARKS_IN_ORDER}`.normalize('NFD')).indexOf(mark) - 1;
  if (notAbove - below === MARKS_IN_ORDER.length) return 0;
  return notAbove - below === 1 ? below + 1 : undefined;
}
