import { expect, it } from 'vitest';
import { isWhole, type UpstreamVictim, upstreamsUnderFire } from '../campaign/cluster-upstream.ts';
import { describeWithNats } from '../stages/nats.ts';

describeWithNats('a cluster between two upstreams under fire', () => {
  it('has everything that can be replayed once, and a gap on record for the rest', { timeout: 600_000 }, async () => {
    const seed = Number(process.env['SEED'] ?? 20_261_115);
    console.log(`SEED=${seed}`);
    // Both connectors: whichever reads is among them.
    const victims: UpstreamVictim[] = ['connector', 'connector', 'api', 'postgres', 'matcher', 'nats'];
    const result = await upstreamsUnderFire({
      victims,
      level: 'payg',
      seed,
      apartMs: 500,
      isPatient: false,
      report: console.log,
    });
    expect(isWhole('payg', result), JSON.stringify(result)).toBe(true);
    expect(result.takeovers, 'the kills were felt').toBeGreaterThan(0);
  });
});
