import { expect, it } from 'vitest';
import { languages } from './languages.ts';
import { any, type Query } from './query.ts';
import { readsAsMeant } from './translate.ts';

const { x, firehose } = languages();
const word = (field: string, term: string): Query => ({ kind: 'term', field, term });

it.each<[string, Query, boolean]>([
  ['a wildcard whose slashes open a regular expression', { kind: 'wildcard', field: 'url', pattern: '*a/b/*' }, false],
  ['the same, escaped', { kind: 'wildcard', field: 'url', pattern: String.raw`*a\/b\/*` }, true],
  ['a wildcard with an operator in it', { kind: 'wildcard', field: 'url', pattern: '*a!b*' }, false],
  ['a word that is a word', word('added', 'lava'), true],
  ['alternatives', any([word('added', 'lava'), word('title', 'the')]), true],
])('on firehose, of %s the reading is told', (_, query, isMeant) => {
  expect(readsAsMeant(query, firehose)).toBe(isMeant);
});

it.each<[string, Query, boolean]>([
  ['words farther apart than X looks', { kind: 'phrase', field: 'text', terms: ['a', 'b'], slop: 9 }, false],
  [
    'words side by side, which X compares sign by sign',
    { kind: 'phrase', field: 'text', terms: ['a', 'b'], slop: 0 },
    false,
  ],
  ['what cannot stand alone', word('lang', 'en'), true],
  ['a part of a link', { kind: 'contains', field: 'url', text: 'a "b" (c)' }, true],
])('on x, of %s the reading is told', (_, query, isMeant) => {
  expect(readsAsMeant(query, x)).toBe(isMeant);
});
