/** The short form of `npm run campaign -- wakes`. */
import { expect, it } from 'vitest';
import { wakesUnderFire } from '../campaign/wakes.ts';

it('each match is in exactly one wake or digest, whatever fails and whoever is killed', {
  timeout: 300_000,
}, async () => {
  const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 32));
  const result = await wakesUnderFire({ rounds: 2, eventsOfRound: 60, seed });
  const { owed, wakes, held, digests, refused, ...wrong } = result;
  expect({ ...wrong, seed }).toEqual({ lost: 0, doubled: 0, wrong: 0, overrun: 0, seed });
  expect(wakes + held).toBe(owed);
  // The faults were there, and so were digests.
  expect([refused > 0, digests >= 3, held > 100]).toEqual([true, true, true]);
});
