/** A node that was frozen for longer than others wait for it is asked at once when it wakes up, before it has looked around. */
import { expect, it } from 'vitest';
import { withSeededBytes } from './chance.ts';
import { createScheduler } from './scheduler.ts';
import { createWorld, furnish } from './world.ts';

const RULE = { name: 'rule', intent: '', platforms: ['firehose'], overrides: { firehose: 'title:word0' } };
const LINES = JSON.stringify({ id: '1', title: 'nothing word0' });

async function matchesOfPushAfterThaw(seed: number): Promise<number> {
  const scheduler = createScheduler(seed);
  const world = await createWorld(scheduler, 2);
  const furnished = furnish(world);
  await scheduler.runUntil(scheduler.now + 60_000);
  const { owners, pusher } = await furnished;
  const result = async <T>(work: Promise<T>): Promise<T> => {
    const state = { isDone: false };
    void work.then(() => (state.isDone = true));
    while (!state.isDone) await scheduler.runUntil(scheduler.now + 100);
    return work;
  };
  const [frozen, other] = world.cluster.nodes();
  scheduler.freeze(frozen!.life);
  await result(other!.test.call(owners[0]!, 'createRule', RULE));
  scheduler.thaw(frozen!.life);
  const { matches } = await result(frozen!.test.call(pusher, 'pushEvents', { platform: 'firehose', lines: LINES }));
  await world.store[Symbol.asyncDispose]();
  return matches!;
}

it.each([1, 2, 3])('matches a push by the rule that was created meanwhile (seed %i)', async (seed) => {
  expect(await withSeededBytes(seed, () => matchesOfPushAfterThaw(seed))).toBe(1);
});
