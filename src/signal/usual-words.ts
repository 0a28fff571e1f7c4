/** The words that a rule's matches usually have, by their digests. */
import type { Traces } from './traces.ts';

export interface UsualWords {
  /** How many texts were counted. */
  readonly texts: number;
  /** How many of them have the word. */
  readonly counts: ReadonlyMap<number, number>;
  /** How much the word says of how usual a text is: most is said by one that neither all nor few have. */
  readonly weights: ReadonlyMap<number, number>;
}

export const NO_USUAL_WORDS: UsualWords = { texts: 0, counts: new Map(), weights: new Map() };

/** A word in fewer texts says nothing of the others. */
const MIN_HAVING = 3;
const MAX_WORDS = 2_000;

export function usualWordsOf(texts: readonly Traces[]): UsualWords {
  const counts = new Map<number, number>();
  for (const { words } of texts) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const kept = [...counts].filter(([, having]) => having >= MIN_HAVING).toSorted(([, one], [, other]) => other - one);
  const most = kept.slice(0, MAX_WORDS);
  const weightOf = (having: number) => (Math.log((texts.length + 1) / (having + 1)) * having) / texts.length;
  return {
    texts: texts.length,
    counts: new Map(most),
    weights: new Map(most.map(([word, having]) => [word, weightOf(having)])),
  };
}

/** Texts before which "usual" means nothing. */
export const MIN_TEXTS = 20;

/** How much of a text is what the others have; NaN where that cannot be told. */
export function usualness({ words, size }: Traces, { texts, weights }: UsualWords): number {
  if (texts < MIN_TEXTS || size === 0) return NaN;
  let sum = 0;
  for (const word of words) sum += weights.get(word) ?? 0;
  return sum / size;
}
