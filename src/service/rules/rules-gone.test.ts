import { expect, it, vi } from 'vitest';
import { openService } from '../../../test/stages/service.ts';

async function stage() {
  const test = await openService();
  const alice = await test.caller('alice');
  const ruleOf = async (x: string) =>
    (await test.call(alice, 'createRule', { name: x, intent: '', platforms: ['x'], overrides: { x } })).rule_id;
  const url = 'https://hooks.example/a';
  const hook = async (more: object) => (await test.call(alice, 'createWebhook', { url, ...more })).webhook_id;
  const goneWebhooks = async () =>
    (await test.call(alice, 'listWebhooks')).webhooks.filter(({ rules_gone }) => rules_gone).map(({ id }) => id);
  return Object.assign(test, { alice, ruleOf, hook, goneWebhooks });
}

it('what is for deleted rules alone says so, and a restored rule revives it', async () => {
  await using test = await stage();
  const { alice } = test;
  const [lava, ash] = [await test.ruleOf('lava'), await test.ruleOf('ash')];
  const [both, one] = [await test.hook({ rule_ids: [lava, ash] }), await test.hook({ rule_ids: [lava] })];
  await test.hook({});
  await test.call(alice, 'createView', { name: 'Lava', query: `rule=${lava}&text=hot` });
  await test.call(alice, 'createView', { name: 'All', query: 'text=hot' });
  await test.call(alice, 'createFeed', { name: 'Lava', rule_id: lava });
  await test.call(alice, 'createFeed', { name: 'All' });
  const goneNames = async () => [
    ...(await test.call(alice, 'listViews')).views.filter(({ rules_gone }) => rules_gone).map(({ name }) => name),
    ...(await test.call(alice, 'listFeeds')).feeds.filter(({ rules_gone }) => rules_gone).map(({ name }) => name),
  ];
  expect([await test.goneWebhooks(), await goneNames()]).toEqual([[], []]);
  await test.call(alice, 'deleteRule', { rule_id: lava });
  expect([await test.goneWebhooks(), await goneNames()]).toEqual([[one], ['Lava', 'Lava']]);
  await test.call(alice, 'deleteRule', { rule_id: ash });
  expect(await test.goneWebhooks()).toEqual([both, one]);
  const { webhooks } = await test.call(alice, 'listWebhooks');
  expect(webhooks.find(({ id }) => id === one)?.reason).toContain('was deleted');
  await test.call(alice, 'restoreRule', { rule_id: lava });
  expect([await test.goneWebhooks(), await goneNames()]).toEqual([[], []]);
  expect((await test.call(alice, 'listWebhooks')).webhooks.map(({ reason }) => reason)).toEqual([null, null, null]);
});

it('a webhook that wants operational events is told once what a deletion left behind, itself too', async () => {
  await using test = await stage();
  const { alice } = test;
  const [lava, ash] = [await test.ruleOf('lava'), await test.ruleOf('ash')];
  const told = await test.hook({ rule_ids: [lava], events: ['match', 'operational'], description: 'Newsroom' });
  await test.call(alice, 'deleteRule', { rule_id: ash });
  const sent = async () => (await test.call(alice, 'listDeliveries', { webhook_id: told })).deliveries;
  expect(await sent()).toEqual([]);
  const notify = vi.spyOn(test.service.context, 'notify');
  await test.call(alice, 'deleteRule', { rule_id: lava });
  expect(await sent()).toMatchObject([{ matches: 0 }]);
  expect(notify.mock.calls).toMatchObject([
    [alice.account.id, { type: 'rules_gone', message: expect.stringContaining(`the webhook Newsroom (${told})`) }],
  ]);
  await test.call(alice, 'restoreRule', { rule_id: ash });
  await test.call(alice, 'restoreRule', { rule_id: lava });
  expect(notify.mock.calls.slice(1)).toMatchObject([
    [alice.account.id, { type: 'rules_back', message: expect.stringContaining(`the webhook Newsroom (${told})`) }],
  ]);
  expect(await sent()).toMatchObject([{ matches: 0 }, { matches: 0 }]);
});
