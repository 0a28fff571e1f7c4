import { expect, it } from 'vitest';
import { until } from '../../../test/stages/receiver.ts';
import { openService } from '../../../test/stages/service.ts';

const rule = { name: 'n', intent: '', platforms: ['x'], overrides: { x: 'storm' } };

it('answers a repeated creation only when every node matches the rule', async () => {
  await using test = await openService();
  const alice = await test.caller('alice');
  const create = () => test.call(alice, 'createRule', rule, { idempotencyKey: 'k' });
  const made = await create();
  // As if the first request had ended between the rule and its answer.
  const { bodyDigest } = (await test.store.remembered(alice.account.id, 'k'))!;
  await test.store.remember(alice.account.id, 'k', bodyDigest, { begun: made.rule_id });
  const { promise: everyNode, resolve } = Promise.withResolvers<void>();
  let [asked, answered] = [0, false];
  const caughtUp = () => {
    asked++;
    return everyNode;
  };
  Object.assign(test.service.context, { nodes: { apis: 1, caughtUp } });
  const again = create().finally(() => {
    answered = true;
  });
  await until(() => asked > 0);
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  expect(answered).toBe(false);
  resolve();
  expect(await again).toEqual(made);
});
