/**
 * How likely the person who rates a rule's matches would call one relevant. It starts from how texts that people called
 * informative are written, and learns from the ratings: how much each trait counts for this rule, and which words.
 */
import { type Trait, textTokens, traitsOf, type UsualWords } from './features.ts';
import { solve } from './solve.ts';

export interface RatedText {
  readonly text: string;
  readonly relevant: boolean;
}

export interface Relevance {
  /** Between 0 and 1. */
  readonly score: number;
  /** The words that the ratings speak for or against, the strongest first. */
  readonly words: readonly { readonly word: string; readonly weight: number }[];
}

export type RelevanceModel = (text: string) => Relevance;

/** Measured on 17 collections of posts that people labelled (CrisisLexT26). The weight is that of one spread above the mean. */
const KNOWN: Readonly<Record<Trait, { mean: number; spread: number; weight: number }>> = {
  links: { mean: 0.544, spread: 0.551, weight: 0.515 },
  hashtags: { mean: 0.526, spread: 0.535, weight: -0.315 },
  mentions: { mean: 0.479, spread: 0.412, weight: 0.21 },
  repost: { mean: 0.498, spread: 0.5, weight: -0.317 },
  numbers: { mean: 0.3, spread: 0.513, weight: 0.39 },
  personalWords: { mean: 0.282, spread: 0.467, weight: -0.305 },
  personalShare: { mean: 0.031, spread: 0.059, weight: -0.615 },
  exclamations: { mean: 0.086, spread: 0.287, weight: -0.218 },
  questions: { mean: 0.04, spread: 0.18, weight: -0.189 },
  names: { mean: 1.437, spread: 0.542, weight: 0.101 },
  capitals: { mean: 0.294, spread: 0.499, weight: 0.238 },
  emoticon: { mean: 0.041, spread: 0.197, weight: -0.262 },
  logSize: { mean: 2.678, spread: 0.43, weight: 0.88 },
  size: { mean: 0.786, spread: 0.271, weight: -0.537 },
  colon: { mean: 0.676, spread: 0.468, weight: 0.263 },
  usualWords: { mean: 0.138, spread: 0.046, weight: 0.318 },
};
const TRAITS = Object.keys(KNOWN) as Trait[];
/** Above even odds: more than half of all texts were relevant. The share stands behind the traits. */
const SHARE_WEIGHT = 0.471;
const WEIGHTS = [...TRAITS.map((trait) => KNOWN[trait].weight), SHARE_WEIGHT];

/** How many ratings it takes to outweigh what is known of a trait, and of the share of relevant ones. */
const TRAIT_INERTIA = 20;
const SHARE_INERTIA = 2;
/** A word counts as if it had been seen this many times in texts of both kinds. */
const WORD_INERTIA = 2;
const WORD_POWER = 0.6;
const MAX_WORDS_SHOWN = 5;

/** `ratings`: those of one rule; `usual`: the words of its matches. */
export function relevanceModel(ratings: readonly RatedText[], usual: UsualWords): RelevanceModel {
  const weights = fittedWeights(ratings, usual);
  const words = wordWeights(ratings);
  return (text) => {
    const tokens = [...new Set(textTokens(text))];
    const known = tokens.flatMap((word) => (words.has(word) ? [{ word, weight: words.get(word)! }] : []));
    const byWords = known.reduce((sum, { weight }) => sum + weight, 0) / Math.sqrt(tokens.length + 1);
    const score = logistic(dot(weights, traits(text, usual)) + WORD_POWER * byWords);
    return {
      score,
      words: known.toSorted((one, other) => Math.abs(other.weight) - Math.abs(one.weight)).slice(0, MAX_WORDS_SHOWN),
    };
  };
}

const logistic = (value: number): number => 1 / (1 + Math.exp(-value));
const dot = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, each, index) => sum + each * other[index]!, 0);

/** In units of their spread; what is not known is as usual. */
function traits(text: string, usual: UsualWords): number[] {
  const found = traitsOf(text, usual);
  const scaled = TRAITS.map((trait) => (found[trait] - KNOWN[trait].mean) / KNOWN[trait].spread);
  return [...scaled.map((value) => (Number.isNaN(value) ? 0 : value)), 1];
}

const STEPS = 12;

/** The weights that explain the ratings best while they stay near what is known: Newton's method. */
function fittedWeights(ratings: readonly RatedText[], usual: UsualWords): readonly number[] {
  if (ratings.length === 0) return WEIGHTS;
  const rows = ratings.map(({ text }) => traits(text, usual));
  const inertia = WEIGHTS.map((_, index) => (index === WEIGHTS.length - 1 ? SHARE_INERTIA : TRAIT_INERTIA));
  let weights = [...WEIGHTS];
  for (let step = 0; step < STEPS; step++) {
    const slope = weights.map((weight, index) => inertia[index]! * (weight - WEIGHTS[index]!));
    const curve = weights.map((_, row) => weights.map((__, column) => (row === column ? inertia[row]! : 0)));
    for (const [number, row] of rows.entries()) {
      const expected = logistic(dot(weights, row));
      const error = expected - (ratings[number]!.relevant ? 1 : 0);
      for (const [i, value] of row.entries()) {
        slope[i]! += error * value;
        for (const [j, other] of row.entries()) curve[i]![j]! += expected * (1 - expected) * value * other;
      }
    }
    const change = solve(curve, slope);
    weights = weights.map((weight, index) => weight - change[index]!);
  }
  return weights;
}

/** How much more often each word stands in relevant texts than the share of relevant texts would make it. */
function wordWeights(ratings: readonly RatedText[]): Map<string, number> {
  const seen = new Map<string, { relevant: number; irrelevant: number }>();
  for (const { text, relevant } of ratings) {
    for (const word of new Set(textTokens(text))) {
      const counts = seen.get(word) ?? { relevant: 0, irrelevant: 0 };
      counts[relevant ? 'relevant' : 'irrelevant'] += 1;
      seen.set(word, counts);
    }
  }
  const share = (ratings.filter(({ relevant }) => relevant).length + 1) / (ratings.length + 2);
  const usualOdds = Math.log(share / (1 - share));
  const weights = new Map<string, number>();
  for (const [word, { relevant, irrelevant }] of seen) {
    const odds = (relevant + WORD_INERTIA * share) / (irrelevant + WORD_INERTIA * (1 - share));
    weights.set(word, Math.log(odds) - usualOdds);
  }
  return weights;
}
