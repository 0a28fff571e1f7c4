import { expect, it } from 'vitest';
import { wakesUnderKills } from './kills.ts';

const SEED = 20_261_117;

it('wakes nine shapes of harness in four states once each, with a kill of the agent or the server in every other run', async () => {
  const runs = 4 * 9 * 4;
  const { kills, tokens, ...rest } = await wakesUnderKills({ runs, seed: SEED });
  console.log(`seed ${SEED}: ${kills} kills, at most ${tokens} tokens`);
  expect(rest).toEqual({ runs, lost: 0, twice: 0, idle: 0, open: 0 });
  expect(kills).toBeGreaterThan(runs / 3);
  expect(tokens).toBeLessThanOrEqual(600);
}, 180_000);
