/**
 * The worth of a judge that is asked about unsure matches alone. A stand-in answers by the labels that people gave,
 * and is wrong in a share of the texts. F1 of informative posts: by relevance alone, with the judge where relevance is
 * unsure, and with the judge asked about everything. What was fitted on one half of the collections is judged on the
 * other.
 */
import { contentOf } from '../src/service/judging/ask-model.ts';
import { isUnsure, relevanceModel } from '../src/signal/relevance.ts';
import { type Labelled, priorOf, readEvent } from './noise-relevance.ts';
import { type Random, randomFrom } from './random.ts';

const WRONG = [0, 0.05, 0.1, 0.15];
const RATINGS = [0, 40];

interface Sample {
  readonly score: number;
  readonly relevant: boolean;
  /** The judge's answer, which is the same for equal texts. */
  readonly said: boolean;
  readonly content: string;
}

export function judgeFigures(events: readonly (readonly Labelled[])[]): Record<string, unknown> {
  const read = events.map(readEvent);
  const priors = [0, 1].map((half) => priorOf(read.filter((_, at) => at % 2 === half)));
  const figures: Record<string, unknown> = {};
  for (const ratings of RATINGS)
    for (const wrong of WRONG) {
      const random = randomFrom(20_261_118);
      const samples = events.flatMap((posts, at) =>
        samplesOf(posts, read[at]!, { prior: priors[1 - (at % 2)]!, ratings, wrong, random }),
      );
      figures[
        `judge wrong in ${100 * wrong} %, ${ratings} ratings: F1 without, where unsure, of everything; share kept; calls`
      ] = [...figuresOf(samples)].map(rounded);
    }
  return figures;
}

interface Round {
  readonly prior: ReturnType<typeof priorOf>;
  readonly ratings: number;
  readonly wrong: number;
  readonly random: Random;
}

function samplesOf(
  posts: readonly Labelled[],
  { posts: read, of, unrated }: ReturnType<typeof readEvent>,
  { prior, ratings, wrong, random }: Round,
): Sample[] {
  const mixed = read
    .map((post, at) => ({ ...post, text: posts[at]!.text, key: random() }))
    .toSorted((one, other) => one.key - other.key);
  const model = relevanceModel(mixed.slice(0, ratings), ratings === 0 ? unrated : of, prior);
  const said = new Map<string, boolean>();
  return mixed.slice(ratings).map(({ traces, relevant, text }) => {
    const content = contentOf(posts[0]!.event, 'stand-in', text);
    const opinion = said.get(content) ?? (random() < wrong ? !relevant : relevant);
    said.set(content, opinion);
    return { score: model.score(traces), relevant, said: opinion, content };
  });
}

function* figuresOf(samples: readonly Sample[]): Iterable<number> {
  const byRelevance = ({ score }: Sample) => score >= 0.5;
  const whole = f1(samples, ({ said }) => said);
  const asked = samples.filter(({ score }) => isUnsure(score));
  const unsure = f1(samples, (one) => (isUnsure(one.score) ? one.said : byRelevance(one)));
  yield f1(samples, byRelevance);
  yield unsure;
  yield whole;
  yield unsure / whole;
  // An equal text is asked about once, in either case.
  const distinct = (of: readonly Sample[]) => new Set(of.map(({ content }) => content)).size;
  yield distinct(asked) / distinct(samples);
}

function f1(samples: readonly Sample[], holds: (sample: Sample) => boolean): number {
  const found = samples.filter(holds);
  const right = found.filter(({ relevant }) => relevant).length;
  return (2 * right) / (found.length + samples.filter(({ relevant }) => relevant).length);
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;
