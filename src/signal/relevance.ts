/**
 * How likely the person who rates a rule's matches would call one relevant. It starts from how texts that people called
 * informative are written, and learns from the ratings: how much each trait counts for this rule, and which words.
 */
import { type Traces, textTokens, wordDigest } from './features.ts';
import { KNOWN, type Prior, type RuleWords, TRAITS, traitRow } from './prior.ts';
import { type RelevanceReason, ratingBasis, reasonOf } from './relevance-reason.ts';

export interface RatedTraces {
  readonly traces: Traces;
  readonly relevant: boolean;
}

export interface RelevanceModel {
  /** Between 0 and 1. */
  score(traces: Traces): number;
  /** The score, what it rests on, and what speaks for and against the text most, in our own words. */
  judge(traces: Traces): RelevanceReason & { readonly score: number };
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

/** A relevance in this range says so little that a second opinion is worth its price: a tenth of labelled posts. */
const UNSURE = { from: 0.435, to: 0.565 };

export const isUnsure = (relevance: number): boolean => relevance >= UNSURE.from && relevance <= UNSURE.to;

/** How many ratings it takes to outweigh what is known of a trait, and of the share of relevant ones. */
const TRAIT_INERTIA = 20;
const SHARE_INERTIA = 5;
/** A word counts as if it had been seen this many times in texts of both kinds. */
const WORD_INERTIA = 2;
/** The final weight of the words, and the ratings that make half of it: few ratings say little of a word. */
const WORD_POWER = { most: 0.8, half: 10 };
const MAX_WORDS_SHOWN = 5;

/** `ratings`: those of one rule, the latest first; `of`: the words of its matches and of its intent. */
export function relevanceModel(ratings: readonly RatedTraces[], of: RuleWords, prior: Prior = KNOWN): RelevanceModel {
  const weights = fittedWeights(ratings.slice(0, MAX_FITTED), of, prior);
  const words = ratedWords(ratings);
  const power = (WORD_POWER.most * ratings.length) / (ratings.length + WORD_POWER.half);
  const byWords = (traces: Traces): number => {
    let sum = 0;
    // Most rules have no ratings, and then no words. A place before the first one would be read as a name, which is slow.
    if (words.places.size > 0) for (const word of traces.words) sum += weightOf(words, word);
    return (power * sum) / Math.sqrt(traces.words.length + 1);
  };
  const basis = ratingBasis(ratings.length);
  return {
    score: (traces) => logistic(dot(weights, traitRow(prior, traces, of)) + byWords(traces)),
    judge(traces) {
      const [row, worded] = [traitRow(prior, traces, of), byWords(traces)];
      const alike = alikeIn(words, traces, worded);
      const reason = reasonOf(weights, row, { byWords: worded, alike });
      return { score: logistic(dot(weights, row) + worded), basis, reason };
    },
    words: (text) =>
      [...new Set(textTokens(text))]
        .map((word) => ({ word, weight: weightOf(words, wordDigest(word)) }))
        .filter(({ weight }) => weight !== 0)
        .toSorted((one, other) => Math.abs(other.weight) - Math.abs(one.weight))
        .slice(0, MAX_WORDS_SHOWN),
    size: words.places.size,
  };
}

/** The newest ratings, which say how much each trait counts: more cost time and change little. */
const MAX_FITTED = 200;

function fittedWeights(ratings: readonly RatedTraces[], of: RuleWords, prior: Prior): readonly number[] {
  const known = [...TRAITS.map((trait) => prior.traits[trait].weight), prior.share];
  if (ratings.length === 0) return known;
  const inertia = [...TRAITS.map(() => TRAIT_INERTIA), SHARE_INERTIA];
  const samples = ratings.map(({ traces, relevant }) => ({ row: traitRow(prior, traces, of), holds: relevant }));
  return fitLogistic(samples, known, inertia);
}

interface RatedWords {
  /** By the digest of a word, where the lists have it. */
  readonly places: ReadonlyMap<number, number>;
  /** How much more often it stands in relevant texts than the share of relevant texts would make it. */
  readonly weights: Float64Array;
  /** How many texts have it that were rated the way it speaks for. */
  readonly counts: Uint16Array;
}

function ratedWords(ratings: readonly RatedTraces[]): RatedWords {
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
  const kept = [...strongest(weights)];
  return {
    places: new Map(kept.map(([word], place) => [word, place])),
    weights: Float64Array.from(kept, ([, weight]) => weight),
    counts: Uint16Array.from(kept, ([word, weight]) => seen.get(word)![weight > 0 ? 'relevant' : 'irrelevant']),
  };
}

function weightOf({ places, weights }: RatedWords, word: number): number {
  const place = places.get(word);
  return place === undefined ? 0 : weights[place]!;
}

/** How many rated texts have the word of this text that speaks most in the direction of all its words. */
function alikeIn({ places, weights, counts }: RatedWords, { words }: Traces, direction: number): number {
  if (places.size === 0) return 0;
  let found: number | undefined;
  let most = 0;
  for (const word of words) {
    const place = places.get(word);
    const weight = place === undefined ? 0 : weights[place]! * direction;
    if (weight > most) [found, most] = [place, weight];
  }
  return found === undefined ? 0 : counts[found]!;
}

/** A model is kept in memory, so it has a bound. */
const MAX_MODEL_WORDS = 4_000;

const strongest = (weights: Map<number, number>): Map<number, number> =>
  weights.size <= MAX_MODEL_WORDS
    ? weights
    : new Map([...weights].toSorted(([, one], [, other]) => Math.abs(other) - Math.abs(one)).slice(0, MAX_MODEL_WORDS));

/** Logistic regression that stays near what is known: Newton's method. */
const logistic = (value: number): number => 1 / (1 + Math.exp(-value));

function dot(one: readonly number[], other: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += one[at]! * other[at]!;
  return sum;
}

const STEPS = 12;
/** A step that changes no weight by this much is the last. */
const SMALLEST_STEP = 1e-4;

interface Sample {
  readonly row: readonly number[];
  readonly holds: boolean;
}

/** `inertia`: how many samples it takes to outweigh what is known of each weight. */
export function fitLogistic(
  samples: readonly Sample[],
  known: readonly number[],
  inertia: readonly number[],
): readonly number[] {
  let weights = [...known];
  for (let step = 0; step < STEPS; step++) {
    const slope = weights.map((weight, at) => inertia[at]! * (weight - known[at]!));
    const curve = weights.map((_, at) => weights.map((__, other) => (at === other ? inertia[at]! : 0)));
    for (const sample of samples) addSample(sample, weights, slope, curve);
    const change = solve(curve, slope);
    weights = weights.map((weight, at) => weight - change[at]!);
    if (change.every((each) => Math.abs(each) < SMALLEST_STEP)) break;
  }
  return weights;
}

function addSample({ row, holds }: Sample, weights: readonly number[], slope: number[], curve: number[][]): void {
  const expected = logistic(dot(weights, row));
  const error = expected - (holds ? 1 : 0);
  const bend = expected * (1 - expected);
  for (let at = 0; at < row.length; at++) {
    const value = row[at]!;
    slope[at]! += error * value;
    const line = curve[at]!;
    for (let other = 0; other < row.length; other++) line[other]! += bend * value * row[other]!;
  }
}

/** Solves a small system of linear equations by elimination with pivots. `matrix` is symmetric and positive definite. */
function solve(matrix: readonly (readonly number[])[], values: readonly number[]): number[] {
  const rows = matrix.map((row, index) => [...row, values[index]!]);
  const size = rows.length;
  for (let at = 0; at < size; at++) {
    const pivot = rows
      .slice(at)
      .reduce((best, row, index) => (Math.abs(row[at]!) > Math.abs(rows[best]![at]!) ? at + index : best), at);
    [rows[at], rows[pivot]] = [rows[pivot]!, rows[at]!];
    for (let below = at + 1; below < size; below++) {
      const factor = rows[below]![at]! / rows[at]![at]!;
      for (let column = at; column <= size; column++) rows[below]![column]! -= factor * rows[at]![column]!;
    }
  }
  const solution = values.map(() => 0);
  for (let at = size - 1; at >= 0; at--) {
    const rest = rows[at]!.slice(at + 1, size).reduce(
      (sum, value, index) => sum + value * solution[at + 1 + index]!,
      0,
    );
    solution[at] = (rows[at]![size]! - rest) / rows[at]![at]!;
  }
  return solution;
}
