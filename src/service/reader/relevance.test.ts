import { expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import type { Match } from '../../domain/match.ts';
import type { Store } from '../../store/store.ts';
import { createRelevance } from './relevance.ts';

const matchOf = (ruleId: string) =>
  ({ ruleId, relevanceVersion: 1, platform: 'x', payload: { data: { text: 'a storm at sea' } } }) as unknown as Match;

it('reads no matches for rules without ratings, and asks about each of many rules once', async () => {
  const asked: string[] = [];
  const store = {
    async ratedRule(ruleId: string) {
      asked.push(ruleId);
      return { rule: { id: ruleId, accountId: 'a', intent: 'storms' }, ratings: [] };
    },
    matches: () => Promise.reject(new Error('No match is needed.')),
  } as unknown as Store;
  const { scored } = createRelevance({ store, clock: fakeClock() });
  const page = Array.from({ length: 1_000 }, (_, rule) => matchOf(`rule_${rule}`));
  for (let turn = 0; turn < 3; turn++)
    expect((await scored(page)).every(({ relevance }) => relevance !== undefined)).toBe(true);
  expect(asked).toHaveLength(1_000);
});
