/** A node that reads the upstream's stream is frozen for longer than others wait for it, and for less than its lease. */
import { expect, it } from 'vitest';
import type { Caller } from '../../src/service/access/caller.ts';
import { withSeededBytes } from './chance.ts';
import type { Node } from './cluster.ts';
import { createScheduler } from './scheduler.ts';
import { createWorld, furnish } from './world.ts';

/** Seeds in which a stream's new post is looked at before the log of rule changes, or after. */
const SEEDS = [1_504, 4, 704];

async function matchesAfterThaw(seed: number): Promise<number> {
  const scheduler = createScheduler(seed);
  const world = await createWorld(scheduler, 2);
  const furnished = furnish(world);
  await scheduler.runUntil(scheduler.now + 60_000 + (seed - 4));
  const { owners } = await furnished;
  const create = async ({ test }: Node, owner: Caller): Promise<void> => {
    const rule = { name: 'rule', intent: '', platforms: ['x'], overrides: { x: 'word0' } };
    let isDone = false;
    void test.call(owner, 'createRule', rule).then(() => (isDone = true));
    while (!isDone) await scheduler.runUntil(scheduler.now + 100);
  };
  const nodes = world.cluster.nodes();
  await create(nodes[0]!, owners[0]!);
  await scheduler.runUntil(scheduler.now + 20_000);
  const isReader = ({ test }: Node) => test.service.context.upstreams.status('x')?.state === 'live';
  const [reader, other] = [nodes.find(isReader)!, nodes.find((node) => !isReader(node))!];
  scheduler.freeze(reader.life);
  await create(other, owners[1]!);
  world.upstream.publish('10000001', 'nothing word0');
  await scheduler.runUntil(scheduler.now + 500);
  scheduler.thaw(reader.life);
  await scheduler.runUntil(scheduler.now + 120_000);
  const { matches } = await world.store.matchesAfter({ accountId: owners[1]!.account.id, after: 0, limit: 10 });
  await world.store[Symbol.asyncDispose]();
  return matches.length;
}

it.each(SEEDS)('matches a post by the rule that was created meanwhile (seed %i)', async (seed) => {
  expect(await withSeededBytes(seed, () => matchesAfterThaw(seed))).toBe(1);
});
