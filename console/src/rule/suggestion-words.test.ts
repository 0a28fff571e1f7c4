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
  relevant_lost_basis: 'rated' as const,
  unrated_removed: 12,
  unrated_total: 346,
  recent_added: 0,
};

it('the proof of a suggestion says what it removes, and how sure it is that nothing is lost', () => {
  expect(proofOf(effect)).toEqual([
    'It removes 9 of 14 matches that you rated not relevant.',
    'It loses 0 of 40 matches that you rated relevant; with 95 % certainty at most 9 % of what is wanted is lost.',
    'Of the newest 400 matches it removes 61.',
  ]);
});

it('what rests on matches without a rating says so', () => {
  const unrated = { ...effect, relevant_lost_basis: 'unrated' as const, irrelevant_total: 0, recent_added: 3 };
  expect(proofOf({ ...unrated, relevant_total: 5 })).toEqual([
    'It loses 0 of 5 matches that you rated relevant and removes 12 of 346 matches without a rating. If all of these are wanted, with 95 % certainty at most 9 % of what is wanted is lost.',
    'Of the newest 400 matches it removes 61, and it adds 3.',
  ]);
  expect(proofOf({ ...unrated, demo_added: 2 }).at(-1)).toBe(
    'Of the newest 400 matches it removes 61, and it adds 3, 2 of them invented by the demo.',
  );
  expect(proofOf({ ...unrated, relevant_total: 0 })[0]).toBe(
    'No match is rated relevant yet. It removes 12 of 346 matches without a rating. If all of these are wanted, with 95 % certainty at most 9 % of what is wanted is lost.',
  );
});

it('0 of 0 is never shown as no loss', () => {
  expect(proofOf({ ...effect, irrelevant_total: 0, relevant_total: 0, unrated_total: 0 })[0]).toBe(
    'No match is rated relevant yet, so what it would lose is not known.',
  );
});
