import { describe, expect, it } from 'vitest';
import { driftRounds } from './registration-drift.ts';

describe('drift by chance', () => {
  it.each([
    { seed: 1, limit: undefined },
    { seed: 2, limit: 30 },
  ])('converges, and touches nothing that is not ours (%o)', async ({ seed, limit }) => {
    const report = await driftRounds({ rounds: 10, seed, ...(limit === undefined ? {} : { limit }) });
    expect(report.unsettled).toEqual([]);
    expect(report.foreignTouched).toBe(0);
    expect(Object.keys(report.drifts).length).toBeGreaterThan(5);
  });
});
