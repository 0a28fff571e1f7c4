import { expect, it } from 'vitest';
import { proofOf } from './suggestion-words.ts';

const effect = {
  irrelevant_removed: 9,
  irrelevant_total: 14,
  relevant_lost: 0,
  relevant_total: 40,
  recent_removed: 61,
  recent_total: 400,
  relevant_lost_upper: 0.088,
  recent_added: 0,
};

it('the proof of a suggestion says what it removes, and how sure it is that nothing is lost', () => {
  expect(proofOf(effect)).toEqual([
    'It removes 9 of 14 matches that you rated not relevant.',
    'It loses 0 of 40 matches that you rated relevant; with 95 % certainty at most 9 % of all relevant ones.',
    'Of the newest 400 matches it removes 61.',
  ]);
  expect(proofOf({ ...effect, relevant_total: 0, irrelevant_total: 0, recent_added: 3 })).toEqual([
    'No match is rated relevant yet, so what it would lose is not known.',
    'Of the newest 400 matches it removes 61, and it adds 3.',
  ]);
});
