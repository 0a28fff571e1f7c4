import { expect, it } from 'vitest';
import { candidateOf, weightOf } from './candidates.ts';

const match = {
  createdAt: new Date(0),
  platform: 'x' as const,
  platformPostId: '1',
  ruleId: 'rule_1',
  ruleName: 'Storms',
  source: 'push',
  storyId: undefined,
  payload: {},
};

it('weighs a match by the word of the judge where it was asked, and by its relevance elsewhere', () => {
  const weights = [
    weightOf({}),
    weightOf({ relevance: null }),
    weightOf({ relevance: 0.5 }),
    weightOf({ relevance: 0.5, judgement: { relevant: true } }),
    weightOf({ relevance: 0.5, judgement: { relevant: false } }),
  ];
  expect(weights).toEqual([null, null, 0.5, 1, 0]);
  const judged = { ...match, relevance: 0.48, judgement: { relevant: true } };
  expect(candidateOf({ per: 'match' }, judged, false).relevance).toBe(1);
});
