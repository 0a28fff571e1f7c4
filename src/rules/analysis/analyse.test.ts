import { describe, expect, it } from 'vitest';
import { languages } from '../languages.ts';
import type { Query } from '../query.ts';
import { analyse } from './analyse.ts';
import type { EventFacts, PlacedQuery } from './placed-query.ts';

const { x, firehose } = languages();

const leaf = (term: string, start = 0): PlacedQuery => {
  const query: Query = { kind: 'term', field: 'text', term };
  return { kind: 'leaf', query, start, end: start + term.length };
};
const not = (of: PlacedQuery): PlacedQuery => ({ kind: 'not', of, start: of.start, end: of.end });
const join = (kind: 'all' | 'any', of: readonly PlacedQuery[]): PlacedQuery => ({ kind, of, start: 0, end: 0 });

const facts: EventFacts = {
  event: 'post',
  impossible: () => undefined,
  common: () => undefined,
  relations: { implied: () => [], single: () => undefined },
  either: () => [],
  without: () => [],
};
const codesOf = (piece: PlacedQuery) => analyse(piece, '', facts).findings.map(({ code }) => code);

describe('a rule never matches', () => {
  it('when it requires what it excludes, at any depth of AND', () => {
    expect(codesOf(join('all', [leaf('a'), not(leaf('a'))]))).toEqual(['never-matches']);
    expect(codesOf(join('all', [leaf('a'), join('all', [leaf('b'), not(leaf('a'))])]))).toEqual(['never-matches']);
    expect(codesOf(join('all', [leaf('a'), not(join('any', [leaf('b'), leaf('a')]))]))).toEqual(['never-matches']);
  });

  it('when every side of an OR is excluded', () => {
    const either = join('any', [leaf('a'), leaf('b')]);
    expect(codesOf(join('all', [either, not(leaf('a')), not(leaf('b'))]))).toEqual(['never-matches']);
    expect(codesOf(join('all', [either, not(leaf('a'))]))).toEqual(['pointless-clause']);
  });
});

describe('a rule matches everything', () => {
  it('when the sides of an OR exclude each other', () => {
    expect(codesOf(join('any', [leaf('a'), not(leaf('a'))]))).toEqual(['matches-everything']);
  });
});

describe('a clause is pointless', () => {
  it('when it is said twice, or said in fewer words beside it', () => {
    expect(codesOf(join('all', [leaf('a'), leaf('a')]))).toEqual(['pointless-clause']);
    expect(codesOf(join('any', [leaf('a'), join('all', [leaf('a'), leaf('b')])]))).toEqual(['pointless-clause']);
    expect(codesOf(join('all', [leaf('a'), join('any', [leaf('a'), leaf('b')])]))).toEqual(['pointless-clause']);
    expect(codesOf(join('all', [leaf('a'), join('any', [leaf('b'), leaf('c')])]))).toEqual([]);
  });
});

describe('the cost', () => {
  const words = (count: number, from = 0) => Array.from({ length: count }, (_, at) => leaf(`w${from + at}`));
  const shapes: Record<string, (count: number) => PlacedQuery> = {
    'a long AND': (count) => join('all', words(count)),
    'a long OR': (count) => join('any', words(count)),
    'an AND of ORs': (count) =>
      join(
        'all',
        Array.from({ length: count / 4 }, (_, at) => join('any', words(4, at))),
      ),
    'an OR of ANDs': (count) =>
      join(
        'any',
        Array.from({ length: count / 4 }, (_, at) => join('all', words(4, at))),
      ),
    'ORs within ANDs within ORs': (count) => {
      let piece: PlacedQuery = leaf('core');
      for (let at = 0; at < count / 2; at++) piece = join(at % 2 === 0 ? 'all' : 'any', [leaf(`w${at}`), piece]);
      return piece;
    },
    'exclusions of ORs': (count) => join('all', [leaf('a'), not(join('any', words(count)))]),
  };

  it.each(Object.entries(shapes))('doubles when the rule does: %s', (_, shape) => {
    const [small, large] = [1024, 2048].map((count) => analyse(shape(count), '', facts).looks) as [number, number];
    expect(large).toBeLessThanOrEqual(small * 2 + 16);
    expect(large).toBeLessThanOrEqual(2048 * 8);
  });
});

describe('both languages say it with the same codes', () => {
  it.each([
    ['x', 'lava -lava', 'never-matches', '-lava'],
    ['x', 'from:usgs lava from:nasa', 'never-matches', 'from:nasa'],
    ['x', 'followers_count:10..20 followers_count:30', 'never-matches', 'followers_count:30'],
    ['x', '#2024', 'never-matches', '#2024'],
    ['x', 'url_contains:"a b"', 'never-matches', 'url_contains:"a b"'],
    ['x', 'tweets_count:0', 'matches-everything', 'tweets_count:0'],
    ['x', 'lava OR $toolong', 'pointless-clause', '$toolong'],
    ['x', 'lang:en lava OR magma', 'loose-condition', 'lang:en'],
    ['firehose', 'tesla AND NOT tesla', 'never-matches', 'tesla'],
    ['firehose', 'url:techcrunch.com', 'never-matches', 'url:techcrunch.com'],
    ['firehose', 'url:blog AND tesla', 'never-matches', 'url:blog'],
    ['firehose', 'publish_time:2026-02-13', 'never-matches', 'publish_time:2026-02-13'],
    ['firehose', 'e-mail*', 'never-matches', 'e-mail*'],
    ['firehose', 'title:/[0-9]+ ways/', 'never-matches', 'title:/[0-9]+ ways/'],
    ['firehose', 'url:/techcrunch.*/', 'never-matches', 'url:/techcrunch.*/'],
    ['firehose', 'dr:[200 TO *]', 'never-matches', 'dr:[200 TO *]'],
    ['firehose', 'dr:[1 TO 20] AND dr:[30 TO *]', 'never-matches', 'dr:[30 TO *]'],
    ['firehose', 'the', 'never-matches', 'the'],
    ['firehose', 'NOT ford', 'never-matches', 'NOT ford'],
    ['firehose', 'tesla OR *', 'matches-everything', 'tesla OR *'],
    ['firehose', 'url:http* OR tesla', 'matches-everything', 'url:http* OR tesla'],
    ['firehose', '*:* AND NOT spam', 'matches-everything', '*:* AND NOT spam'],
    ['firehose', 'tesla OR url:blog', 'pointless-clause', 'url:blog'],
    ['firehose', 'tesla AND NOT url:blog', 'pointless-clause', 'url:blog'],
    ['firehose', '+tesla recall', 'pointless-clause', 'recall'],
  ] as const)('%s: %s is %s at %s', (platform, rule, code, at) => {
    const found = { x, firehose }[platform].parse(rule).diagnostics.find((one) => one.code === code);
    expect(found && rule.slice(found.span.start, found.span.end)).toBe(at);
    expect(found?.message).toMatch(/^[A-Z"#$+\w].*[.;]/);
  });
});
