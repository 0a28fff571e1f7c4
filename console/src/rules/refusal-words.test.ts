import { expect, it } from 'vitest';
import { refusalWords, refusedPlatforms } from './refusal-words.ts';

const byX = {
  message: 'X does not accept this rule.',
  details: { upstream_message: 'no such operator' },
  issues: [{ path: 'overrides.x', message: 'no such operator' }],
};

it('a refusal names who refused, what, and what is next', () => {
  expect(refusalWords(byX)).toEqual({
    who: 'X does not accept this rule.',
    reasons: ['It says: “no such operator”'],
    next: 'Nothing was saved. Change the text, or leave this platform out, and try again.',
  });
  const issues = [
    { path: 'overrides.firehose', message: 'It is too long.' },
    { path: 'name', message: 'It is empty.' },
  ];
  expect(refusalWords({ message: 'It is too long.', details: {}, issues }).reasons).toEqual([
    'In the rule for web pages: It is too long.',
    'It is empty.',
  ]);
  expect(refusalWords({ message: 'The store is away.', details: {}, issues: [] })).toEqual({
    reasons: ['The store is away.'],
  });
});

it('a text is refused until it is changed', () => {
  expect(refusedPlatforms(byX, { x: 'storm' }, { texts: { x: 'storm ' } })).toEqual(['x']);
  expect(refusedPlatforms(byX, { x: 'storm' }, { texts: { x: 'storms' } })).toEqual([]);
  expect(refusedPlatforms(null, undefined, { texts: { x: 'storm' } })).toEqual([]);
});
