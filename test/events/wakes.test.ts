/** The contract in its arguments and the first match of a story wake an agent. */
import { describe, expect, it } from 'vitest';
import { until } from '../stages/receiver.ts';
import { type EventsStage, eventsStage } from './stage.ts';
import { newSecret, openStrictReceiver, type StrictReceiver } from './strict-receiver.ts';

async function subscribe(stage: EventsStage, receiver: StrictReceiver, name: string, chosen: object) {
  const secret = newSecret();
  receiver.secrets.set('', [secret]);
  const { events } = (await stage.rpc('events/list')).result as { events: { name: string; payloadSchema: object }[] };
  receiver.payloadSchema = events.find((one) => one.name === name)!.payloadSchema;
  const delivery = { mode: 'webhook', url: receiver.url, secret };
  const { error } = await stage.rpc('events/subscribe', { name, arguments: chosen, delivery, cursor: null });
  expect(error).toBeUndefined();
  stage.clock.forward(1_001);
}

const HOUR = 3_600_000;

describe('a wake contract in the arguments', () => {
  it('lets so many matches through, and tells of the others in one event when the hour is over', async () => {
    await using stage = await eventsStage();
    await using receiver = await openStrictReceiver();
    const ruleId = await stage.rule('storm');
    stage.clock.forward(HOUR - (stage.clock.now().getTime() % HOUR));
    await subscribe(stage, receiver, 'match.created', { rule_id: ruleId, wake: { at_most: '2/hour' } });
    await stage.post('storm one', 'storm two', 'storm three', 'storm four', 'storm five');
    await until(() => receiver.events.length === 2);
    const pending = async () => (await stage.call('ListDeliveries', { status: 'pending' }))['deliveries'] as object[];
    await until(async () => {
      const waiting = await pending();
      return waiting.length === 1 && (waiting[0] as { matches: number }).matches === 3;
    });
    stage.clock.forward(HOUR);
    await until(() => receiver.events.length === 3);
    expect(receiver.events[2]!.data).toMatchObject({ rule_id: ruleId, digest: { match_count: 3 } });
  });

  it('that is not one is refused', async () => {
    await using stage = await eventsStage();
    const wish = {
      name: 'match.created',
      arguments: { rule_id: await stage.rule('storm'), wake: { at_most: 'never' } },
      delivery: { mode: 'webhook', url: 'https://hooks.example/', secret: newSecret() },
    };
    expect((await stage.rpc('events/subscribe', wish)).error?.code).toBe(-32_602);
  });
});

describe('story.created', () => {
  const report = 'Northline confirms that its north cable broke at dawn and repairs take two days, officials said';
  it('is told once for each story of the rule, also where another rule had it first', async () => {
    await using stage = await eventsStage();
    await using receiver = await openStrictReceiver();
    const [first, second] = [await stage.rule('Northline'), await stage.rule('cable')];
    await subscribe(stage, receiver, 'story.created', { rule_id: second });
    // The first rule alone has the story before.
    await stage.post(report.replace('cable', 'line'));
    await stage.post(
      report,
      `${report} today`,
      'A cable car in the hills opens in spring with a new station and views',
    );
    await until(() => receiver.events.length === 2);
    const settled = async () => (await stage.call('ListDeliveries', { status: 'pending' }))['deliveries'] as unknown[];
    await until(async () => (await settled()).length === 0);
    expect(receiver.events.map(({ data }) => data['rule_id'])).toEqual([second, second]);
    expect(new Set(receiver.events.map(({ data }) => data['story_id'])).size).toBe(2);
    expect(first).not.toBe(second);
  });
});
