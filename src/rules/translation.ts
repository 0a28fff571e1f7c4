/** The result of a translation: the text, and clause by clause what became of the meaning. */
import { analyze } from './firehose/build.ts';
import type { Predicate, Query } from './query.ts';
import { isSpaceless, withFinalSigmas, fold as xFold, wordsOf as xWords } from './x/words.ts';

export interface Translation {
  /** It is undefined when nothing that the other language accepts is left. */
  readonly text: string | undefined;
  /** The query that `text` is read as. */
  readonly query: Query | undefined;
  /** The verdict on the whole, joined from the clauses. It is impossible when there is no text. */
  readonly verdict: TranslationVerdict;
  readonly clauses: readonly TranslatedClause[];
}

export interface TranslatedClause {
  /** The clause in its own language, its negation included. */
  readonly clause: string;
  /** Empty where the clause always holds over there; undefined where it was left out. */
  readonly becomes: string | undefined;
  readonly verdict: TranslationVerdict;
  /** The effect on the whole of leaving it out; undefined when it was kept, and when nothing of the whole is left. */
  readonly leftOut: 'wider' | 'narrower' | undefined;
  readonly reason: string;
  /** The queries on both sides, the negation included. */
  readonly source: Query;
  readonly target: Query | undefined;
}

/**
 * How two queries compare on a post and a page that say the same (the page's address is a link of the post, its title
 * stands in the post). Exact: a proof says that they hold for the same ones. Wider: the other holds wherever the one does.
 * Differs: neither holds wherever the other does.
 *
 * Left aside are texts that hardly exist and that both sides cut in ways of their own: private-use characters, numbers
 * that are no digits (㈠), letters of scripts that have no word rules (Tangut, Tai Tham), marks with no letter before them,
 * and words of more than 255 units.
 */
export type Direction = 'exact' | 'wider' | 'narrower' | 'differs';

/** Impossible: it was left out. */
export type TranslationVerdict = Direction | 'impossible';

/** The translation of one predicate. */
export type Rendering =
  | {
      readonly query: Query;
      readonly verdict: Direction;
      readonly reason: string;
      /** The reason in place of that, where the clause is excluded. */
      readonly excluded?: string;
    }
  | { readonly impossible: string };

/** A predicate, or the two alternatives that `place:` and `lang:zh-CN` stand for. */
export type Unit = Predicate | { readonly kind: 'any'; readonly of: readonly [Predicate, Predicate] };

const OPPOSITE: Readonly<Record<Direction, Direction>> = {
  exact: 'exact',
  wider: 'narrower',
  narrower: 'wider',
  differs: 'differs',
};

/** The direction of the negation. */
export const opposite = (direction: Direction): Direction => OPPOSITE[direction];

/** The direction of parts joined by AND or OR: wider if any part is wider, narrower if any is, `differs` if both. */
export function joined(directions: readonly Direction[]): Direction {
  const wider = directions.some((one) => one === 'wider' || one === 'differs');
  const narrower = directions.some((one) => one === 'narrower' || one === 'differs');
  if (wider && narrower) return 'differs';
  return wider ? 'wider' : narrower ? 'narrower' : 'exact';
}

/** A letter whose capital one side reads as another letter: `İ` is `i` on pages. */
const FOLDED_APART = /i/;
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
  const spellings = [withFinalSigmas(text), text.replaceAll('i̇', 'i'), text];
  if (/^\p{Extended_Pictographic}$/u.test(text)) spellings.push(`${text}\ufe0f`);
  return [...new Set(spellings)];
}

/** Examples of words that X finds the word in, and Firehose does not. */
export const longerWords = (word: string): string =>
  /^\p{L}+[^s\P{L}]$/u.test(word) ? `${word}'s and ${word}.com` : `${word}.com and ${word}_1`;

/** Language codes of posts and of pages: X still writes two of them the old way. */
const ON_PAGES: Readonly<Record<string, string>> = { iw: 'he', in: 'id' };
const ON_POSTS: Readonly<Record<string, string>> = { he: 'iw', id: 'in' };

/**
 * Compares how the two languages read a word. Both fold it and cut it out of a text, each in its own way: X ends a word
 * at every sign, Firehose keeps `tesla's`, `tesla.com` and `tesla_model` whole; X composes accents and takes `ς` for `σ`,
 * Firehose does neither; Firehose takes `İ` for `i`.
 */
export const languageOnPages = (code: string): string => ON_PAGES[code] ?? code;
export const languageOnPosts = (code: string): string => ON_POSTS[code] ?? code;
