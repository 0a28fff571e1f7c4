import { describe, expect, it } from 'vitest';
import type { Query } from '../../rules/query.ts';
import { lintIntent } from './intent-lint.ts';

const term = (text: string, field = 'text'): Query => ({ kind: 'term', field, term: text });
const all = (...of: Query[]): Query => ({ kind: 'all', of });
const named = (query: Query, intent: string) => lintIntent('x', query, intent).map(({ named: what }) => what);

const CODES: Record<string, string> = {
  Arabic: 'ar',
  Bengali: 'bn',
  Bulgarian: 'bg',
  Catalan: 'ca',
  Chinese: 'zh',
  Croatian: 'hr',
  Czech: 'cs',
  Danish: 'da',
  Dutch: 'nl',
  English: 'en',
  Estonian: 'et',
  Farsi: 'fa',
  Finnish: 'fi',
  French: 'fr',
  German: 'de',
  Greek: 'el',
  Hebrew: 'he',
  Hindi: 'hi',
  Hungarian: 'hu',
  Indonesian: 'id',
  Italian: 'it',
  Japanese: 'ja',
  Korean: 'ko',
  Latvian: 'lv',
  Lithuanian: 'lt',
  Norwegian: 'no',
  Persian: 'fa',
  Polish: 'pl',
  Portuguese: 'pt',
  Romanian: 'ro',
  Russian: 'ru',
  Serbian: 'sr',
  Slovak: 'sk',
  Slovenian: 'sl',
  Spanish: 'es',
  Swedish: 'sv',
  Tamil: 'ta',
  Thai: 'th',
  Turkish: 'tr',
  Ukrainian: 'uk',
  Urdu: 'ur',
  Vietnamese: 'vi',
};

describe('a language that the intent names', () => {
  it.each(Object.entries(CODES))('as %s is the code %s in the rule', (language, code) => {
    const lava = term('lava');
    expect(lintIntent('x', lava, `lava in ${language}`)).toEqual([
      { kind: 'language', named: language, message: `The intent names ${language}; the rule has no lang:${code}.` },
    ]);
    expect(named(all(lava, term(code, 'lang')), `lava in ${language}`)).toEqual([]);
    expect(named(all(lava, term(code, 'language')), `${language} posts on lava`)).toEqual([]);
  });

  it.each([
    ['Hebrew', 'iw'],
    ['Indonesian', 'in'],
    ['Norwegian', 'nb'],
  ])('as %s is also %s', (language, code) => {
    expect(named(all(term('lava'), term(code, 'lang')), `lava, ${language} language`)).toEqual([]);
  });

  it('is no note where it is not named as a language', () => {
    expect(named(term('elections'), 'About French elections')).toEqual([]);
    expect(named(term('fr', 'lang'), 'in French, frenchmen')).toEqual([]);
  });
});

/** As a name is written inside a sentence. */
const asName = (word: string): string => `on ${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

describe('a name in the intent', () => {
  it.each([
    ['erupting', 'eruption', true],
    ['volcanowatch', 'volcano', true],
    ['lava', 'lavas', true],
    ['art', 'party', false],
    ['cat', 'category', false],
    ['abcdefgh', 'abcdxyzw', false],
    ['abcdef', 'abcdxy', true],
    ['abcdefg', 'abcdxyz', false],
    ['abcxyz', 'abcdef', false],
  ])('in the rule as %s, and named as %s, is the same: %s', (wanted, word, isSame) => {
    expect(named(term(wanted), asName(word))).toEqual(isSame ? [] : [word]);
  });

  it.each<[string, Query]>([
    ['a phrase', { kind: 'phrase', field: 'text', terms: ['red', null, 'lava'] } as unknown as Query],
    ['a literal', { kind: 'literal', field: 'text', text: 'Lava!' } as unknown as Query],
    ['a part', { kind: 'contains', field: 'text', text: 'lava' } as unknown as Query],
    ['a beginning', { kind: 'prefix', field: 'text', prefix: 'lava' } as unknown as Query],
    ['a pattern', { kind: 'wildcard', field: 'text', pattern: 'lava*' } as unknown as Query],
    ['a regular expression', { kind: 'regex', field: 'text', pattern: 'lava.+' } as unknown as Query],
    ['a fuzzy word', { kind: 'fuzzy', field: 'text', term: 'lava' } as unknown as Query],
    ['an operator of the upstream', { kind: 'upstream', value: 'lava' } as unknown as Query],
  ])('is found in %s', (_, query) => {
    expect(named(query, 'on Lava')).toEqual([]);
    expect(named(query, 'on Ocean')).toEqual(['ocean']);
  });

  it('is not found in what only says that a field is there', () => {
    expect(named({ kind: 'exists', field: 'text' } as unknown as Query, 'on Lava')).toEqual(['lava']);
  });

  it('is excluded by the rule when an odd number of negations stands before it', () => {
    const not = (query: Query): Query => ({ kind: 'not', query });
    expect(named(not(term('film')), 'on Lava without film')).toEqual(['lava']);
    expect(named(not(not(term('lava'))), 'on Lava')).toEqual([]);
    expect(named(not({ kind: 'any', of: [term('film'), term('games')] }), 'no film, no games')).toEqual([]);
    expect(lintIntent('x', term('film'), 'lava, no film')).toEqual([
      { kind: 'negation', named: 'film', message: 'The intent rules out "film"; the rule asks for it.' },
    ]);
    expect(lintIntent('x', term('lava'), 'lava, no film')).toEqual([]);
  });

  it('is ruled out until the sentence goes on', () => {
    const kinds = (intent: string) =>
      lintIntent('x', { kind: 'any', of: [term('films'), term('rivers')] }, intent).map(
        ({ kind, named: what }) => `${kind} ${what}`,
      );
    expect(kinds('no films, Lava')).toEqual(['negation films', 'name lava']);
    expect(kinds('no films but Lava')).toEqual(['negation films', 'name lava']);
    expect(kinds('never films and Rivers')).toEqual(['negation films', 'negation rivers']);
    expect(kinds('not just Lava')).toEqual(['name lava']);
  });

  it('counts once, with three letters or more, and not when it is a number or idle', () => {
    const asked: Query = { kind: 'any', of: ['lava', 'ab', 'abc', '123', 'news'].map((text) => term(text)) };
    expect(named(asked, "no lava, no Lava's, no ab, no abc, no 123, no news")).toEqual(['lava', 'abc']);
    expect(named(term('x'), 'on Lava, on Lava’s, on AB, on ABC, on 123, on News')).toEqual(['lava', 'abc']);
  });

  it('is one of twenty at most', () => {
    const words = Array.from({ length: 22 }, (_, at) => `${String.fromCharCode(97 + at)}zzz`);
    const asked: Query = { kind: 'any', of: words.map((text) => term(text)) };
    expect(named(asked, words.map((word) => `no ${word}`).join(', '))).toEqual(words.slice(0, 20));
    expect(named(term('x'), words.map(asName).join(', '))).toHaveLength(3);
  });
});
