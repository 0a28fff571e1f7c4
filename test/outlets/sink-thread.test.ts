/** Attempts to sinks in a thread of their own, against servers that stand in. */
import { registerHooks } from 'node:module';
import { afterAll, describe, expect, it } from 'vitest';
import { createSinkThread } from '../../src/delivery/webhooks/sink-thread.ts';
import { recordsText } from '../../src/delivery/webhooks/sinks/records.ts';
import { openKafka } from './stand-ins/kafka.ts';

/** The modules that this thread looked for, whether or not they were loaded before. */
const asked: string[] = [];
const hooks = registerHooks({
  resolve(specifier, context, next) {
    asked.push(specifier);
    return next(specifier, context);
  },
});
afterAll(() => hooks.deregister());

const TOPIC = 'storms';
const record = {
  id: 'match_1',
  key: 'rule_1',
  type: 'match',
  contentType: 'application/json',
  value: '{"a":1}',
} as const;
const requestTo = (url: string, signal = new AbortController().signal) => ({
  url,
  body: recordsText([record]),
  headers: {},
  signal,
});

describe('the thread of sinks', () => {
  it('sends what it is given, and loads the client of Kafka, which the main thread never does', async () => {
    await using broker = await openKafka({ topic: TOPIC });
    const send = createSinkThread({ allowPrivate: true });
    const sent = await Promise.all([1, 2, 3].map(() => send(requestTo(`kafka://127.0.0.1:${broker.port}/${TOPIC}`))));
    expect(sent.map(({ error, response }) => [error, response])).toEqual(
      [1, 2, 3].map(() => [undefined, '1 records written']),
    );
    expect(broker.partitions.flat()).toHaveLength(3);
    expect(asked.filter((one) => one.includes('kafka'))).toEqual([]);
  });

  it('keeps to public addresses', async () => {
    const send = createSinkThread({ allowPrivate: false });
    for (const scheme of ['kafka', 'nats'])
      expect((await send(requestTo(`${scheme}://127.0.0.1:4222/storms`))).error).toContain('Nothing was sent.');
  });

  it('aborts an attempt when it is told to, before it has begun and while it is under way', async () => {
    const send = createSinkThread({ allowPrivate: true });
    expect((await send(requestTo('nats://127.0.0.1:1/a', AbortSignal.abort()))).error).toBe('The attempt was aborted.');
    await using broker = await openKafka({ topic: TOPIC });
    const stopping = new AbortController();
    const sending = send(requestTo(`kafka://127.0.0.1:${broker.port}/${TOPIC}`, stopping.signal));
    stopping.abort();
    expect((await sending).error).toBe('The attempt was aborted.');
    expect(broker.partitions.flat()).toEqual([]);
  });

  it('fails what a thread that ended had under way, and starts another one for the next attempt', async () => {
    const ending = new URL('data:text/javascript,process.exit()');
    const send = createSinkThread({ allowPrivate: true }, ending);
    for (let attempt = 0; attempt < 2; attempt++)
      expect((await send(requestTo('kafka://127.0.0.1:1/a'))).error).toBe('The attempt broke off.');
  });
});
