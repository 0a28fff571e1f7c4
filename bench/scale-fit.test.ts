import { expect, it } from 'vitest';
import { costOf, fitCosts } from './scale-fit.ts';

const rows = [
  [10, 3, 1],
  [10, 0, 1],
  [200, 20, 1],
  [50, 50, 1],
  [5, 1, 4],
];

it('finds the costs that runs were made of, and what another run would cost', () => {
  const costs = [0.2, 1.5, 7];
  const found = fitCosts(
    rows,
    rows.map((units) => costOf(costs, units)),
  );
  for (const [unit, cost] of costs.entries()) expect(found[unit]).toBeCloseTo(cost, 3);
  expect(costOf(found, [40, 8, 2])).toBeCloseTo(34, 2);
});

it('knows no cost below nothing', () => {
  const totals = rows.map(([events = 0, matches = 0]) => Math.max(1, 10 * events - 5 * matches));
  expect(Math.min(...fitCosts(rows, totals))).toBe(0);
});
