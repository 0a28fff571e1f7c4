import { describe, expect, it } from 'vitest';
import { crash } from '../campaign/crash.ts';
import type { StartServer } from './server.ts';

export function crashSuite(
  start: StartServer,
  { kills, integrity }: { kills: number; integrity: 'ok' | undefined },
): void {
  describe('a crash', () => {
    it(`loses nothing that was acknowledged and repeats nothing, ${kills} times over`, {
      timeout: 300_000,
    }, async () => {
      const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 32));
      const after = (random: () => number) => ({ batches: 1 + Math.floor(random() * 10) });
      const result = await crash({ start, kills, seed, after });
      expect({ ...result, ready: result.ready.length, acknowledged: result.acknowledged >= kills * 100, seed }).toEqual(
        {
          seed,
          acknowledged: true,
          missing: 0,
          twice: 0,
          unexpected: 0,
          miscounted: 0,
          integrity,
          ready: kills,
        },
      );
    });
  });
}
