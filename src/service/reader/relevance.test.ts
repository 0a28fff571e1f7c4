import { expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { tracesOf } from '../../signal/features.ts';
import type { Store } from '../../store/store.ts';
import { createRelevance } from './relevance.ts';

const traces = tracesOf('a storm at sea');
const matchOf = (ruleId: string) => ({ ruleId, relevanceVersion: 1 });

it('reads no matches for rules without ratings, and asks about each of many rules once', async () => {
  const asked: string[] = [];
  const store = {
    async ratedRule(ruleId: string) {
      asked.push(ruleId);
      return { rule: { id: ruleId, accountId: 'a', intent: 'storms' }, ratings: [] };
    },
    matches: () => Promise.reject(new Error('No match is needed.')),
  } as unknown as Store;
  const { score } = createRelevance({ store, clock: fakeClock() });
  const page = Array.from({ length: 1_000 }, (_, rule) => matchOf(`rule_${rule}`));
  for (let turn = 0; turn < 3; turn++)
    for (const match of page) expect(await score(match, { traces })).toBeGreaterThan(0);
  expect(asked).toHaveLength(1_000);
});
