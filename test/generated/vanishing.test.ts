import { describe, expect, it } from 'vitest';
import { vanishingOf } from './vanishing.ts';

const seed = Number(process.env['SEED'] ?? 5);

describe('registrations that vanish by chance', () => {
  it.each(['x', 'firehose'] as const)('lose no match in silence, and none that came (%s)', async (platform) => {
    const { silent, dropped, unsettled, ...counts } = await vanishingOf({ platform, times: 8, seed });
    expect({ seed, silent, dropped, unsettled }).toEqual({ seed, silent: [], dropped: [], unsettled: [] });
    // There were matches of both kinds: stored, and lost inside gaps.
    expect(counts.deleted).toBeGreaterThan(8);
    expect(counts.stored).toBeGreaterThan(counts.pairs / 3);
    expect(counts.stored).toBeLessThan(counts.pairs);
  });
});
