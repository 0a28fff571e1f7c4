/** `npm run bench -- noise`: how well stories, relevance, suggestions and drafts do on labelled headlines and posts. */
import { createStoryBook } from '../src/signal/stories.ts';
import { comparedEvent, storyEventOf, storyTextOf } from '../src/signal/story-text.ts';
import { hasSharedData, sharedLines } from '../test/stages/shared-data.ts';
import { draftFigures } from './noise-drafts.ts';
import { judgeFigures } from './noise-judge.ts';
import { relevanceFigures } from './noise-relevance.ts';
import { suggestionFigures } from './noise-suggestions.ts';
import { randomFrom } from './random.ts';
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

const HOUR = 3_600_000;

export async function benchNoise(): Promise<Record<string, unknown>> {
  if (!hasSharedData) return { noise: 'the labelled data is not here', ...surgeFigures() };
  return {
    ...storyFigures(sharedLines<Headline>('noise/headlines.ndjson.gz')),
    ...relevanceFigures(postsByEvent()),
    ...judgeFigures(postsByEvent()),
    ...(await suggestionFigures(postsByEvent())),
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
  const random = randomFrom(20_261_117);
  const mixed = headlines
    .map((headline) => ({ headline, key: headline.at + random() * HOUR }))
    .toSorted((one, other) => one.key - other.key)
    .map(({ headline }) => headline);
  const crowded = headlines
    .map((headline) => ({ headline, key: random() }))
    .toSorted((one, other) => one.key - other.key)
    .map(({ headline }, index) => ({ ...headline, at: Math.floor((index * HOUR) / headlines.length) }));
  return {
    'stories B³ precision, recall, F': [precision, recall, f].map(rounded),
    'stories B³ precision, recall, F with the order of each hour shuffled': Object.values(
      bCubed(
        mixed.map(({ story }) => story),
        storiesOf(mixed),
      ),
    ).map(rounded),
    'stories B³ precision, recall, F with all of them shuffled into one hour': Object.values(
      bCubed(
        crowded.map(({ story }) => story),
        storiesOf(crowded),
      ),
    ).map(rounded),
    'stories: true ones that wake': rounded(wakingShare(headlines, given)),
    'stories found, true': [found, new Set(headlines.map(({ story }) => story)).size],
    'wakes saved': rounded(1 - found / headlines.length),
    'CPU µs a decision about an event that matched': rounded(
      Math.min(...Array.from({ length: 12 }, () => cost(headlines))),
    ),
  };
}

/** The share of the true stories of which one headline begins a story. */
function wakingShare(headlines: readonly Headline[], given: readonly string[]): number {
  const waking = headlines.filter((_, at) => given.indexOf(given[at]!) === at).map(({ story }) => story);
  return new Set(waking).size / new Set(headlines.map(({ story }) => story)).size;
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

function countBy(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;
