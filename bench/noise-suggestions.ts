/**
 * The effect of suggested changes on posts that nobody has rated. Each collection is a rule (the collectors' keywords)
 * with an intent. One half of its posts are matches, of which some are rated; the first suggestion is judged on the
 * other half, which Sluice has not seen. Each event is judged alone: nothing is learned from one for another.
 */
import type { Match } from '../src/domain/match.ts';
import { languages } from '../src/rules/languages.ts';
import { queryOf } from '../src/rules/rule-text.ts';
import { narrowerTexts } from '../src/service/suggestions/narrower-texts.ts';
import { judgeTexts } from '../src/service/suggestions/rated-matches.ts';
import { sharedJson } from '../test/stages/shared-data.ts';
import { randomFrom } from './random.ts';

interface LabelledPost {
  readonly event: string;
  readonly text: string;
  readonly label: string;
}

interface Collection {
  readonly event: string;
  readonly name: string;
  readonly keywords: readonly string[];
  readonly type: string;
  readonly country: string;
  readonly place: string;
}

interface Round {
  readonly event: string;
  readonly isOffered: boolean;
  /** Shares of the posts of the other half. `removed` is undefined where it has no noise. */
  readonly lost: number;
  readonly removed: number | undefined;
  readonly isDead: boolean;
  readonly isOpposite: boolean;
  readonly isWithinBound: boolean;
}

const SEEDS = [1, 2, 3, 4];
const RATINGS = [10, 20, 40];
/** More than a half has: all of it is rated. */
const ALL = 2_000;
const KINDS = ['irrelevant ones', 'both kinds'] as const;

const language = languages({ local: true }).x;
const trial = { platform: 'x', now: 0, checkpoint: () => {} } as const;

export async function suggestionFigures(
  events: readonly (readonly LabelledPost[])[],
): Promise<Record<string, unknown>> {
  const collections = sharedJson<Collection[]>('noise/crisis-events.json');
  const figures: Record<string, unknown> = {};
  for (const kind of KINDS) {
    for (const ratings of kind === 'both kinds' ? [...RATINGS, ALL] : RATINGS) {
      const rounds: Round[] = [];
      for (const posts of events) {
        const collection = collections.find(({ event }) => event === posts[0]!.event)!;
        for (const seed of SEEDS) {
          const round = await roundOf(posts, collection, kind, ratings, seed);
          if (round !== undefined) rounds.push(round);
        }
      }
      figures[`suggestions: ${ratings === ALL ? 'all' : ratings} rated, ${kind}`] = summary(rounds);
    }
  }
  return figures;
}

function summary(rounds: readonly Round[]): Record<string, unknown> {
  const offered = rounds.filter(({ isOffered }) => isOffered);
  const removed = (of: readonly Round[]) => mean(of.flatMap((round) => round.removed ?? []));
  return {
    offered: `${offered.length} of ${rounds.length}`,
    'noise removed where offered, in all': [removed(offered), removed(rounds)].map(rounded),
    'wanted lost: mean where offered, most in a rule': [
      mean(offered.map(({ lost }) => lost)),
      Math.max(0, ...rounds.map(({ lost }) => lost)),
    ].map(rounded),
    'dead, opposite': [
      offered.filter(({ isDead }) => isDead).length,
      offered.filter(({ isOpposite }) => isOpposite).length,
    ],
    'loss within its bound': `${offered.filter(({ isWithinBound }) => isWithinBound).length} of ${offered.length}`,
  };
}

async function roundOf(
  posts: readonly LabelledPost[],
  { event, name, keywords, type, country, place }: Collection,
  kind: (typeof KINDS)[number],
  ratings: number,
  seed: number,
): Promise<Round | undefined> {
  const value = [...new Set(keywords)]
    .map((keyword) => (keyword.includes(' ') ? `(${keyword})` : keyword))
    .join(' OR ');
  const intent = [name, type, country, place].join(', ');
  const mixed = shuffled(matched(posts, value), seed);
  const half = Math.floor(mixed.length / 2);
  const [seen, unseen] = [mixed.slice(0, half), mixed.slice(half)];
  const noise = seen.filter(isNoise).slice(0, kind === 'both kinds' ? ratings / 2 : ratings);
  const wanted = kind === 'both kinds' ? seen.filter((post) => !isNoise(post)).slice(0, ratings / 2) : [];
  if (noise.length === 0) return undefined;
  const irrelevant = noise.map((post, at) => matchOf(post, `i${at}`, 'irrelevant'));
  const relevant = wanted.map((post, at) => matchOf(post, `r${at}`, 'relevant'));
  const rated = new Set([...noise, ...wanted]);
  const unrated = seen.filter((post) => !rated.has(post)).map((post, at) => matchOf(post, `u${at}`, undefined));
  const { found } = narrowerTexts(
    { ...trial, language, held: { value, flags: {} }, intent },
    { relevant, irrelevant, recent: [...relevant, ...irrelevant, ...unrated] },
  );
  const [first] = found;
  const nothing = { event, isOffered: false, lost: 0, isDead: false, isOpposite: false, isWithinBound: true };
  if (first === undefined) return { ...nothing, removed: unseen.some(isNoise) ? 0 : undefined };
  const kept = new Set(matched(unseen, first.value));
  const gone = (of: readonly LabelledPost[]) => of.filter((post) => !kept.has(post)).length / of.length;
  const lost = gone(unseen.filter((post) => !isNoise(post)));
  return {
    event,
    isOffered: true,
    lost,
    removed: unseen.some(isNoise) ? gone(unseen.filter(isNoise)) : undefined,
    isDead: language
      .parse(first.value)
      .diagnostics.some(({ code }) => code === 'never-matches' || code === 'matches-everything'),
    isOpposite: wordsOf(first.change).some((word) => wordsOf(`${value} ${intent}`).includes(word)),
    isWithinBound: lost <= first.effect.relevant_lost_upper,
  };
}

function matched(posts: readonly LabelledPost[], value: string): LabelledPost[] {
  const queries = [queryOf(language, { value, flags: {} })!];
  const numbers = judgeTexts({ ...trial, queries }, posts.map(payloadOf));
  return posts.filter((_, at) => numbers[at]?.includes(0));
}

const isNoise = ({ label }: LabelledPost): boolean => label === 'unrelated';

const payloadOf = ({ text }: LabelledPost, at: number) => ({ data: { id: String(at), text } });

const matchOf = (post: LabelledPost, id: string, rating: Match['rating']): Match => ({
  id,
  createdAt: new Date(0),
  position: 0,
  platform: 'x',
  platformPostId: id,
  ruleId: post.event,
  ruleName: post.event,
  ruleVersion: 1,
  payload: payloadOf(post, 0),
  highlights: [],
  rating,
});

const shuffled = <T>(list: readonly T[], seed: number): T[] => {
  const random = randomFrom(seed);
  return list
    .map((item) => ({ item, key: random() }))
    .toSorted((one, other) => one.key - other.key)
    .map(({ item }) => item);
};

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;
