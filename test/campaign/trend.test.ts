import { expect, it } from 'vitest';
import { trendOf } from './trend.ts';

it('tells growth from noise', () => {
  const { growth, noise } = trendOf([10, 12, 9, 11, 10, 12, 9, 11]);
  expect(Math.abs(growth)).toBeLessThan(noise);
  const grown = trendOf([10, 12, 13, 17, 18, 21, 22, 25]);
  expect(grown.growth).toBeGreaterThan(grown.noise);
  expect(trendOf([1, 2, 3, 4]).growth).toBeCloseTo(3);
});
