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

it('goes by the same until the rule has another version', async () => {
  let version = 1;
  const store = {
    ratedRule: async (id: string) => ({ rule: { id, accountId: 'a', intent: `storms ${version}` }, ratings: [] }),
  } as unknown as Store;
  const { judge, basis } = createRelevance({ store, clock: fakeClock() });
  const match = (ruleId: string) => ({ ruleId, relevanceVersion: version });
  const before = basis(match('rule_1'));
  expect(before).toBeDefined();
  expect(basis({ ruleId: 'rule_3', relevanceVersion: 0 })).toBeUndefined();
  expect(basis(match('rule_2'))).not.toBe(before);
  await judge(match('rule_1'), { traces });
  expect(basis(match('rule_1'))).toBe(before);
  version++;
  expect(basis(match('rule_1'))).not.toBe(before);
});
