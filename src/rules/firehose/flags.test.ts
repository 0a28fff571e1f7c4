import { describe, expect, it } from 'vitest';
import { compilePattern } from '../pattern/pattern.ts';
import { EVERYTHING, type Query } from '../query.ts';
import { withFlags } from '../rule-text.ts';
import { firehoseLanguage as language } from './language.ts';

interface Page {
  readonly url: string;
  readonly page_category?: string;
  readonly ageInDays?: number;
}

/** Just enough of an engine for the predicates that the flags are made of. */
function holds(query: Query, page: Page): boolean {
  if (query.kind === 'all') return query.of.every((part) => holds(part, page));
  if (query.kind === 'any') return query.of.some((part) => holds(part, page));
  if (query.kind === 'not') return !holds(query.query, page);
  if (query.kind === 'everything') return true;
  if (query.kind === 'recent') return (page.ageInDays ?? Infinity) * 86_400_000 <= query.milliseconds;
  const text = ('field' in query && query.field === 'url' ? page.url : page.page_category) ?? '';
  if (query.kind === 'term') return text === query.term;
  if (query.kind !== 'regex' && query.kind !== 'wildcard' && query.kind !== 'prefix') throw new Error(query.kind);
  return compilePattern(query).test(text, 0, text.length);
}

describe('quality', () => {
  const passes = (page: Page) => holds(withFlags(EVERYTHING, { quality: true, nsfw: true }), page);

  it.each([
    ['https://example.com/news/tesla', true],
    ['https://example.com/page/about', true],
    ['https://example.com/pages/2', true],
    ['https://example.com/tags/seo', true],
    ['https://example.com/page/2', false],
    ['https://example.com/blog/page/12/', false],
    ['https://example.com/tag/seo', false],
    ['https://example.com/category/news', false],
    ['https://example.com/blog/tag', false],
    ['https://example.com/news?sort=date', false],
  ])('on %s is %s', (url, expected) => {
    expect(passes({ url, ageInDays: 1 })).toBe(expected);
  });

  it('wants a publication time within seven days', () => {
    const url = 'https://example.com/news';
    expect([passes({ url, ageInDays: 7 }), passes({ url, ageInDays: 8 }), passes({ url })]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('nsfw', () => {
  const passes = (page_category: string, nsfw: boolean) =>
    holds(withFlags(EVERYTHING, { quality: false, nsfw }), { url: 'https://example.com/', page_category });

  it('lets adult pages through only when set', () => {
    expect(['/Adult', '/Adult/x', '/Adults', '/News'].map((label) => passes(label, false))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(passes('/Adult', true)).toBe(true);
  });
});

it('flags have a text form as well', () => {
  const query = withFlags(language.parse('tesla').query ?? EVERYTHING, { quality: true, nsfw: false });
  const again = language.parse(language.print(query));
  expect(again.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
});
