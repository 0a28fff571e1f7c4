import { describe, expect, it } from 'vitest';
import { packingDifferential } from './packing-differential.ts';

describe('more rules than slots', () => {
  it('attributes every match as without packs, in few calls', async () => {
    const report = await packingDifferential({ rules: 800, slots: 40, events: 1_000, changes: 4, seed: 5 });
    console.log(
      `${report.rules} rules in ${report.registrations} slots: ${report.callsToFill} calls to fill, ` +
        `${report.callsByCreation.toFixed(1)} a creation, ${report.callsByDeletion.toFixed(1)} a deletion`,
    );
    expect(report.differences).toEqual([]);
    expect(report.matches).toBeGreaterThan(50);
    expect(report.packs).toBeGreaterThan(10);
    expect(report.mostSlots).toBeLessThanOrEqual(40);
    expect(report.callsToFill).toBeLessThan(30);
    expect(report.callsByCreation).toBeLessThanOrEqual(2);
    expect(report.callsByDeletion).toBeLessThanOrEqual(2);
  });
});
