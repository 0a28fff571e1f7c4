import { describe, expect, it } from 'vitest';
import { crash } from '../campaign/crash.ts';

describe('a crash', () => {
  it('loses nothing that was acknowledged and repeats nothing, 20 times over', { timeout: 300_000 }, async () => {
    const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 32));
    const result = await crash({ kills: 20, seed, after: (random) => ({ batches: 1 + Math.floor(random() * 30) }) });
    expect({ ...result, ready: result.ready.length, acknowledged: result.acknowledged > 2_000, seed }).toEqual({
      seed,
      acknowledged: true,
      missing: 0,
      twice: 0,
      unexpected: 0,
      miscounted: 0,
      integrity: 'ok',
      ready: 20,
    });
  });
});
