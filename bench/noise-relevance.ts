/**
 * How well relevance parts informative posts from the others. What is known beforehand is fitted on one half of the
 * collections and judged on the other, both ways round.
 */
import { type Traces, tracesOf } from '../src/signal/features.ts';
import {
  intentWords,
  KNOWN,
  type Prior,
  type RuleWords,
  rawTrait,
  TRAITS,
  traitRow,
  usualWordsOf,
} from '../src/signal/prior.ts';
import { fitLogistic, relevanceModel } from '../src/signal/relevance.ts';
import { sharedJson } from '../test/stages/shared-data.ts';
import { type Random, randomFrom } from './random.ts';

export interface Labelled {
  readonly event: string;
  readonly text: string;
  readonly label: string;
}

interface Reading {
  readonly traces: Traces;
  readonly relevant: boolean;
}

interface Read {
  readonly posts: readonly Reading[];
  readonly of: RuleWords;
  readonly unrated: RuleWords;
}

const ROUNDS = 4;
const RATINGS = [0, 10, 40];
/** As many as the service reads. */
const USUAL_TEXTS = 300;

export function relevanceFigures(events: readonly (readonly Labelled[])[]): Record<string, unknown> {
  const read = events.map(readEvent);
  const halves = [0, 1].map((half) => read.filter((_, at) => at % 2 === half));
  const priors = halves.map(priorOf);
  const figures: Record<string, unknown> = {};
  for (const ratings of RATINGS) {
    const random = randomFrom(20_261_115);
    // A prior that was fitted on one half is judged on the other.
    const rounds = halves.flatMap((half, at) =>
      half.flatMap((event) => Array.from({ length: ROUNDS }, () => round(event, priors[1 - at]!, ratings, random))),
    );
    figures[`relevance AUC, calibration error, surer than right after ${ratings} ratings`] = [
      mean(rounds.map(({ auc }) => auc)),
      mean(rounds.map(({ error }) => error)),
      mean(rounds.map(({ over }) => over)),
    ].map(rounded);
  }
  return { ...figures, 'relevance CPU µs a match': cost(read[0]!, events[0]!) };
}

/** The constants of `prior.ts` are printed from `priorOf` of all collections. */
export function priorOf(events: readonly Read[]): Prior {
  const values = TRAITS.map((trait) =>
    events.flatMap(({ posts, of }) =>
      posts.map(({ traces }) => rawTrait(trait, traces, of)).filter((one) => !Number.isNaN(one)),
    ),
  );
  const scaled = TRAITS.map((trait, at) => {
    const centre = mean(values[at]!);
    return [trait, { mean: centre, spread: Math.sqrt(mean(values[at]!.map((one) => (one - centre) ** 2))), weight: 0 }];
  });
  const empty: Prior = { traits: Object.fromEntries(scaled) as Prior['traits'], share: 0 };
  const samples = events.flatMap(({ posts, of }) =>
    posts.map(({ traces, relevant }) => ({ row: traitRow(empty, traces, of), holds: relevant })),
  );
  const zeros = [...TRAITS.map(() => 0), 0];
  const weights = fitLogistic(
    samples,
    zeros,
    zeros.map(() => 1),
  );
  const traits = TRAITS.map((trait, at) => [trait, { ...empty.traits[trait], weight: weights[at]! }]);
  return { traits: Object.fromEntries(traits) as Prior['traits'], share: weights.at(-1)! };
}

export function readEvent(posts: readonly Labelled[]): Read {
  const read = posts.map(({ text, label }) => ({ traces: tracesOf(text), relevant: label === 'informative' }));
  const { name } = sharedJson<{ event: string; name: string }[]>('noise/crisis-events.json').find(
    ({ event }) => event === posts[0]!.event,
  )!;
  const usual = usualWordsOf(read.slice(0, USUAL_TEXTS).map(({ traces }) => traces));
  const none = usualWordsOf([]);
  return {
    posts: read,
    of: { usual, intent: intentWords(name, usual) },
    unrated: { usual: none, intent: intentWords(name, none) },
  };
}

function round(
  { posts, of, unrated }: Read,
  prior: Prior,
  ratings: number,
  random: Random,
): { auc: number; error: number; over: number } {
  const mixed = posts.map((post) => ({ post, key: random() })).toSorted((one, other) => one.key - other.key);
  const model = relevanceModel(
    mixed.slice(0, ratings).map(({ post }) => post),
    // Without a rating the service reads no matches, so it does not know what is usual.
    ratings === 0 ? unrated : of,
    prior,
  );
  const judged = mixed.slice(ratings).map(({ post }) => ({ score: model.score(post.traces), relevant: post.relevant }));
  return { auc: areaUnderCurve(judged), error: calibrationError(judged), over: overSureness(judged) };
}

function cost({ posts, of }: Read, texts: readonly Labelled[]): number {
  const model = relevanceModel(posts.slice(0, 40), of, KNOWN);
  for (const { text } of texts) model.score(tracesOf(text));
  const before = process.cpuUsage();
  for (let again = 0; again < 5; again++) for (const { text } of texts) model.score(tracesOf(text));
  const { user, system } = process.cpuUsage(before);
  return rounded((user + system) / (5 * texts.length));
}

interface Judged {
  readonly score: number;
  readonly relevant: boolean;
}

/** How often a relevant one is scored above an irrelevant one. */
function areaUnderCurve(judged: readonly Judged[]): number {
  const sorted = judged.toSorted((one, other) => one.score - other.score);
  const relevant = sorted.filter((one) => one.relevant).length;
  const ranks = sorted.reduce((sum, one, index) => sum + (one.relevant ? index + 1 : 0), 0);
  return (ranks - (relevant * (relevant + 1)) / 2) / (relevant * (sorted.length - relevant));
}

/** How sure the scores are on average of what is likelier, above the share in which that is so. */
const overSureness = (judged: readonly Judged[]): number =>
  mean(judged.map(({ score, relevant }) => Math.max(score, 1 - score) - Number(score >= 0.5 === relevant)));

const BINS = 10;

/** How far the scores of a tenth are from the share of relevant ones in it, weighted by how many are in it. */
function calibrationError(judged: readonly Judged[]): number {
  const bins = Map.groupBy(judged, ({ score }) => Math.min(BINS - 1, Math.floor(score * BINS)));
  const off = [...bins.values()].map(
    (bin) =>
      bin.length * Math.abs(mean(bin.map(({ score }) => score)) - mean(bin.map(({ relevant }) => Number(relevant)))),
  );
  return off.reduce((sum, each) => sum + each, 0) / judged.length;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;
