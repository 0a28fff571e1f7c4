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

it('judges an event that is read again by what the same model said', async () => {
  let version = 1;
  const store = {
    ratedRule: async (id: string) => ({ rule: { id, accountId: 'a', intent: `storms ${version}` }, ratings: [] }),
  } as unknown as Store;
  const { judge } = createRelevance({ store, clock: fakeClock() });
  const read = (ruleId: string) => judge({ ruleId, relevanceVersion: version }, { traces });
  const [one, other] = [await read('rule_1'), await read('rule_2')];
  expect([await read('rule_1'), await read('rule_2')]).toEqual([one, other]);
  expect(await read('rule_1')).toBe(one);
  version++;
  expect(await read('rule_1')).not.toBe(one);
});
