/** Short form of `npm run campaign -- burst`. */
import { expect, it } from 'vitest';
import { burst } from '../campaign/burst.ts';

it('a flood of a source loses nothing, and rules are written meanwhile', async () => {
  const report = await burst(1_500, 0);
  expect(report.matches).toBe(report.expected);
  expect(report.ruleWrites).toBeGreaterThanOrEqual(5);
});
