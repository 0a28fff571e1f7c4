import { describe, expect, it } from 'vitest';
import { languages } from './languages.ts';
import { operatorsWithValues, valuesLike, valuesOf } from './values.ts';

const LANGUAGES = languages();

describe('the values of operators', () => {
  it.each([
    ['x', 'lang', 'iw', 'Hebrew', 78],
    ['x', 'lang', 'zh-TW', 'Chinese (Taiwan)', 78],
    ['x', 'lang', 'qht', 'Hashtags alone', 78],
    ['x', 'place_country', 'IS', 'Iceland', 249],
    ['firehose', 'language', 'he', 'Hebrew', 53],
    ['firehose', 'page_type', '/Article/News_Update', 'Article › News Update', 110],
    ['firehose', 'page_category', '/News', 'News', 1_094],
  ] as const)('on %s of %s: %s is %s', (platform, operator, value, name, count) => {
    const values = valuesOf(platform, operator)!;
    expect(values).toContainEqual({ value, name });
    expect(values).toHaveLength(count);
  });

  it('each have a name, and are taken by the language without a remark', () => {
    for (const platform of ['x', 'firehose'] as const) {
      for (const operator of operatorsWithValues(platform)) {
        for (const { value, name } of valuesOf(platform, operator)!) {
          expect(name).not.toBe('');
          const clause = platform === 'x' ? `${operator}:${value}` : `${operator}:"${value}"`;
          const rule = platform === 'x' ? `lava ${value === 'nullcast' ? '-' : ''}${clause}` : `lava AND ${clause}`;
          expect(LANGUAGES[platform].parse(rule).diagnostics, rule).toEqual([]);
        }
      }
    }
  });

  it('are found by their beginning, then by a word of their name', () => {
    const found = (operator: string, prefix: string) =>
      valuesLike(valuesOf('firehose', operator)!, prefix).map(({ value }) => value);
    expect(found('language', 'ger')).toEqual(['de']);
    expect(found('language', 'fa')).toEqual(['fa']);
    expect(found('page_type', '/landing_page/p')).toEqual([
      '/Landing_Page/Pricing_Page',
      '/Landing_Page/Product_Feature_Page',
      '/Landing_Page/Product_Page',
    ]);
    expect(found('page_category', 'Technology')).toContain('/News/Technology_News');
    expect(found('page_category', 'no such')).toEqual([]);
    expect(valuesOf('x', 'from')).toBeUndefined();
    expect(valuesOf('x', 'constructor')).toBeUndefined();
  });
});
