/**
 * The tables by which the core folds and cuts pages (`core/passage.ts`, `core/page-classes.ts`), made from the very code that does
 * it in TypeScript, so that both have the same Unicode.
 */
import { SECOND_LEVEL } from '../../base/domains.ts';
import { classesOfTwoPlanes } from '../../rules/firehose/word-classes.ts';
import { fold, STOP_WORDS } from '../../rules/firehose/words.ts';
import { madeOnce } from './made-once.ts';
import { type PageTables, preparedTables } from './prepared-tables.ts';

const ODD = 128;
const PLANE = 0x10000;
/** Characters looked at in one step. */
const STEP = 0x800;
const PLACES = 256;
const LONGEST = 8;
const ALL_ONES = (1n << 64n) - 1n;

export const pageTables = madeOnce(function* () {
  return preparedTables()?.pages ?? (yield* makePageTables());
});

export function* makePageTables(): Generator<number, PageTables> {
  const folding = yield* foldingTables();
  const stopWords = wordTable(STOP_WORDS);
  yield STEP;
  return { ...folding, stopWords, secondLevels: wordTable(SECOND_LEVEL) };
}

/** Beyond the first plane there is no room for lower case, so what has one is odd: the core leaves it alone. */
function* foldingTables(): Generator<number, Pick<PageTables, 'lower' | 'kinds'>> {
  const lower = new Uint16Array(PLANE);
  const kinds = classesOfTwoPlanes();
  for (let code = 0; code < kinds.length; code++) {
    if (code % STEP === 0) yield STEP;
    const character = String.fromCodePoint(code);
    const folded = fold(character);
    if (code < PLANE) lower[code] = folded.charCodeAt(0);
    else if (folded !== character) kinds[code]! |= ODD;
  }
  return { lower, kinds };
}

/** Words of up to eight letters, each at the place that the top byte of its product with the first number says. */
function wordTable(words: Iterable<string>): Uint8Array {
  const packed = Array.from(words, packWord);
  const placeOf = (word: bigint, factor: bigint) => Number(((word * factor) & ALL_ONES) >> 56n);
  let factor = 0x9e3779b97f4a7c15n;
  while (new Set(packed.map((word) => placeOf(word, factor))).size < packed.length) {
    factor = (factor * 0xd1342543de82ef95n + 2n) & ALL_ONES;
  }
  const table = new BigUint64Array(1 + PLACES);
  table[0] = factor;
  for (const word of packed) table[1 + placeOf(word, factor)] = word;
  return new Uint8Array(table.buffer);
}

function packWord(word: string): bigint {
  if (word.length > LONGEST) throw new Error(`${word} is too long for the table`);
  return Buffer.from(word.padEnd(LONGEST, '\0')).readBigUInt64LE();
}
