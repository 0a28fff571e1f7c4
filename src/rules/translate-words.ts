/**
 * Compares how the two languages read a word. Both fold it and cut it out of a text, each in its own way: X ends a word
 * at every sign, Firehose keeps `tesla's`, `tesla.com` and `tesla_model` whole; X composes accents and knows the `ς` at
 * a word's end, Firehose does neither; Firehose takes `İ` for `i`.
 */
import { analyze } from './firehose/build.ts';
import { isSpaceless, fold as xFold, wordsOf as xWords } from './x/words.ts';

/** A letter whose capital one side reads as another letter: `İ` is `i` on pages, and what `Σ` is depends on its place on X. */
const FOLDED_APART = /[iσς]|i̇/u;
const PLAIN = /^[\p{L}\p{Nd}][\p{L}\p{Nd}\p{Mn}\p{Mc}]*$/u;
/** Parts of Hangul syllables may melt into what stands before them. */
const MELTING = /[\u1160-\u11ff\ud7b0-\ud7ff]/;

/**
 * Whether a page that holds this as one word is a post that holds it as one: letters and digits that both fold alike. The
 * other way round it is never so, as of `tesla's`.
 */
function isPlainWord(word: string): boolean {
  if (!PLAIN.test(word) || FOLDED_APART.test(word) || MELTING.test(word)) return false;
  // Scripts that pages cut off from their neighbours, and posts do not, fail the second.
  return isOne(xWords(xFold(word)), xFold(word)) && isOne(analyze('title', `a${word}a`), `a${word}a`);
}

/** Whether the same holds of a word with signs inside: X compares it to the letter. */
export const isPlainName = (word: string): boolean =>
  isOne(analyze('title', word), word) &&
  word.split(/['’.:,;_]/).every((part) => part === '' || isPlainWord(part)) &&
  /^[\p{L}\p{Nd}].*[\p{L}\p{Nd}\p{M}]$/su.test(word);

const isOne = (words: readonly (string | null)[], word: string): boolean => words.length === 1 && words[0] === word;

/** One emoji of one code point, as both cut it; the selector of its style is left out by X. */
export const isPlainEmoji = (word: string): boolean => /^\p{Extended_Pictographic}\ufe0f?$/u.test(word);

/** A character that is one word in both: an ideograph or a hiragana, which no neighbour joins on pages. */
export const isPlainIdeograph = (word: string): boolean =>
  isSpaceless(word) && /^.$/su.test(word) && !/[\p{M}]/u.test(word) && !joinsItself(word);

/** Katakana, Thai and the like: on pages a whole run of them is one word, on X each character is. */
export const isOfRuns = (text: string): boolean => isSpaceless(text) && joinsItself(text);

const joinsItself = (text: string): boolean => analyze('title', text + text).length === 1;

/** The spellings that Firehose may have made of a text that X has folded so. */
export function spellingsOnPages(text: string): string[] {
  const spellings = [text, text.replaceAll('i̇', 'i'), text.replaceAll('ς', 'σ')];
  if (/^\p{Extended_Pictographic}$/u.test(text)) spellings.push(`${text}\ufe0f`);
  return [...new Set(spellings)];
}

/** The spellings that X may have made of a word that Firehose has folded so. */
export const spellingsOnPosts = (word: string): string[] => [
  ...new Set([xFold(word.replace(/σ$/u, 'ς')), xFold(word)]),
];

/** Examples of words that X finds the word in, and Firehose does not. */
export const longerWords = (word: string): string =>
  /^\p{L}+[^s\P{L}]$/u.test(word) ? `${word}'s and ${word}.com` : `${word}.com and ${word}_1`;

/** Language codes of posts and of pages: X still writes two of them the old way. */
const ON_PAGES: Readonly<Record<string, string>> = { iw: 'he', in: 'id' };
const ON_POSTS: Readonly<Record<string, string>> = { he: 'iw', id: 'in' };

export const languageOnPages = (code: string): string => ON_PAGES[code] ?? code;
export const languageOnPosts = (code: string): string => ON_POSTS[code] ?? code;
