/** Which matches without a rating look like those that were rated irrelevant, by their words. */
import { textTokens } from './features.ts';

/** The texts of a rule's matches. */
export interface RatedTexts {
  readonly irrelevant: readonly string[];
  readonly relevant: readonly string[];
  /** The newest first. */
  readonly unrated: readonly string[];
}

export interface Likeness {
  /** The number of an unrated text. Words of `terms` do not count: they are why it is asked. */
  isAlike(unrated: number, terms: readonly string[]): boolean;
}

/** With fewer relevant ratings nothing looks irrelevant: it is not known what else the rule brings. */
export const MIN_RELEVANT = 3;
/** One rated relevant text says as much of what is wanted as this many that nobody has rated. */
const RATED_WEIGHT = 20;
/** A word counts as if it had been seen in this many irrelevant texts as often as in all matches. */
const INERTIA = 5;
const MAX_WEIGHT = 3;

/** `checkpoint` throws to end the work. */
export function likenessOf({ irrelevant, relevant, unrated }: RatedTexts, checkpoint: () => void = () => {}): Likeness {
  if (relevant.length < MIN_RELEVANT) return { isAlike: () => false };
  const inNoise = countWords(irrelevant, checkpoint);
  const inRelevant = countWords(relevant, checkpoint);
  const inUnrated = countWords(unrated, checkpoint);
  const all = unrated.length + RATED_WEIGHT * relevant.length + 1;
  const weightOf = (word: string): number => {
    const usual = ((inUnrated.get(word) ?? 0) + RATED_WEIGHT * (inRelevant.get(word) ?? 0) + 0.5) / all;
    const share = ((inNoise.get(word) ?? 0) + INERTIA * usual) / (irrelevant.length + INERTIA);
    return Math.min(MAX_WEIGHT, Math.max(-MAX_WEIGHT, Math.log(share / usual)));
  };
  const looks: { readonly words: ReadonlySet<string>; readonly sum: number }[] = [];
  for (const text of unrated) {
    const words = wordsOf(text);
    looks.push({ words, sum: sumOf(words, weightOf) });
    checkpoint();
  }
  return {
    isAlike(at, terms) {
      const { words, sum } = looks[at]!;
      const own = ownWords(terms).filter((word) => words.has(word));
      return sum - sumOf(own, weightOf) > 0;
    },
  };
}

function sumOf(words: Iterable<string>, weightOf: (word: string) => number): number {
  let sum = 0;
  for (const word of words) sum += weightOf(word);
  return sum;
}

const wordsOf = (text: string): Set<string> => new Set(textTokens(text));

/** The words of terms, as words, tags and mentions. */
function ownWords(terms: readonly string[]): string[] {
  const bare = terms.flatMap((term) => term.split(' ')).map((word) => word.replace(/^[#@]/, ''));
  return [...new Set(bare)].flatMap((word) => [word, `#${word}`, `@${word}`]);
}

function countWords(texts: readonly string[], checkpoint: () => void): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) {
    const words = wordsOf(text);
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    checkpoint();
  }
  return counts;
}
