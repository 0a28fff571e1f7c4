/** Gaps of the ledger as events, and as messages to receivers that take them. */
import { describe, expect, it } from 'vitest';
import { OPERATOR_KEY } from '../stages/http-app.ts';
import { until } from '../stages/receiver.ts';
import { type EventsStage, eventsStage } from './stage.ts';
import { newSecret, openStrictReceiver, type StrictReceiver, strictSubscribed } from './strict-receiver.ts';

async function subscribe(
  stage: EventsStage,
  receiver: StrictReceiver,
  name: string,
  chosen: object,
  { key = OPERATOR_KEY, cursor = null as string | null } = {},
) {
  const secret = newSecret();
  receiver.secrets.set('', [...(receiver.secrets.get('') ?? []), secret]);
  const delivery = { mode: 'webhook', url: receiver.url, secret };
  const params = { name, arguments: chosen, delivery, cursor, ttlMs: 300_000 };
  const { result, error } = await stage.rpc('events/subscribe', params, key);
  expect(error).toBeUndefined();
  stage.clock.forward(1_001);
  return strictSubscribed.parse(result);
}

const gapAt = (stage: EventsStage, change: object = {}) => ({
  platform: 'x' as const,
  from: stage.clock.now(),
  to: undefined,
  cause: 'stream_down',
  recovered: false,
  ...change,
});

async function note(stage: EventsStage, ...gaps: ReturnType<typeof gapAt>[]): Promise<void> {
  await stage.oauth.app.store.noteGaps(gaps);
  stage.oauth.app.context.noticeEvents.look();
}

describe('gap.opened', () => {
  it('tells each gap once, in the listed shape, and again after a lapse when it was not accepted', async () => {
    await using stage = await eventsStage();
    await using receiver = await openStrictReceiver();
    const { events } = (await stage.rpc('events/list')).result as { events: { name: string; payloadSchema: object }[] };
    receiver.payloadSchema = events.find(({ name }) => name === 'gap.opened')!.payloadSchema;
    await subscribe(stage, receiver, 'gap.opened', { platform: 'x' });
    await note(stage, gapAt(stage), gapAt(stage, { platform: 'firehose' }));
    await until(() => receiver.events.length === 1);
    expect(receiver.events[0]).toMatchObject({ name: 'gap.opened', data: { platform: 'x', cause: 'stream_down' } });
    receiver.statuses.push(500, 500, 500, 500);
    stage.clock.forward(10);
    await note(stage, gapAt(stage));
    const failed = async () => (await stage.call('ListDeliveries', { status: 'failed' }))['deliveries'] as unknown[];
    await until(async () => (await failed()).length === 1);
    const { cursor } = receiver.events[0]!;
    stage.clock.forward(300_000);
    await subscribe(stage, receiver, 'gap.opened', { platform: 'x' }, { cursor });
    await until(() => receiver.events.length === 2);
    expect(new Set(receiver.events.map(({ eventId }) => eventId)).size).toBe(2);
  });

  it('does not tell an agent of a rule that is not its own', async () => {
    await using stage = await eventsStage();
    await using receiver = await openStrictReceiver();
    const [own, other] = [await stage.rule('storm'), await stage.rule('wind')];
    const { access_token } = await stage.oauth.connect({ scopes: ['events'], rule_ids: [own] });
    await subscribe(stage, receiver, 'gap.opened', {}, { key: access_token });
    const account = (await stage.oauth.app.store.account('default'))!;
    const ofRule = (ruleId: string) => gapAt(stage, { ruleId, accountId: account.id });
    await note(stage, ofRule(other), ofRule(own));
    await until(() => receiver.events.length === 1);
    expect(receiver.events[0]!.data).toMatchObject({ rule_id: own });
  });
});

describe('a message of a gap', () => {
  it('goes to receivers of matches that said they take it, and to no others', async () => {
    await using stage = await eventsStage();
    await using plain = await openStrictReceiver();
    await using taking = await openStrictReceiver();
    taking.takesControl = true;
    const ruleId = await stage.rule('storm');
    await subscribe(stage, plain, 'match.created', { rule_id: ruleId });
    await subscribe(stage, taking, 'match.created', { rule_id: ruleId, control_messages: true });
    stage.clock.forward(10);
    await note(stage, gapAt(stage));
    await until(() => taking.control.length === 1);
    expect(taking.control).toMatchObject([{ type: 'gap', cursor: expect.any(String) }]);
    await stage.post('storm');
    await until(() => plain.events.length === 1 && taking.events.length === 1);
    expect([plain.log.length, taking.control.length]).toEqual([2, 1]);
  });

  it('is not sent again when the receiver does not take it after all', async () => {
    await using stage = await eventsStage();
    await using receiver = await openStrictReceiver();
    const ruleId = await stage.rule('storm');
    await subscribe(stage, receiver, 'match.created', { rule_id: ruleId, control_messages: true });
    stage.clock.forward(10);
    await note(stage, gapAt(stage));
    const failed = async () => (await stage.call('ListDeliveries', { status: 'failed' }))['deliveries'] as unknown[];
    await until(async () => (await failed()).length === 1);
    expect(receiver.log.filter(({ id }) => id.startsWith('msg_gap_'))).toMatchObject([{ status: 400 }]);
  });

  it('makes the answer to a replay say that it is truncated', async () => {
    await using stage = await eventsStage();
    await using receiver = await openStrictReceiver();
    const ruleId = await stage.rule('storm');
    const { cursor } = await subscribe(stage, receiver, 'match.created', { rule_id: ruleId });
    stage.clock.forward(300_000);
    await note(stage, gapAt(stage, { to: stage.clock.now() }));
    stage.clock.forward(10);
    const again = await subscribe(stage, receiver, 'match.created', { rule_id: ruleId }, { cursor });
    expect(again.truncated).toBe(true);
  });
});
