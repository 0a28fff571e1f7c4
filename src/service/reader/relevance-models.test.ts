import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import type { Match } from '../../domain/match.ts';
import { tracesOf, writeTraces } from '../../signal/features.ts';
import type { Store } from '../../store/store.ts';
import { createRelevance, withScores } from './relevance.ts';

const HOUR = 3_600_000;
const matchOf = (text: string, change: object = {}): Match =>
  ({
    ruleId: 'r',
    relevanceVersion: 1,
    platform: 'x',
    payload: { data: { text } },
    ...change,
  }) as unknown as Match;

function stage(
  rated: object | undefined = { rule: { id: 'r', accountId: 'a', intent: 'storms at sea' }, ratings: [] },
) {
  const clock = fakeClock();
  const asked = { rules: [] as unknown[], matches: [] as unknown[] };
  const state = { rated, fails: false };
  const store = {
    ratedRule: async (...query: unknown[]) => {
      asked.rules.push(query);
      if (state.fails) throw new Error('away');
      return state.rated;
    },
    matches: async (query: unknown) => {
      asked.matches.push(query);
      return { matches: [matchOf('a storm at sea'), matchOf('quiet day')] };
    },
  } as unknown as Store;
  const relevance = createRelevance({ store, clock });
  return { clock, asked, state, store, relevance };
}

describe('the relevance of a match', () => {
  it('is known where the rule has an intent or ratings, and unknown elsewhere', async () => {
    const { relevance, asked } = stage();
    const [none, known] = await relevance.scored([matchOf('a storm', { relevanceVersion: 0 }), matchOf('a storm')]);
    expect([none!.relevance, typeof known!.relevance]).toEqual([undefined, 'number']);
    expect(asked.rules).toEqual([['r', expect.any(Number)]]);
    const bare = stage({ rule: { id: 'r', accountId: 'a', intent: '' }, ratings: [] });
    expect((await bare.relevance.scored([matchOf('a storm')]))[0]!.relevance).toBeUndefined();
    const gone = stage(undefined);
    Object.assign(gone.state, { rated: undefined });
    expect((await gone.relevance.scored([matchOf('a storm')]))[0]!.relevance).toBeUndefined();
    expect(await gone.relevance.words(matchOf('a storm'))).toEqual([]);
  });

  it('is higher for what the intent names', async () => {
    const { relevance } = stage();
    const [named, other] = await relevance.scored([matchOf('storms at sea'), matchOf('a cake recipe')]);
    expect(named!.relevance).toBeGreaterThan(other!.relevance!);
  });

  it('follows the ratings, read beside the newest three hundred matches of the rule', async () => {
    const rate = (text: string, rating: string) => ({ rating, traces: writeTraces(tracesOf(text)) });
    const ratings = [
      ...Array.from({ length: 8 }, (_, at) => rate(`harbour storm warning ${at}`, 'relevant')),
      ...Array.from({ length: 8 }, (_, at) => rate(`cake recipe storm ${at}`, 'irrelevant')),
      { rating: 'relevant', traces: '{}' },
    ];
    const { relevance, asked } = stage({ rule: { id: 'r', accountId: 'a', intent: '' }, ratings });
    const [liked, disliked] = await relevance.scored([matchOf('harbour warning'), matchOf('cake recipe')]);
    expect(liked!.relevance).toBeGreaterThan(2 * disliked!.relevance!);
    expect(asked.matches).toEqual([{ accountId: 'a', ruleId: 'r', limit: 300, bytes: 4 * 1024 * 1024 }]);
    const words = await relevance.words(matchOf('harbour cake'));
    const weights = Object.fromEntries(words.map(({ word, weight }) => [word, Math.sign(weight)]));
    expect(weights).toMatchObject({ harbour: 1, cake: -1 });
  });

  it('is fitted once for a version, and again for a newer one or after an hour', async () => {
    const { relevance, asked, clock } = stage();
    const score = (relevanceVersion: number) => relevance.scored([matchOf('a storm', { relevanceVersion })]);
    await score(2);
    await score(2);
    await score(1);
    expect(asked.rules).toHaveLength(1);
    await score(3);
    expect(asked.rules).toHaveLength(2);
    clock.jump(HOUR - 1);
    await score(3);
    expect(asked.rules).toHaveLength(2);
    clock.jump(1);
    await score(3);
    expect(asked.rules).toHaveLength(3);
  });

  it('is fitted at the next read when it could not be', async () => {
    const { relevance, asked, state } = stage();
    state.fails = true;
    await expect(relevance.scored([matchOf('a storm')])).rejects.toThrow('away');
    await new Promise((resolve) => setImmediate(resolve));
    state.fails = false;
    expect(typeof (await relevance.scored([matchOf('a storm')]))[0]!.relevance).toBe('number');
    expect(asked.rules).toHaveLength(2);
  });
});

describe('a store with scores', () => {
  it('has the relevance of whatever match is read from it, and all else as it was', async () => {
    const match = () => matchOf('a storm');
    const inner = {
      matches: async () => ({ matches: [match()], next: 7 }),
      match: async (_: string, id: string) => (id === 'gone' ? undefined : match()),
      matchesAfter: async () => ({ matches: [match()], last: 8 }),
      stories: async () => ({ stories: [{ id: 's', first: match() }], next: 9 }),
      owedMatches: async (...owed: unknown[]) => [Object.assign(match(), { owed })],
      latest: async () => 5,
    } as unknown as Store;
    const scored = (matches: readonly Match[]) =>
      Promise.resolve(matches.map((one) => Object.assign(one, { relevance: 0.5 })));
    const store = withScores(inner, { scored, words: async () => [] });
    expect(await store.matches({} as never)).toMatchObject({ matches: [{ relevance: 0.5 }], next: 7 });
    expect(await store.match('a', 'm')).toMatchObject({ relevance: 0.5 });
    expect(await store.match('a', 'gone')).toBeUndefined();
    expect(await store.matchesAfter({} as never)).toMatchObject({ matches: [{ relevance: 0.5 }], last: 8 });
    expect(await store.stories({} as never)).toMatchObject({
      stories: [{ id: 's', first: { relevance: 0.5 } }],
      next: 9,
    });
    const owed = await store.owedMatches('w', new Date(0), 3);
    expect(owed).toMatchObject([{ relevance: 0.5, owed: ['w', new Date(0), 3] }]);
    expect(await store.latest()).toBe(5);
  });
});
