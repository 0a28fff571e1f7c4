/** Alerts as events. */
import { expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { until } from '../stages/receiver.ts';
import { type EventsStage, eventsStage } from './stage.ts';
import { newSecret, openStrictReceiver } from './strict-receiver.ts';

/** Stores an alert as the one process does that watches. */
async function raise(stage: EventsStage, ruleId: string, foundAt: Date): Promise<string> {
  const { store, context } = stage.oauth.app;
  const account = (await store.account('default'))!;
  await store.changeRule(account.id, ruleId, { alerts: { surge: true, silence: false } });
  const watches = await store.dueWatches(new Date(foundAt.getTime() + 86_400_000), 0, 10);
  const watch = watches.find((one) => one.ruleId === ruleId)!;
  const wish = { name: 'alerts', holder: 'test', now: stage.clock.now(), milliseconds: 1_000 };
  const lease = await store.takeLease(wish);
  if (!('fence' in lease)) throw new Error('the lease is held');
  const alert = { id: newId('alert', foundAt), kind: 'surge' as const, from: new Date(foundAt.getTime() - 600_000) };
  const found = [{ ...alert, to: undefined, rate: 20, usualRate: 1 }];
  await store.keepWatches(lease, [{ watch, next: undefined, alerts: found, deliveries: [] }]);
  context.noticeEvents.look();
  return alert.id;
}

it('alert.raised tells of alerts that were found since, of the rules that the agent sees, in the listed shape', async () => {
  await using stage = await eventsStage();
  await using receiver = await openStrictReceiver();
  const [own, other] = [await stage.rule('storm'), await stage.rule('wind')];
  const { access_token } = await stage.oauth.connect({ scopes: ['events'], rule_ids: [own] });
  const { events } = (await stage.rpc('events/list')).result as { events: { name: string; payloadSchema: object }[] };
  receiver.payloadSchema = events.find(({ name }) => name === 'alert.raised')!.payloadSchema;
  const secret = newSecret();
  receiver.secrets.set('', [secret]);
  const wish = {
    name: 'alert.raised',
    arguments: {},
    cursor: null,
    delivery: { mode: 'webhook', url: receiver.url, secret },
  };
  stage.clock.forward(10);
  expect((await stage.rpc('events/subscribe', wish, access_token)).error).toBeUndefined();
  stage.clock.forward(1_001);
  await raise(stage, other, stage.clock.now());
  const id = await raise(stage, own, stage.clock.now());
  await until(() => receiver.events.length === 1);
  expect(receiver.events[0]).toMatchObject({
    name: 'alert.raised',
    data: { alert_id: id, rule_id: own, kind: 'surge' },
  });
});
