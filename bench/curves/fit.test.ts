import { expect, it } from 'vitest';
import { bendOf, costAt, fitCurve, type Sized } from './fit.ts';

const SIZES = [1_000, 10_000, 100_000, 300_000, 1_000_000];
const curve = (cost: (size: number) => number): Sized[] => SIZES.map((size) => [size, cost(size)]);

it('finds the parts that a curve was made of, and goes on with them', () => {
  const fit = fitCurve(curve((size) => 20 + 3 * Math.log10(size) + size / 10_000));
  for (const [size, cost] of curve((at) => 20 + 3 * Math.log10(at) + at / 10_000))
    expect(costAt(fit, size) / cost).toBeCloseTo(1, 2);
  expect(costAt(fit, 10_000_000) / 1_041).toBeCloseTo(1, 1);
});

it('says where what grows with the size outweighs the rest', () => {
  expect(bendOf({ fixed: 50, tenfold: 0, each: 0.001 })).toBeCloseTo(50_000, 0);
  expect(bendOf({ fixed: 40, tenfold: 2, each: 0.0005 })).toBeCloseTo(100_000, 0);
});

it('says that a flat curve does not bend, nor one that grows with the logarithm', () => {
  expect(bendOf({ fixed: 50, tenfold: 0, each: 0 })).toBeUndefined();
  expect(bendOf({ fixed: 0, tenfold: 5, each: 0 })).toBeUndefined();
});

it('says that a line through nothing is bent from the start', () => {
  expect(bendOf({ fixed: 0, tenfold: 0, each: 2 })).toBe(1);
});
