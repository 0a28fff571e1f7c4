import { describe, expect, it } from 'vitest';
import { recordingTracer } from '../../../test/stages/recording-tracer.ts';
import { traceDeliveries } from './attempt-spans.ts';
import type { FrozenBatch, Outbox } from './outbox.ts';
import type { Sent } from './outcome.ts';
import { failedToSend, type WebhookRequest } from './transport.ts';

const { signal } = new AbortController();
const DONE: Sent = { ...failedToSend(''), error: undefined };
const commit = (digit: string) => ({ traceparent: `00-${digit.repeat(32)}-${digit.repeat(16)}-01` });

function stage(answer: Sent = DONE) {
  const tracer = recordingTracer();
  const traces = traceDeliveries(tracer);
  const requests: WebhookRequest[] = [];
  const send = traces.sending(async (request) => {
    requests.push(request);
    return answer;
  });
  const frozen: string[] = [];
  const outbox: Pick<Outbox, 'freeze'> = traces.following({
    async freeze({ id }) {
      frozen.push(id);
      return true;
    },
  });
  const freeze = (id: string, ...positions: number[]) =>
    outbox.freeze({ id, webhookId: 'hook_1', positions, body: '', at: new Date(0) } satisfies FrozenBatch);
  const deliver = (id: string, url = 'https://example.com/') => send({ url, id, headers: {}, body: '', signal });
  return { tracer, traces, requests, frozen, freeze, deliver };
}

describe('the span of an attempt', () => {
  it.each([
    ['https://hooks.example/services/secret?token=secret', 'POST', 'client', 'hooks.example', 443],
    ['http://me:secret@hooks.example:8080/secret', 'POST', 'client', 'hooks.example', 8080],
    ['nats://me:secret@nats.example/storms.one', 'send storms.one', 'producer', 'nats.example', 4222],
    ['kafka://me:secret@one.example:9093,two.example/storms', 'send storms', 'producer', 'one.example', 9093],
    ['s3://bucket/secret?endpoint=https://secret.example', 'S3/PutObject', 'client', undefined, undefined],
    ['mailto:secret@example.com', 'send mail', 'client', undefined, undefined],
    ['no address, but a secret', 'POST', 'client', '', 443],
  ] as const)('for %s tells no secret', async (url, name, kind, address, port) => {
    const { tracer, deliver } = stage();
    await deliver('dlv_1', url);
    const [span] = tracer.spans;
    expect(span).toMatchObject({ name, kind, ends: 1, failed: undefined });
    expect([span!.attributes['server.address'], span!.attributes['server.port']]).toEqual([address, port]);
    expect(JSON.stringify(span)).not.toContain('secret');
  });

  it.each([
    [{ ...failedToSend('The receiver answered 503.'), statusCode: 503 }, '503'],
    [failedToSend('It took too long.', { overloaded: true }), 'timeout'],
    [{ ...failedToSend('a secret'), code: 'ECONNRESET' }, 'ECONNRESET'],
    [failedToSend('a secret'), '_OTHER'],
  ])('that failed has a type and no message: %j', async (sent, type) => {
    const { tracer, deliver } = stage(sent);
    expect(await deliver('dlv_1')).toBe(sent);
    expect(tracer.spans).toMatchObject([{ failed: type, ends: 1 }]);
    expect(JSON.stringify(tracer.spans)).not.toContain('secret');
  });

  it('goes with the request, beside its own headers', async () => {
    const { tracer, deliver, requests } = stage();
    await deliver('dlv_1');
    expect(requests[0]!.headers).toEqual({ traceparent: tracer.spans[0]!.context.traceparent });
  });
});

describe('a delivery', () => {
  it('belongs to the commits of its matches alone, each once', async () => {
    const { tracer, traces, freeze, deliver, frozen } = stage();
    traces.committed({ latest: 10, matches: 3, trace: commit('a') });
    traces.committed({ latest: 12, matches: 2, trace: commit('b') });
    traces.committed({ latest: 13, matches: 1, trace: undefined });
    await freeze('dlv_1', 8, 9, 10, 11);
    await freeze('dlv_2', 12, 13);
    await freeze('dlv_3', 7, 13);
    for (const id of ['dlv_1', 'dlv_2', 'dlv_3', 'dlv_unknown']) await deliver(id);
    expect(frozen).toEqual(['dlv_1', 'dlv_2', 'dlv_3']);
    expect(tracer.spans.map(({ parent, links }) => [parent, links])).toEqual([
      [commit('a'), [commit('b')]],
      [commit('b'), []],
      [undefined, []],
      [undefined, []],
    ]);
  });

  it('of the oldest matches is forgotten: memory is bounded, whatever the number of matches', async () => {
    const { tracer, traces, freeze, deliver } = stage();
    for (let latest = 2_000; latest <= 40_000; latest += 2_000)
      traces.committed({ latest, matches: 2_000, trace: commit('a') });
    await freeze('dlv_old', 20_000);
    await freeze('dlv_new', 20_001);
    await deliver('dlv_old');
    await deliver('dlv_new');
    expect(tracer.spans.map(({ parent }) => parent)).toEqual([undefined, commit('a')]);
  });
});
