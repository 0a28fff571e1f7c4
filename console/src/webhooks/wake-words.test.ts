import { expect, it } from 'vitest';
import { accountWords, wakeWords } from './wake-words.ts';

it('a contract and what came of it are said in words', () => {
  expect(wakeWords(null)).toBe('every match');
  expect(wakeWords({ per: 'story', at_most: '20/hour', min_relevance: 0.6 })).toBe(
    'the first match of a story, of relevance 60 % or more, at most 20 in an hour',
  );
  expect(wakeWords({ per: 'match', at_most: '5/day', min_relevance: null })).toBe('every match, at most 5 in a day');
  const quiet = { from: '22:00', to: '07:00', zone: 'Europe/Berlin' };
  expect(wakeWords({ per: 'match', at_most: null, min_relevance: null, quiet })).toBe(
    'every match, not from 22:00 to 07:00 (Europe/Berlin)',
  );
  expect(accountWords({ window_from: '', wakes: 1, held: 12, stories: 3 })).toBe(
    '1 notification, 12 matches kept for the next summary, 3 stories',
  );
});
