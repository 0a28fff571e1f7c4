/** The short form of `npm run campaign -- freeze`. */
import { expect, it } from 'vitest';
import { freezeUnderLoad } from '../campaign/freeze.ts';
import { describeWithNats } from '../stages/nats.ts';

describeWithNats('a cluster of which a node freezes under load', () => {
  it('goes on without it, loses nothing and does nothing twice', { timeout: 600_000 }, async () => {
    const seed = Number(process.env['SEED'] ?? 20_261_115);
    console.log(`SEED=${seed}`);
    // How long the others stood still is not asserted here. It follows from the settings, which have tests of their own.
    const result = await freezeUnderLoad({ times: 2, seed, longerMs: 0 });
    const nothing = { missing: 0, twice: 0, unexpected: 0, miscounted: 0, undelivered: 0, doubled: 0 };
    expect(result).toMatchObject({ ...nothing, freezes: 2 });
    for (const done of ['acknowledged', 'matches', 'rulesCreated'] as const) expect(result[done]).toBeGreaterThan(0);
  });
});
