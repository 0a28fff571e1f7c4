import { expect, it } from 'vitest';
import { OPERATORS } from '../../../src/rules/x/syntax-table.ts';
import { partWords } from './part-words.ts';

it('every kind and thing of the language of X is said in words', () => {
  const said = OPERATORS.filter(({ name }) => name === 'is' || name === 'has').flatMap(({ name, choices = [] }) =>
    choices.map(({ value }) => partWords(`${name} has "${value}"`)),
  );
  expect(said).toMatchInlineSnapshot(`
    [
      "is a repost",
      "is a reply",
      "quotes another post",
      "is by a verified author",
      "is only an advertisement",
      "has hashtags",
      "has cashtags",
      "has links",
      "has mentions",
      "has media",
      "has images",
      "has a video",
      "has a place",
    ]
  `);
});

it('a language has its name, and a rating is no abbreviation', () => {
  expect(partWords('lang has "iw"')).toBe('language: Hebrew');
  expect(partWords('lang has "not a code"')).toBe('language: not a code');
  expect(partWords('dr >= 40')).toBe('Domain Rating >= 40');
});

it('words stay as they are', () => {
  expect(partWords('text has "is"')).toBeUndefined();
  expect(partWords('all of')).toBeUndefined();
});
