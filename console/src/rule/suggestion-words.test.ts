import { expect, it } from 'vitest';
import { byLoss, dropsOf, harmOf, keepsOf, lossOf } from './suggestion-words.ts';

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

it('a suggestion says what it drops and keeps, and how sure it is that nothing is lost', () => {
  expect(dropsOf(effect)).toEqual(['9 of 14 rated not relevant', '61 of the newest 400']);
  expect(keepsOf(effect)).toEqual(['40 of 40 rated relevant', '339 of the newest 400']);
  expect(lossOf(effect)).toBe(
    'It loses 0 of 40 matches that you rated relevant; with 95 % certainty at most 9 % of what is wanted is lost.',
  );
  expect(keepsOf({ ...effect, recent_added: 3, demo_added: 2 }).at(-1)).toBe(
    'and adds 3 recent events, 2 of them invented by the demo',
  );
});

it('what rests on matches without a rating says so', () => {
  const unrated = { ...effect, relevant_lost_basis: 'unrated' as const };
  expect(lossOf({ ...unrated, relevant_total: 5 })).toBe(
    'It loses 0 of 5 matches that you rated relevant and removes 12 of 346 matches without a rating. If all of these are wanted, with 95 % certainty at most 9 % of what is wanted is lost.',
  );
  expect(lossOf({ ...unrated, relevant_total: 0 })).toBe(
    'No match is rated relevant yet. It removes 12 of 346 matches without a rating. If all of these are wanted, with 95 % certainty at most 9 % of what is wanted is lost.',
  );
});

it('0 of 0 is never shown as no loss', () => {
  expect(lossOf({ ...effect, relevant_total: 0, unrated_total: 0 })).toBe(
    'No match is rated relevant yet, so what it would lose is not known.',
  );
});

it('the least loss comes first, and what drops something wanted or most of all is asked about', () => {
  const suggestion = (id: string, part: Partial<typeof effect>) => ({
    id,
    platform: 'x' as const,
    kind: 'exclude' as const,
    change: '',
    value: '',
    effect: { ...effect, ...part },
    lost: [],
    unrated_removed: [],
  });
  const [wanted, unsure, most, least] = [
    suggestion('wanted', { relevant_lost: 1 }),
    suggestion('unsure', { relevant_lost_upper: 0.2 }),
    suggestion('most', { recent_removed: 300 }),
    suggestion('least', {}),
  ];
  expect([wanted, unsure, most, least].toSorted(byLoss).map(({ id }) => id)).toEqual([
    'least',
    'most',
    'unsure',
    'wanted',
  ]);
  expect(harmOf(least.effect)).toBeUndefined();
  expect(harmOf(most.effect)).toBe('It drops 300 of the newest 400 matches.');
  expect(harmOf(wanted.effect)).toBe('It drops 1 match that you rated relevant.');
});
