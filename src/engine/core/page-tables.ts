/**
 * The tables by which the core folds and cuts pages (`core/passage.ts`, `core/page-classes.ts`), made from the very code that does
 * it in TypeScript, so that both have the same Unicode.
 */
import { SECOND_LEVEL } from '../../base/domains.ts';
import { classesOfTwoPlanes } from '../../rules/firehose/word-classes.ts';
import { fold, STOP_WORDS } from '../../rules/firehose/words.ts';

const ODD = 128;
const PLANE = 0x10000;
/** Places for each first letter, eight bytes each; the last stays empty. */
const PLACES = 16;
const LONGEST = 8;

interface PageTables {
  readonly lower: Uint16Array;
  readonly kinds: Uint8Array;
  readonly stopWords: Uint8Array;
  readonly secondLevels: Uint8Array;
}

let made: PageTables | undefined;

/** Made once, when the first engine for pages is. */
export function pageTables(): PageTables {
  made ??= {
    ...foldingTables(),
    stopWords: wordList(STOP_WORDS),
    secondLevels: wordList(SECOND_LEVEL),
  };
  return made;
}

/** Beyond the first plane there is no room for lower case, so what has one is odd: the core leaves it alone. */
function foldingTables(): Pick<PageTables, 'lower' | 'kinds'> {
  const lower = new Uint16Array(PLANE);
  const kinds = classesOfTwoPlanes();
  for (let code = 0; code < kinds.length; code++) {
    const character = String.fromCodePoint(code);
    const folded = fold(character);
    if (code < PLANE) lower[code] = folded.charCodeAt(0);
    else if (folded !== character) kinds[code]! |= ODD;
  }
  return { lower, kinds };
}

/** Words of up to eight letters, by their first one. */
function wordList(words: Iterable<string>): Uint8Array {
  const list = new Uint8Array(26 * PLACES * LONGEST);
  const counts = new Uint8Array(26);
  for (const word of words) {
    const letter = word.charCodeAt(0) - 0x61;
    if (word.length > LONGEST || counts[letter] === PLACES - 1) throw new Error(`there is no place for ${word}`);
    list.set(Buffer.from(word), (letter * PLACES + counts[letter]!++) * LONGEST);
  }
  return list;
}
