import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { turnsDuring } from '../../../test/stages/turns.ts';
import type { StoredMatch } from '../../domain/match.ts';
import { tracesOf, writeTraces } from '../../signal/features.ts';
import type { Store } from '../../store/store.ts';
import { createRelevance } from './relevance.ts';

const HOUR = 3_600_000;
const matchOf = (text: string, change: object = {}): StoredMatch =>
  ({
    ruleId: 'r',
    relevanceVersion: 1,
    platform: 'x',
    payload: { data: { text } },
    ...change,
  }) as unknown as StoredMatch;

function stage(
  rated: object | undefined = { rule: { id: 'r', accountId: 'a', intent: 'storms at sea' }, ratings: [] },
) {
  const clock = fakeClock();
  const asked = { rules: [] as unknown[], matches: [] as unknown[] };
  const page: object = { matches: [matchOf('a storm at sea'), matchOf('quiet day')] };
  const state = { rated, page, fails: false };
  const store = {
    ratedRule: async (...query: unknown[]) => {
      asked.rules.push(query);
      if (state.fails) throw new Error('away');
      return state.rated;
    },
    matches: async (query: unknown) => {
      asked.matches.push(query);
      return state.page;
    },
  } as unknown as Store;
  const relevance = createRelevance({ store, clock });
  const score = (text: string, change: object = {}) =>
    relevance.score(matchOf(text, change), { traces: tracesOf(text) });
  return { clock, asked, state, relevance, score };
}

describe('the relevance of a match', () => {
  it('is known where the rule has an intent or ratings, and unknown elsewhere', async () => {
    const { score, asked } = stage();
    expect(await score('a storm', { relevanceVersion: 0 })).toBeUndefined();
    expect(await score('a storm')).toBeGreaterThan(0);
    expect(asked.rules).toEqual([['r', expect.any(Number)]]);
    const bare = stage({ rule: { id: 'r', accountId: 'a', intent: '' }, ratings: [] });
    expect(await bare.score('a storm')).toBeUndefined();
    const gone = stage(undefined);
    Object.assign(gone.state, { rated: undefined });
    expect(await gone.score('a storm')).toBeUndefined();
    expect(await gone.relevance.words(matchOf('a storm'))).toEqual([]);
  });

  it('is higher for what the intent names', async () => {
    const { score } = stage();
    expect(await score('storms at sea')).toBeGreaterThan((await score('a cake recipe'))!);
  });

  it('follows the ratings, read beside the newest three hundred matches of the rule', async () => {
    const rate = (text: string, rating: string) => ({ rating, traces: writeTraces(tracesOf(text)) });
    const ratings = [
      ...Array.from({ length: 8 }, (_, at) => rate(`harbour storm warning ${at}`, 'relevant')),
      ...Array.from({ length: 8 }, (_, at) => rate(`cake recipe storm ${at}`, 'irrelevant')),
      { rating: 'relevant', traces: '{}' },
    ];
    const { relevance, score, asked } = stage({ rule: { id: 'r', accountId: 'a', intent: '' }, ratings });
    expect(await score('harbour warning')).toBeGreaterThan(2 * (await score('cake recipe'))!);
    expect(asked.matches).toEqual([{ accountId: 'a', ruleId: 'r', limit: 300, bytes: 4 * 1024 * 1024 }]);
    const words = await relevance.words(matchOf('harbour cake'));
    const weights = Object.fromEntries(words.map(({ word, weight }) => [word, Math.sign(weight)]));
    expect(weights).toMatchObject({ harbour: 1, cake: -1 });
  });

  it('is fitted once for a version, and again for a newer one or after an hour', async () => {
    const { score: scoreOf, asked, clock } = stage();
    const score = (relevanceVersion: number) => scoreOf('a storm', { relevanceVersion });
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

  it('gives others turns while the matches are read, and reads them once an hour where there are more', async () => {
    const ratings = [{ rating: 'relevant', traces: writeTraces(tracesOf('storm')) }];
    const { score, asked, state, clock } = stage({ rule: { id: 'r', accountId: 'a', intent: '' }, ratings });
    Object.assign(state, { page: { matches: Array.from({ length: 300 }, () => matchOf('a storm at sea')), next: 5 } });
    expect(await turnsDuring(score('a storm'))).toBeGreaterThanOrEqual(300 / 16 - 1);
    await score('a storm', { relevanceVersion: 2 });
    expect([asked.rules.length, asked.matches.length]).toEqual([2, 1]);
    await clock.pass(HOUR);
    await score('a storm', { relevanceVersion: 2 });
    expect([asked.rules.length, asked.matches.length]).toEqual([3, 2]);
  });

  it('is fitted at the next read when it could not be', async () => {
    const { score, asked, state } = stage();
    state.fails = true;
    await expect(score('a storm')).rejects.toThrow('away');
    await new Promise((resolve) => setImmediate(resolve));
    state.fails = false;
    expect(await score('a storm')).toBeGreaterThan(0);
    expect(asked.rules).toHaveLength(2);
  });
});
