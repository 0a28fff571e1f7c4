/** A Kafka topic as a sink, against a broker of our own that a second, independent client judges too. */
import * as client from '@platformatic/kafka';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { Egress } from '../../src/delivery/webhooks/egress.ts';
import { createKafkaSink, type LoadKafka } from '../../src/delivery/webhooks/sinks/kafka-sink.ts';
import { recordsText, type SinkRecord } from '../../src/delivery/webhooks/sinks/records.ts';
import { CERTIFICATE, PRIVATE_KEY } from '../oauth/certificate.ts';
import { recordingTracer } from '../stages/recording-tracer.ts';
import { outletStage } from './stage.ts';
import { openKafka } from './stand-ins/kafka.ts';

const TOPIC = 'storms';
const record: SinkRecord = {
  id: 'match_1',
  key: 'rule_1',
  type: 'match',
  contentType: 'application/json',
  value: '{"a":1}',
};
const open: Egress = {
  allowPrivate: true,
  ownAddresses: () => [],
  resolve: (_, __, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
};

interface Sending {
  readonly egress?: Egress;
  readonly load?: LoadKafka;
  readonly records?: SinkRecord[];
  readonly credential?: string;
}

const send = (url: string, { egress = open, load, records = [record], credential }: Sending = {}) =>
  createKafkaSink({ clock: systemClock, egress, ...(load && { load }) })({
    url,
    body: recordsText(records),
    headers: {},
    credential,
    signal: new AbortController().signal,
  });

describe('the broker that stands in', () => {
  it('takes what another client produces, as that client means it', async () => {
    await using broker = await openKafka({ topic: TOPIC });
    const kafka = new Kafka({ clientId: 'judge', brokers: [`127.0.0.1:${broker.port}`], logLevel: logLevel.NOTHING });
    const producer = kafka.producer({ idempotent: true, createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    const messages = [1, 2, 3].map((number) => ({ key: 'k', value: `välue ${number}`, headers: { one: 'two' } }));
    await producer.send({ topic: TOPIC, acks: -1, messages });
    await producer.send({ topic: TOPIC, acks: -1, messages: messages.slice(0, 1) });
    await producer.disconnect();
    expect(broker.partitions.flat()).toEqual(
      ['välue 1', 'välue 2', 'välue 3', 'välue 1'].map((value) => ({ key: 'k', value, headers: { one: 'two' } })),
    );
  });
});

describe('a topic as a sink', () => {
  it('gets a record for each match, with its rule as the key and its id as a header, in order', async () => {
    await using broker = await openKafka({ topic: TOPIC });
    await using stage = await outletStage();
    const url = `kafka://127.0.0.1:${broker.port},127.0.0.1:${broker.port}/${TOPIC}`;
    const webhook = await stage.webhook({ url });
    expect(webhook.url).toBe(url);
    await stage.store('a', 'b', 'c');
    await stage.pass(2_000, 500);
    const { matches } = await stage.test.call(stage.caller, 'listMatches');
    const used = broker.partitions.filter((records) => records.length > 0);
    expect(used).toHaveLength(1);
    expect(used[0]!.map(({ value }) => JSON.parse(value) as unknown)).toEqual(matches.toReversed());
    expect(used[0]!.map(({ key, headers }) => [key, headers])).toEqual(
      matches
        .toReversed()
        .map(({ id }) => [
          stage.ruleId,
          { 'sluice-id': id, 'sluice-type': 'match', 'content-type': 'application/json' },
        ]),
    );
    expect(await stage.attempts(webhook.webhook_id)).toMatchObject([{ error: null, response: '3 records written' }]);
  });

  it('gets the trace in a header of each record', async () => {
    await using broker = await openKafka({ topic: TOPIC });
    const tracer = recordingTracer();
    await using stage = await outletStage({}, tracer);
    await stage.webhook({ url: `kafka://127.0.0.1:${broker.port}/${TOPIC}` });
    await stage.store('a', 'b');
    await stage.pass(2_000, 500);
    const [span] = tracer.named(`send ${TOPIC}`);
    expect(broker.partitions.flat().map(({ headers }) => headers['traceparent'])).toEqual([
      span!.context.traceparent,
      span!.context.traceparent,
    ]);
  });

  it('gets the same records again when the answer was lost, so that their ids tell a repeat', async () => {
    await using broker = await openKafka({ topic: TOPIC });
    await using stage = await outletStage();
    const { webhook_id } = await stage.webhook({
      url: `kafka://127.0.0.1:${broker.port}/${TOPIC}`,
      format: 'cloudevents',
    });
    broker.faults.push('cut', 'cut');
    await stage.store('a');
    await stage.pass(2_000, 500);
    await stage.pass(10_000, 1_000);
    const attempts = await stage.attempts(webhook_id);
    expect(attempts.at(-1)).toMatchObject({ error: null });
    const records = broker.partitions.flat();
    expect(new Set(records.map(({ headers }) => headers['sluice-id'])).size).toBe(1);
    expect(new Set(records.map(({ value }) => value)).size).toBe(1);
    expect(JSON.parse(records[0]!.value)).toMatchObject({ specversion: '1.0', id: records[0]!.headers['sluice-id'] });
  });

  it('that the broker does not have is said, and no topic is made', async () => {
    await using broker = await openKafka({ topic: TOPIC });
    const sent = await send(`kafka://127.0.0.1:${broker.port}/unknown`);
    expect(sent.error).toContain('Unknown topic unknown');
    expect(sent.givesUp).toBeUndefined();
  });

  it('that refuses the size of a record is given up', async () => {
    await using broker = await openKafka({ topic: TOPIC, mostBytes: 1_000 });
    const sent = await send(`kafka://127.0.0.1:${broker.port}/${TOPIC}`, {
      records: [{ ...record, value: 'x'.repeat(2_000) }],
    });
    expect(sent).toMatchObject({ givesUp: true, error: expect.stringContaining('MESSAGE_TOO_LARGE') });
  });

  it('says what to install when the client is not there', async () => {
    const missing = new Error("Cannot find package '@platformatic/kafka' imported from a.js");
    const load = () => Promise.reject(Object.assign(missing, { code: 'ERR_MODULE_NOT_FOUND' }));
    const sent = await send('kafka://127.0.0.1:1/a', { load });
    expect(sent.error).toMatch(/^This server has no Kafka client\. .*: npm install @platformatic\/kafka@\d/);
  });

  it.each([
    ['PLAIN', 'ada:secret', { mechanism: 'PLAIN', username: 'ada', password: 'secret' }],
    ['PLAIN', 'PLAIN:ada:se:cret', { mechanism: 'PLAIN', username: 'ada', password: 'se:cret' }],
    ['SCRAM-SHA-256', 'SCRAM-SHA-256:ada:s', { mechanism: 'SCRAM-SHA-256', username: 'ada', password: 's' }],
    ['SCRAM-SHA-512', 'SCRAM-SHA-512:ada:', { mechanism: 'SCRAM-SHA-512', username: 'ada', password: '' }],
    ['nothing', undefined, undefined],
  ])('logs in by %s where its credential is %s', async (_, credential, login) => {
    await using broker = await openKafka({ topic: TOPIC });
    const seen: unknown[] = [];
    /** The broker that stands in asks for no login. */
    class OpenProducer extends client.Producer<string, string, string, string> {
      constructor({ sasl, ...options }: client.ProducerOptions<string, string, string, string>) {
        super(options);
        seen.push(sasl);
      }
    }
    const load = async () => ({ ...client, Producer: OpenProducer as unknown as typeof client.Producer });
    const sent = await send(`kafka://127.0.0.1:${broker.port}/${TOPIC}`, { load, ...(credential && { credential }) });
    expect([sent.error, seen]).toEqual([undefined, [login]]);
  });

  it('sends nothing to an address that is none', async () => {
    expect((await send('kafka://127.0.0.1')).error).toBe('Nothing was sent. The URL is not valid.');
  });

  it('connects to no address that is not public, also when a broker names it', async () => {
    const guarded: Egress = { ...open, allowPrivate: false };
    for (const host of ['127.0.0.1', 'localhost', 'kafka'])
      expect((await send(`kafka://${host}:9092/${TOPIC}`, { egress: guarded })).error).toMatch(/^Nothing was sent\./);
    const hidden = await send(`kafka://client.test:9092/${TOPIC}`, { egress: guarded });
    expect(hidden.error).toContain('The host name resolves to an address that is not public.');
    // A public broker, as far as names go, that sends its clients on to a private address.
    await using broker = await openKafka({ topic: TOPIC, tls: { key: PRIVATE_KEY, cert: CERTIFICATE } });
    const load = async () => ({ ...client, Producer: NearProducer as unknown as typeof client.Producer });
    const led = await send(`kafka://client.test:${broker.port}/${TOPIC}`, { egress: guarded, load });
    expect(led.error).toContain('A broker names another one. The URL must have a host name, not an IP address.');
    expect(broker.partitions.flat()).toEqual([]);
    await using honest = await openKafka({
      topic: TOPIC,
      advertised: 'client.test',
      tls: { key: PRIVATE_KEY, cert: CERTIFICATE },
    });
    const sent = await send(`kafka://client.test:${honest.port}/${TOPIC}`, { egress: guarded, load });
    expect(sent.error).toBeUndefined();
    expect(honest.partitions.flat()).toHaveLength(1);
  });
});

/** Takes the certificate of the tests, and every name for this machine, as if it were public. */
class NearProducer extends client.Producer<string, string, string, string> {
  constructor(options: client.ProducerOptions<string, string, string, string>) {
    const lookup = (_: string, given: { all?: boolean }, done: (...answer: unknown[]) => void) =>
      given.all === true ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4);
    super({ ...options, tls: { ...options.tls, ca: CERTIFICATE, lookup } as object });
  }
}
