/** A NATS subject as a sink, on a real nats-server. */
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { createNatsSink } from '../../src/delivery/webhooks/sinks/nats-sink.ts';
import { recordsText, type SinkRecord } from '../../src/delivery/webhooks/sinks/records.ts';
import { describeWithNats, startNats, type TestNats } from '../stages/nats.ts';
import { recordingTracer } from '../stages/recording-tracer.ts';
import { outletStage } from './stage.ts';

const USERS = `authorization { users = [
  { user: me, password: "p:w", permissions: { publish: ["storms.>", "plain.ok", "$JS.API.>", "_INBOX.>"], subscribe: ">" } }
  { user: all, password: all }
] }`;

describeWithNats('a subject as a sink', () => {
  let server: TestNats;
  let reader: NatsConnection;
  beforeAll(async () => {
    server = await startNats({ more: USERS });
    reader = await connect({ servers: server.url, user: 'all', pass: 'all' });
    const manager = await jetstreamManager(reader);
    await manager.streams.add({ name: 'STORMS', subjects: ['storms.>'] });
  });
  afterAll(async () => {
    await reader.close();
    await server[Symbol.asyncDispose]();
  });

  const urlOf = (subject: string) => `${server.url.replace('//', '//me:p%3Aw@')}/${subject}`;

  async function stored(subject: string) {
    const manager = await jetstreamManager(reader);
    const { state } = await manager.streams.info('STORMS', { subjects_filter: subject });
    const count = state.subjects?.[subject] ?? 0;
    const last = count === 0 ? null : await manager.streams.getMessage('STORMS', { last_by_subj: subject });
    return { count, last };
  }

  it('stores a match in the stream under its own id, with the password out of sight', async () => {
    await using stage = await outletStage();
    const webhook = await stage.webhook({ url: urlOf('storms.one') });
    expect(webhook.url).toBe(`${server.url}/storms.one`);
    expect(webhook.has_credential).toBe(true);
    await stage.store('a');
    await stage.pass(2_000, 500);
    const { matches } = await stage.test.call(stage.caller, 'listMatches');
    const { count, last } = await stored('storms.one');
    expect(count).toBe(1);
    expect(last!.json()).toEqual(matches[0]);
    expect(last!.header.get('Nats-Msg-Id')).toBe(matches[0]!.id);
    expect(last!.header.get('Sluice-Type')).toBe('match');
    expect(last!.header.get('Sluice-Key')).toBe(stage.ruleId);
    const [attempt] = await stage.attempts(webhook.webhook_id);
    expect(attempt).toMatchObject({ error: null, response: '1 published; stored in the stream STORMS' });
    const told = JSON.stringify([
      await stage.test.call(stage.caller, 'listWebhooks'),
      await stage.test.call(stage.caller, 'listChanges'),
    ]);
    expect(told).not.toMatch(/p:w|p%3Aw/);
  });

  it('carries the trace, and the trace no password', async () => {
    const tracer = recordingTracer();
    await using stage = await outletStage({}, tracer);
    await stage.webhook({ url: urlOf('storms.traced') });
    await stage.store('a');
    await stage.pass(2_000, 500);
    const { last } = await stored('storms.traced');
    const [span] = tracer.named('send storms.traced');
    expect(last!.header.get('traceparent')).toBe(span!.context.traceparent);
    expect(span).toMatchObject({ kind: 'producer', parent: tracer.named('commit x')[0]!.context, ends: 1 });
    expect(JSON.stringify(tracer.spans)).not.toMatch(/p:w|p%3Aw/);
  });

  it('keeps a repeat out of the stream', async () => {
    await using stage = await outletStage();
    const { webhook_id } = await stage.webhook({ url: urlOf('storms.two') });
    await stage.store('a', 'b', 'c');
    await stage.pass(2_000, 500);
    const { deliveries } = await stage.test.call(stage.caller, 'listDeliveries');
    await stage.test.call(stage.caller, 'redeliverWebhook', { webhook_id, delivery_id: deliveries[0]!.id });
    await stage.pass(1_000, 500);
    expect(await stage.attempts(webhook_id)).toMatchObject([{ error: null }, { error: null }]);
    expect((await stored('storms.two')).count).toBe(3);
  });

  it('publishes where no stream takes the subject, and a test and CloudEvents too', async () => {
    await using stage = await outletStage();
    const received: Msg[] = [];
    const subscription = reader.subscribe('plain.ok', { callback: (_, message) => void received.push(message) });
    await reader.flush();
    const { webhook_id } = await stage.webhook({ url: urlOf('plain.ok'), format: 'cloudevents' });
    await stage.test.call(stage.caller, 'testWebhook', { webhook_id });
    await stage.store('a');
    await stage.pass(2_000, 500);
    await reader.flush();
    subscription.unsubscribe();
    expect(
      received.map((message) => [message.headers!.get('Sluice-Type'), message.headers!.get('Content-Type')]),
    ).toEqual([
      ['test', 'application/cloudevents+json; charset=utf-8'],
      ['match', 'application/cloudevents+json; charset=utf-8'],
    ]);
    expect(received[1]!.json()).toMatchObject({
      specversion: '1.0',
      type: 'sluice.match.created',
      source: `/rules/${stage.ruleId}`,
    });
  });

  it('says what the server refuses', async () => {
    await using stage = await outletStage();
    const forbidden = await stage.webhook({ url: urlOf('plain.forbidden') });
    const refused = await stage.test.call(stage.caller, 'testWebhook', { webhook_id: forbidden.webhook_id });
    expect(refused).toMatchObject({ delivered: false, error: expect.stringContaining('Permissions Violation') });
    const wrong = await stage.webhook({ url: `${server.url.replace('//', '//me:wrong@')}/storms.three` });
    const login = await stage.test.call(stage.caller, 'testWebhook', { webhook_id: wrong.webhook_id });
    expect(login).toMatchObject({ delivered: false, error: expect.stringMatching(/authorization violation/i) });
  });

  it('brings what waited when the server was away', async () => {
    await using away = await startNats();
    await using stage = await outletStage();
    const { webhook_id } = await stage.webhook({ url: `${away.url}/storms` });
    await away.kill();
    await stage.store('a', 'b');
    await stage.pass(2_000, 500);
    expect(await stage.attempts(webhook_id)).toMatchObject([{ error: expect.stringContaining('connection refused') }]);
    await away.restart();
    const late = await connect({ servers: away.url });
    const received: string[] = [];
    late.subscribe('storms', { callback: (_, message) => void received.push(message.headers!.get('Nats-Msg-Id')) });
    await late.flush();
    await stage.pass(10_000, 1_000);
    await late.flush();
    await late.close();
    const { matches } = await stage.test.call(stage.caller, 'listMatches');
    expect(received).toEqual(matches.map(({ id }) => id).toReversed());
  });

  const record: SinkRecord = {
    id: 'match_1',
    key: 'rule_1',
    type: 'match',
    contentType: 'application/json',
    value: '{}',
  };
  const send = (url: string, body: string, egress: object = {}) =>
    createNatsSink({
      clock: systemClock,
      egress: {
        allowPrivate: true,
        ownAddresses: () => [],
        resolve: (_, __, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
        ...egress,
      },
    })({ url, body, headers: {}, credential: 'all:all', signal: new AbortController().signal });

  it('gives up a match that is larger than the server takes', async () => {
    const large = recordsText([{ ...record, value: JSON.stringify('x'.repeat(1024 * 1024)) }]);
    const sent = await send(`${server.url}/storms.large`, large);
    expect(sent).toMatchObject({ givesUp: true, error: expect.stringContaining('larger than the 1048576 bytes') });
  });

  it('connects to no address that is not public, and to no server without TLS, outside development', async () => {
    const port = server.url.split(':').at(-1)!;
    const body = recordsText([record]);
    const hidden = await send(`nats://nats.example:${port}/storms.four`, body, { allowPrivate: false });
    expect(hidden.error).toBe('The host name resolves to an address that is not public.');
    for (const host of ['127.0.0.1', 'localhost', 'nats'])
      expect((await send(`nats://${host}:${port}/storms.four`, body, { allowPrivate: false })).error).toMatch(
        /^Nothing was sent\./,
      );
    const plain = await send(`nats://nats.example:${port}/storms.four?tls=on`, body);
    expect(plain.error).toContain("server does not support 'tls'");
    expect((await stored('storms.four')).count).toBe(0);
  });
});
