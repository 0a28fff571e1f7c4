import { describe, expect, it } from 'vitest';
import { IN_FLIGHT, webhooksUnderFire } from '../campaign/webhooks.ts';
import type { StartServer } from './server.ts';

export function webhooksSuite(start: StartServer): void {
  describe('webhooks', () => {
    it('get everything once it is owed, whatever fails and whoever is killed', async () => {
      const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 32));
      const { attempts, deliveries, refused, repeated, ...wrong } = await webhooksUnderFire({
        start,
        webhooks: 20,
        rounds: 6,
        kills: 2,
        seed,
      });
      expect({ ...wrong, seed }).toEqual({ lost: 0, changed: 0, doubled: 0, forged: 0, seed });
      expect(repeated).toBeLessThanOrEqual(2 * IN_FLIGHT);
      // The faults were there.
      expect(refused).toBeGreaterThan(deliveries / 10);
      expect(attempts).toBeGreaterThan(deliveries);
    });
  });
}
