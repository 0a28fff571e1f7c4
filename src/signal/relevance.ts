/**
 * How likely the person who rates a rule's matches would call one relevant. It starts from how texts that people called
 * informative are written, and learns from the ratings: how much each trait counts for this rule, and which words.
 */
import { type StyleTrait, textTokens } from './features.ts';
import { solve } from './solve.ts';
import { type Traces, wordDigest } from './traces.ts';
import { type UsualWords, usualness } from './usual-words.ts';

export interface RatedTraces {
  readonly traces: Traces;
  readonly relevant: boolean;
}

export interface RelevanceModel {
  /** Between 0 and 1. */
  score(traces: Traces): number;
  /** The words of a text that speak for or against it, the strongest first. */
  words(text: string): readonly WeightedWord[];
  /** How many words it knows. */
  readonly size: number;
}

export interface WeightedWord {
  readonly word: string;
  /** Positive: it speaks for the text. */
  readonly weight: number;
}

type Trait = StyleTrait | 'usualWords';

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
const STYLE_TRAITS = (Object.keys(KNOWN) as Trait[]).filter((trait) => trait !== 'usualWords');
const TRAITS: readonly Trait[] = [...STYLE_TRAITS, 'usualWords'];
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
export function relevanceModel(ratings: readonly RatedTraces[], usual: UsualWords): RelevanceModel {
  const weights = fittedWeights(ratings.slice(0, MAX_FITTED), usual);
  const words = wordWeights(ratings);
  return {
    score(traces) {
      let byWords = 0;
      for (const word of traces.words) byWords += words.get(word) ?? 0;
      byWords /= Math.sqrt(traces.words.length + 1);
      return logistic(dot(weights, traitsOf(traces, usual)) + WORD_POWER * byWords);
    },
    words: (text) =>
      [...new Set(textTokens(text))]
        .map((word) => ({ word, weight: words.get(wordDigest(word)) ?? 0 }))
        .filter(({ weight }) => weight !== 0)
        .toSorted((one, other) => Math.abs(other.weight) - Math.abs(one.weight))
        .slice(0, MAX_WORDS_SHOWN),
    size: words.size,
  };
}

const logistic = (value: number): number => 1 / (1 + Math.exp(-value));
const dot = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, each, index) => sum + each * other[index]!, 0);

/** In units of their spread; what is not known is as usual. */
function traitsOf(traces: Traces, usual: UsualWords): number[] {
  const row = STYLE_TRAITS.map((trait) => inSpreads(trait, traces.traits[trait]));
  row.push(inSpreads('usualWords', usualness(traces, usual)), 1);
  return row;
}

function inSpreads(trait: Trait, value: number | undefined): number {
  if (value === undefined || Number.isNaN(value)) return 0;
  return (value - KNOWN[trait].mean) / KNOWN[trait].spread;
}

const STEPS = 12;
/** A step that changes no weight by this much is the last. */
const SMALLEST_STEP = 1e-4;
/** The newest ratings, which say how much each trait counts: more cost time and change little. */
const MAX_FITTED = 500;

/** The weights that explain the ratings best while they stay near what is known: Newton's method. */
function fittedWeights(ratings: readonly RatedTraces[], usual: UsualWords): readonly number[] {
  if (ratings.length === 0) return WEIGHTS;
  const rows = ratings.map(({ traces }) => traitsOf(traces, usual));
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
    if (change.every((each) => Math.abs(each) < SMALLEST_STEP)) break;
  }
  return weights;
}

/** How much more often each word stands in relevant texts than the share of relevant texts would make it. */
function wordWeights(ratings: readonly RatedTraces[]): Map<number, number> {
  const seen = new Map<number, { relevant: number; irrelevant: number }>();
  for (const { traces, relevant } of ratings) {
    for (const word of traces.words) {
      const counts = seen.get(word) ?? { relevant: 0, irrelevant: 0 };
      counts[relevant ? 'relevant' : 'irrelevant'] += 1;
      seen.set(word, counts);
    }
  }
  const share = (ratings.filter(({ relevant }) => relevant).length + 1) / (ratings.length + 2);
  const usualOdds = Math.log(share / (1 - share));
  const weights = new Map<number, number>();
  for (const [word, { relevant, irrelevant }] of seen) {
    const odds = (relevant + WORD_INERTIA * share) / (irrelevant + WORD_INERTIA * (1 - share));
    weights.set(word, Math.log(odds) - usualOdds);
  }
  return strongest(weights);
}

/** A model is kept in memory, so it has a bound. */
const MAX_MODEL_WORDS = 4_000;

const strongest = (weights: Map<number, number>): Map<number, number> =>
  weights.size <= MAX_MODEL_WORDS
    ? weights
    : new Map([...weights].toSorted(([, one], [, other]) => Math.abs(other) - Math.abs(one)).slice(0, MAX_MODEL_WORDS));
