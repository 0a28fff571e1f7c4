/** The short form of `npm run campaign -- upstream`. Drifts and packs have tests of their own beside this one. */
import { describe, expect, it } from 'vitest';
import { cutStreams } from './generated/upstream-cuts.ts';
import { outagesOf } from './generated/upstream-outages.ts';
import { quotasUnderFire } from './generated/upstream-quotas.ts';

const seed = Number(process.env['SEED'] ?? 11);

describe('upstreams under fire', () => {
  it.each(['firehose', 'x'] as const)(
    'lose, double and break nothing through cuts at any byte (%s)',
    async (platform) => {
      const { records, cuts, repeats, ...wrong } = await cutStreams({ platform, records: 1_500, cuts: 10, seed });
      expect({ ...wrong, seed }).toEqual({ lost: 0, twice: 0, partial: 0, unrecovered: 0, seed });
      expect(records).toBeGreaterThanOrEqual(1_500);
      expect(cuts).toBeGreaterThanOrEqual(10);
      // X says again what it has said already; Firehose goes on after an id.
      expect(repeats > 0).toBe(platform === 'x');
    },
  );

  it.each([
    { platform: 'firehose' },
    { platform: 'firehose', isSplit: true },
    { platform: 'x' },
    { platform: 'x', level: 'enterprise' },
  ] as const)('have every second of any outage, or a gap for it (%o)', async (which) => {
    const report = await outagesOf({ ...which, outages: 8, seed });
    expect({ unreported: report.unreported, seed }).toEqual({ unreported: [], seed });
    // Both were there: what came back, and what did not.
    expect(report.stored).toBeGreaterThan(report.records / 3);
    expect(report.stored).toBeLessThan(report.records);
    expect(report.gapSeconds).toBeLessThan(report.seconds);
  });

  it('keep to the limits of the other side, and never ask before a stated time', async () => {
    const report = await quotasUnderFire({ hours: 1, seed });
    expect(report.windows.filter(({ most, aim }) => most > aim)).toEqual([]);
    expect({ early: report.early, isLiveAgain: report.isLiveAgain, seed }).toEqual({
      early: [],
      isLiveAgain: true,
      seed,
    });
    expect(report.apart).toBeGreaterThanOrEqual(3_000);
    expect(report.refused).toBeGreaterThan(5);
    expect(Object.keys(report.fired).length).toBeGreaterThan(12);
  });
});
