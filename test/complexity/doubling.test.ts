import { expect, it } from 'vitest';
import { growthOf, MOST_GROWTH, upTo } from './doubling.ts';

const make = (size: number) => size;

/** Burns CPU time in proportion to a number. */
function burn(units: number): void {
  let hash = 1;
  for (let at = 0; at < units * 100; at++) hash = Math.imul(hash ^ at, 0x01000193);
  if (hash === 0) throw new Error('never');
}

it('lets linear work pass, counted or timed', async () => {
  const sizes = upTo(64_000);
  expect((await growthOf({ sizes, make, work: (size) => size })).growth).toBeCloseTo(2, 1);
  expect((await growthOf({ sizes, make, work: (size) => burn(size) })).growth).toBeLessThan(MOST_GROWTH);
});

it('catches quadratic work, counted or timed', async () => {
  const sizes = upTo(256);
  expect((await growthOf({ sizes, make, work: (size) => size * size })).growth).toBeGreaterThan(MOST_GROWTH);
  expect((await growthOf({ sizes, make, work: (size) => burn(size * size) })).growth).toBeGreaterThan(MOST_GROWTH);
});

it('catches one doubling that is worse than the others, where steps are counted', async () => {
  const work = (size: number) => (size === 16 ? 1_000 : size);
  expect((await growthOf({ sizes: upTo(16), make, work })).growth).toBeGreaterThan(MOST_GROWTH);
});

it('waits for work that takes several turns', async () => {
  const work = async (size: number) => {
    await Promise.resolve();
    return size;
  };
  expect((await growthOf({ sizes: upTo(16), make, work })).work).toEqual([1, 2, 4, 8, 16]);
});
