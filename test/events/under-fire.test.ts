/** The campaign of events in short. */
import { expect, it } from 'vitest';
import { eventsUnderFire } from '../campaign/events.ts';

it('delivers every event or gives it up in the log, with one id and no cursor ahead, over kills and new secrets', async () => {
  const seed = 20_261_115;
  const result = await eventsUnderFire({ subscriptions: 3, rounds: 4, kills: 1, seed });
  expect(result, `seed ${seed}`).toMatchObject({ events: 12, lost: 0, changed: 0, ahead: 0, forged: 0 });
  expect(result.rotations).toBeGreaterThan(2);
});
