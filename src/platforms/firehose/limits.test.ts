/** Hours of random faults in virtual time: the upstream's limits are kept, and the stream recovers. */
import { expect, it } from 'vitest';
import { type FirehoseStage, firehoseStage } from '../../../test/stages/firehose-stage.ts';

const HOURS = 2;

/** Without those that it is long before one asks again after. */
const FAULTS: readonly ((stage: FirehoseStage) => void)[] = [
  ({ sandbox }) => sandbox.throwFault('F1'),
  ({ sandbox }) => sandbox.throwFault('F2', { after_bytes: 0 }),
  ({ sandbox }) => sandbox.throwFault('F3'),
  ({ sandbox }) => sandbox.throwFault('F4', { count: 2 }),
  ({ sandbox }) => sandbox.throwFault('F11'),
  ({ sandbox }) => sandbox.throwFault('F12'),
  ({ sandbox }) => sandbox.throwFault('F15', { on: 'both', seconds: 20 }),
  (stage) => void stage.post(),
];

/** A generator of numbers that a failure can be repeated with. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

it('keeps to the limits of the upstream, and never asks before a stated time', async () => {
  await using stage = await firehoseStage();
  const random = randomFrom(7);
  stage.follow();
  await stage.live();
  for (let step = 0; step < HOURS * 240; step++) {
    FAULTS[Math.floor(random() * FAULTS.length)]!(stage);
    if (step % 5 === 0) void stage.platform.held().catch(() => {});
    await stage.clock.pass(15_000);
  }
  stage.sandbox.clearFaults();
  await stage.clock.pass(1_000_000);
  await stage.live();

  const connects = stage.connects();
  expect(connects.length).toBeGreaterThan(50);
  for (const { at } of connects)
    expect(connects.filter((one) => one.at >= at && one.at <= at + 60_000).length).toBeLessThanOrEqual(20);
  for (const [index, next] of connects.slice(1).entries()) {
    const { at, status } = connects[index]!;
    expect(next.at - at).toBeGreaterThanOrEqual(status === 429 ? 20_000 : 3_000);
  }
  const rules = stage.sandbox.calls.filter(({ path }) => path.startsWith('/v1/rules'));
  const afterRefusals = rules.slice(1).filter((_, index) => rules[index]!.status === 429);
  for (const next of afterRefusals) {
    const { at } = rules[rules.indexOf(next) - 1]!;
    expect(next.at.getTime() - at.getTime()).toBeGreaterThanOrEqual(20_000);
  }
});
