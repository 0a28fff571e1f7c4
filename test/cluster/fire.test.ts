import { expect, it } from 'vitest';
import { clusterUnderFire, type Victim } from '../campaign/cluster.ts';
import { describeWithNats } from '../stages/nats.ts';

describeWithNats('a cluster under fire', () => {
  it('loses nothing and does nothing twice, whoever is killed', { timeout: 600_000 }, async () => {
    const seed = Number(process.env['SEED'] ?? 20_261_115);
    console.log(`SEED=${seed}`);
    // Things that these two had to themselves are another's only after a while: they are killed first.
    const victims: Victim[] = ['delivery', 'connector', 'matcher', 'api', 'nats', 'postgres', 'nats data'];
    // Apart: while a process starts, pushes at full speed would take all of the CPU. The campaign does that.
    const load = { batches: 10, apartMs: 100 };
    const { acknowledged, refused, matches, ...counted } = await clusterUnderFire({ victims, seed, ...load });
    expect({ ...counted, seed, pushed: acknowledged > 1_000, matched: matches > acknowledged / 5 }).toEqual({
      seed,
      pushed: true,
      matched: true,
      missing: 0,
      twice: 0,
      unexpected: 0,
      miscounted: 0,
      undelivered: 0,
      doubled: 0,
    });
    expect(refused, 'the kills were felt').toBeGreaterThan(0);
  });
});
