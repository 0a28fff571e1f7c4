import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { basisOf, FacetLists } from './facet-lists.tsx';
import { facetChange, facetRows, facetWords } from './facets.ts';

const row = (value: string, matches: number, label = value) => ({ value, label, matches });
const answer = {
  counted: 12,
  complete: true,
  counted_from: null,
  facets: {
    author: [row('mara', 7, '@mara'), row('jo', 5, '@jo')],
    domain: [],
    language: [row('en', 12), row('no language', 0)],
    platform: [row('x', 12)],
    source: [],
    rule: [row('rule_1', 12, 'Storms')],
    story: [],
  },
};

describe('facets', () => {
  it('keep the chosen value in the list, also where it was not counted, so that it can be taken back', () => {
    expect(facetRows(answer.facets.author, 'jo').filter(({ isChosen }) => isChosen)).toEqual([
      { value: 'jo', label: '@jo', matches: 5, isChosen: true },
    ]);
    expect(facetRows([], 'gone')).toEqual([{ value: 'gone', label: 'gone', matches: undefined, isChosen: true }]);
    expect(facetChange('author', facetRows(answer.facets.author, 'jo')[1]!)).toEqual({ author: undefined });
    expect(facetChange('author', facetRows(answer.facets.author, 'jo')[0]!)).toEqual({ author: 'mara' });
  });

  it('are called what people call them', () => {
    expect(facetWords('language', row('en', 1))).toBe('English');
    expect(facetWords('language', row('no language', 1))).toBe('no language');
    expect(facetWords('platform', row('firehose', 1))).toBe('Web pages');
    expect(facetWords('author', row('mara', 1, '@mara'))).toBe('@mara');
  });

  it('say since when they are counted if not all was counted', () => {
    expect(basisOf(answer)).toBe('The numbers count all 12 matches.');
    const cut = { ...answer, complete: false, counted_from: '2026-11-14T08:00:00.000Z' };
    expect(basisOf(cut)).toMatch(
      /^The numbers count the newest 12 matches, from .*2026.* on\. Older ones are not counted\.$/,
    );
  });

  it('are buttons with their counts, and what is empty is not shown', () => {
    const html = renderToStaticMarkup(
      createElement(FacetLists, {
        hasStories: false,
        search: { author: 'jo' },
        answer,
        isOld: false,
        onChange: () => {},
      }),
    );
    expect(html.match(/aria-pressed="true"/g)).toHaveLength(1);
    expect(html).toContain('@mara');
    expect(html).not.toContain('>Source<');
  });
});
