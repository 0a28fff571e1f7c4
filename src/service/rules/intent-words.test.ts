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

  it('is a word like others where it is not named as a language', () => {
    expect(named(term('elections'), 'French elections')).toEqual(['french']);
    expect(named(term('fr', 'lang'), 'in French, frenchmen')).toEqual(['frenchmen']);
  });
});

describe('a word of the intent', () => {
  it.each([
    ['erupting', 'eruption', true],
    ['volcanowatch', 'volcano', true],
    ['lava', 'lavas', true],
    ['art', 'party', false],
    ['cat', 'category', false],
    ['火山', '火山学者', true],
    ['abcdefgh', 'abcdxyzw', false],
    ['abcdef', 'abcdxy', true],
    ['abcdefg', 'abcdxyz', false],
    ['abcxyz', 'abcdef', false],
  ])('in the rule as %s, and named as %s, is the same: %s', (wanted, word, isSame) => {
    expect(named(term(wanted), word)).toEqual(isSame ? [] : [word]);
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
    expect(named(query, 'lava')).toEqual([]);
    expect(named(query, 'ocean')).toEqual(['ocean']);
  });

  it('is not found in what only says that a field is there', () => {
    expect(named({ kind: 'exists', field: 'text' } as unknown as Query, 'lava')).toEqual(['lava']);
  });

  it('is excluded by the rule when an odd number of negations stands before it', () => {
    const not = (query: Query): Query => ({ kind: 'not', query });
    expect(named(not(term('film')), 'lava without film')).toEqual(['lava']);
    expect(named(not(not(term('lava'))), 'lava')).toEqual([]);
    expect(named(not({ kind: 'any', of: [term('film'), term('games')] }), 'no film, no games')).toEqual([]);
    const [note] = lintIntent('x', term('lava'), 'lava, no film');
    expect(note).toEqual({
      kind: 'negation',
      named: 'film',
      message: 'The intent rules out "film"; the rule does not exclude it.',
    });
  });

  it('is ruled out until the sentence goes on', () => {
    const kinds = (intent: string) =>
      lintIntent('x', term('nothing'), intent).map(({ kind, named: what }) => `${kind} ${what}`);
    expect(kinds('no films, lava')).toEqual(['negation films', 'word lava']);
    expect(kinds('no films but lava')).toEqual(['negation films', 'word lava']);
    expect(kinds('never films and lava')).toEqual(['negation films', 'negation lava']);
    expect(kinds('not just lava')).toEqual(['word lava']);
  });

  it('counts once, with three letters or more, and not when it is a number or idle', () => {
    expect(named(term('x'), "lava Lava lava's ab abc 123 the news")).toEqual(['lava', 'abc']);
  });

  it('is one of twenty at most', () => {
    const words = Array.from({ length: 22 }, (_, at) => `${String.fromCharCode(97 + at)}zzz`);
    expect(named(term('x'), words.join(' '))).toEqual(words.slice(0, 20));
  });
});
