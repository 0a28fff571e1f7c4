/** Relevance before anything is rated: how texts are written that people called informative. */
import { type StyleTrait, type Traces, textTokens, wordDigest } from './features.ts';
import { isTelling } from './terms.ts';

export type Trait = StyleTrait | 'usualWords' | 'intentWords';

export interface Prior {
  /** The weight is that of one spread above the mean. */
  readonly traits: Readonly<Record<Trait, { readonly mean: number; readonly spread: number; readonly weight: number }>>;
  /** Above even odds: more than half of all texts were relevant. */
  readonly share: number;
}

/** The words that a rule's matches are compared with. */
export interface RuleWords {
  /** The words of its matches. */
  readonly usual: UsualWords;
  /** The words of its intent by their digests, each with its share of the whole: rare ones have more. Empty without one. */
  readonly intent: ReadonlyMap<number, number>;
}

export function intentWords(intent: string, { texts, counts }: UsualWords): RuleWords['intent'] {
  const words = [...new Set(textTokens(intent).filter(isTelling).map(wordDigest))];
  const isKnown = texts >= MIN_TEXTS;
  const rarity = words.map((word) => (isKnown ? Math.log((texts + 2) / ((counts.get(word) ?? 0) + 1)) : 1));
  const all = rarity.reduce((sum, one) => sum + one, 0);
  return new Map(words.map((word, at) => [word, all === 0 ? 0 : rarity[at]! / all]));
}

/** A trait counts for no more than this many spreads: a very short text is no worse than a short one. */
const MOST = 2;

/** In units of their spread; what is not known is as usual. The last stands for the share. */
export function traitRow({ traits }: Prior, traces: Traces, { usual, intent }: RuleWords): number[] {
  const row: number[] = [];
  for (const trait of TRAITS) {
    const { mean, spread } = traits[trait];
    const value = rawTrait(trait, traces, { usual, intent });
    row.push(Number.isNaN(value) ? 0 : Math.max(-MOST, Math.min(MOST, (value - mean) / spread)));
  }
  row.push(1);
  return row;
}

/** NaN where it cannot be told. */
export function rawTrait(trait: Trait, traces: Traces, { usual, intent }: RuleWords): number {
  if (trait === 'usualWords') return usualness(traces, usual);
  if (trait === 'intentWords') return overlap(traces, intent);
  return traces.traits[trait] ?? NaN;
}

/** Which share of the intent the text has. */
function overlap({ words }: Traces, intent: RuleWords['intent']): number {
  if (intent.size === 0) return NaN;
  let found = 0;
  for (const word of words) found += intent.get(word) ?? 0;
  return found;
}

/** Measured on 17 collections of posts that people labelled (CrisisLexT26). */
export const KNOWN: Prior = {
  traits: {
    links: { mean: 0.544, spread: 0.551, weight: 0.513 },
    hashtags: { mean: 0.526, spread: 0.535, weight: -0.232 },
    mentions: { mean: 0.479, spread: 0.412, weight: 0.251 },
    repost: { mean: 0.498, spread: 0.5, weight: -0.325 },
    numbers: { mean: 0.3, spread: 0.513, weight: 0.394 },
    personalWords: { mean: 0.282, spread: 0.467, weight: -0.242 },
    personalShare: { mean: 0.031, spread: 0.059, weight: -0.63 },
    exclamations: { mean: 0.086, spread: 0.287, weight: -0.227 },
    questions: { mean: 0.04, spread: 0.18, weight: -0.194 },
    names: { mean: 1.167, spread: 0.629, weight: 0.219 },
    capitals: { mean: 0.228, spread: 0.451, weight: 0.231 },
    emoticon: { mean: 0.041, spread: 0.197, weight: -0.265 },
    logSize: { mean: 2.678, spread: 0.43, weight: 0.912 },
    size: { mean: 0.786, spread: 0.271, weight: -0.592 },
    colon: { mean: 0.676, spread: 0.468, weight: 0.258 },
    usualWords: { mean: 0.128, spread: 0.049, weight: 0.393 },
    // The collections' names say little beyond their keywords (0.02). An intent says more: that weight is a guess, which ratings correct.
    intentWords: { mean: 0.245, spread: 0.339, weight: 0.1 },
  },
  share: 0.483,
};

export const TRAITS = Object.keys(KNOWN.traits) as Trait[];

/** The words that a rule's matches usually have, by their digests. */
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
const MIN_TEXTS = 20;

/** How much of a text is what the others have; NaN where that cannot be told. */
function usualness({ words, size }: Traces, { texts, weights }: UsualWords): number {
  if (texts < MIN_TEXTS || size === 0) return NaN;
  let sum = 0;
  for (const word of words) sum += weights.get(word) ?? 0;
  return sum / size;
}
