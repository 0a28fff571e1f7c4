import { expect, it } from 'vitest';
import { relevanceWords, rowReason } from './relevance-words.ts';

it.each([
  [
    'for it: with figures, written like a report; against it: short',
    '71 %, a first guess: with figures, written like a report, but short',
  ],
  ['against it: a question', '71 %, a first guess: a question'],
  ['nothing speaks for it or against it', '71 %, a first guess: nothing speaks for it or against it'],
])('“%s” is said as a person would', (relevance_reason, words) => {
  expect(relevanceWords({ relevance: 0.712, relevance_basis: 'a first guess', relevance_reason })).toBe(words);
});

it('a server that gives no reason is shown with its number', () => {
  expect(relevanceWords({ relevance: 0.5 })).toBe('50 %');
});

it('a row gives its reason once something was rated', () => {
  expect(rowReason({ relevance: 0.5, relevance_basis: 'a first guess' })).toBeUndefined();
  expect(rowReason({ relevance: null })).toBeUndefined();
  expect(rowReason({ relevance: 0.5, relevance_basis: 'by 1 rating' })).toBe('50 %, by 1 rating');
  const relevance_reason = 'for it: like 4 rated relevant, with a link; against it: short';
  expect(rowReason({ relevance: 0.82, relevance_basis: 'by 12 ratings', relevance_reason })).toBe(
    '82 %: like 4 rated relevant, with a link, but short',
  );
});
