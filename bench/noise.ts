/** `npm run bench -- noise`: how well stories, relevance and exclusions do on labelled headlines and posts. */
import { chooseExclusions } from '../src/signal/exclusions.ts';
import { createStoryBook } from '../src/signal/stories.ts';
import { comparedEvent, storyEventOf, storyTextOf } from '../src/signal/story-text.ts';
import { termsOf } from '../src/signal/terms.ts';
import { hasSharedData, sharedLines } from '../test/stages/shared-data.ts';
import { draftFigures } from './noise-drafts.ts';
import { relevanceFigures } from './noise-relevance.ts';
import { type Random, randomFrom } from './random.ts';
import { surgeFigures } from './surge.ts';

interface Headline {
  readonly title: string;
  readonly story: string;
  readonly at: number;
}

interface Post {
  readonly event: string;
  readonly text: string;
  readonly label: 'informative' | 'related' | 'unrelated' | 'not_applicable';
}

const ROUNDS = 4;

export async function benchNoise(): Promise<Record<string, unknown>> {
  if (!hasSharedData) return { noise: 'the labelled data is not here', ...surgeFigures() };
  return {
    ...storyFigures(sharedLines<Headline>('noise/headlines.ndjson.gz')),
    ...relevanceFigures(postsByEvent()),
    ...exclusionFigures(),
    ...(await draftFigures(postsByEvent())),
    ...surgeFigures(),
  };
}

function storyFigures(headlines: readonly Headline[]): Record<string, unknown> {
  const given = storiesOf(headlines);
  const { precision, recall, f } = bCubed(
    headlines.map(({ story }) => story),
    given,
  );
  const found = new Set(given).size;
  return {
    'stories B³ precision, recall, F': [precision, recall, f].map(rounded),
    'stories found, true': [found, new Set(headlines.map(({ story }) => story)).size],
    'wakes saved': rounded(1 - found / headlines.length),
    'CPU µs a decision about an event that matched': rounded(
      Math.min(...Array.from({ length: 12 }, () => cost(headlines))),
    ),
  };
}

/** As the store decides: from the payload to the story. The address is left out, which only one headline has. */
function storiesOf(headlines: readonly Headline[]): string[] {
  const book = createStoryBook();
  return headlines.map(({ title, at }, index) => {
    const payload = { data: { text: title, created_at: new Date(at).toISOString() } };
    const event = storyEventOf(comparedEvent('x', storyTextOf('x', payload, { postId: String(index) })), at);
    const number = book.choose(event, at).number ?? index;
    book.put(number, event, at);
    return String(number);
  });
}

function cost(headlines: readonly Headline[]): number {
  const before = process.cpuUsage();
  storiesOf(headlines);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / headlines.length;
}

/** For each text: which share of its given group is of its true group, and which share of its true group is there. */
function bCubed(truth: readonly string[], given: readonly string[]): { precision: number; recall: number; f: number } {
  const pairs = countBy(truth.map((story, index) => `${story}\0${given[index]}`));
  const [trueSizes, givenSizes] = [countBy(truth), countBy(given)];
  let [precision, recall] = [0, 0];
  for (const [index, story] of truth.entries()) {
    const both = pairs.get(`${story}\0${given[index]}`)!;
    precision += both / givenSizes.get(given[index]!)! / truth.length;
    recall += both / trueSizes.get(story)! / truth.length;
  }
  return { precision, recall, f: (2 * precision * recall) / (precision + recall) };
}

function postsByEvent(): Post[][] {
  const posts = sharedLines<Post>('noise/crisis-posts.ndjson.gz').filter(({ label }) => label !== 'not_applicable');
  return [...Map.groupBy(posts, ({ event }) => event).values()];
}

/** Chosen on one half of a collection, judged on the other. */
function exclusionFigures(): Record<string, unknown> {
  const random = randomFrom(20_261_115);
  const rounds = postsByEvent().flatMap((posts) => Array.from({ length: ROUNDS }, () => exclusionRound(posts, random)));
  const judged = rounds.filter((round) => round !== undefined);
  const close = judged.filter(({ claimed, lost }) => Math.abs(claimed - lost) <= 0.01);
  return {
    'exclusions: share of unrelated removed, of wanted lost': [
      mean(judged.map(({ removed }) => removed)),
      mean(judged.map(({ lost }) => lost)),
    ].map(rounded),
    'exclusions: claimed loss within a point of the true one': rounded(close.length / judged.length),
  };
}

const MIN_UNRELATED = 20;

function exclusionRound(
  posts: readonly Post[],
  random: Random,
): { removed: number; lost: number; claimed: number } | undefined {
  const side = posts.map((post) => ({ post, isRated: random() < 0.5 }));
  const texts = (isRated: boolean, unrelated: boolean) =>
    side
      .filter((one) => one.isRated === isRated && (one.post.label === 'unrelated') === unrelated)
      .map(({ post }) => post.text);
  const [noise, wanted] = [texts(true, true), texts(true, false)];
  if (noise.length < MIN_UNRELATED / 2) return undefined;
  const chosen = chooseExclusions(noise, wanted);
  const hits = (text: string) => chosen.some(({ term }) => termsOf(text).has(term));
  const share = (of: readonly string[]) => of.filter(hits).length / Math.max(1, of.length);
  const claimed = chosen.reduce((sum, one) => sum + one.wanted, 0) / wanted.length;
  return { removed: share(texts(false, true)), lost: share(texts(false, false)), claimed };
}

function countBy(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;
