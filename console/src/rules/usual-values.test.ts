import { expect, it } from 'vitest';
import { valuesLike, valuesOf } from '../../../src/rules/values.ts';
import { commonFirst } from './usual-values.ts';

it('the languages of most posts are offered first', () => {
  const offered = (field: string, typed: string) =>
    commonFirst(field, typed, valuesLike(valuesOf(field === 'language' ? 'firehose' : 'x', field)!, typed)).map(
      ({ value }) => value,
    );
  expect(offered('lang', 'e')[0]).toBe('en');
  expect(offered('lang', '')[0]).toBe('en');
  expect(offered('language', 'e')[0]).toBe('en');
  expect(offered('place_country', 'u')[0]).toBe('US');
  expect(offered('lang', 'e').toSorted()).toEqual(
    valuesLike(valuesOf('x', 'lang')!, 'e')
      .map(({ value }) => value)
      .toSorted(),
  );
});
