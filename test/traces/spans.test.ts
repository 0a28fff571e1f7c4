/** Which spans the service makes, on a tracer that keeps them. */
import { describe, expect, it } from 'vitest';
import { noMetrics } from '../../src/service/telemetry.ts';
import { createUpstreamBatch } from '../../src/service/upstream/batch.ts';
import type { Committed } from '../../src/store/store.ts';
import { fakeClock } from '../stages/fake-clock.ts';
import { openReceiver, until } from '../stages/receiver.ts';
import { recordingTracer } from '../stages/recording-tracer.ts';
import { openService } from '../stages/service.ts';

const storm = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
const caller = (digit: string, flags = '01') => ({
  traceparent: `00-${digit.repeat(32)}-${digit.repeat(16)}-${flags}`,
});

async function stage() {
  const clock = fakeClock();
  const tracer = recordingTracer();
  const test = await openService({ clock, tracer, delivery: { allowPrivate: true, random: () => 0.5 } });
  const alice = await test.caller('alice');
  await test.call(alice, 'createRule', storm);
  const push = (id: string, trace = caller('a')) =>
    test.call(alice, 'pushEvents', { platform: 'x', lines: `{"data":{"id":"${id}","text":"storm"}}` }, { trace });
  const pass = async (milliseconds: number) => {
    await clock.pass(milliseconds);
    await until(() => test.service.context.dispatcher.inFlight === 0);
    await clock.pass(0);
  };
  return Object.assign(test, { clock, tracer, alice, push, pass });
}

describe('a commit that several pushes share', () => {
  it('is one span under the first that is recorded, linked to the others', async () => {
    await using test = await stage();
    const { tracer, clock } = test;
    const pushes = [test.push('1', caller('a', '00')), test.push('2', caller('b')), test.push('3', caller('c'))];
    await clock.pass(20);
    await Promise.all(pushes);
    const [one, two, three] = tracer.named('process x').map(({ context }) => context);
    expect(tracer.named('commit x')).toMatchObject([{ parent: two, links: [one, three], ends: 1 }]);
    expect(tracer.named('process x').map(({ parent, ends }) => [parent, ends])).toEqual([
      [caller('a', '00'), 1],
      [caller('b'), 1],
      [caller('c'), 1],
    ]);
  });

  it('that fails is a failed span, and so are its pushes; the message of the error is not told', async () => {
    await using test = await stage();
    const { tracer, clock } = test;
    test.store.commit = () => Promise.reject(Object.assign(new Error('secret'), { code: 'SQLITE_FULL' }));
    const refused = test.push('1').catch((error: { code: string }) => error.code);
    await clock.pass(20);
    expect(await refused).toBe('unavailable');
    expect(tracer.spans.map(({ name, failed, ends }) => [name, failed, ends])).toEqual([
      ['process x', 'unavailable', 1],
      ['commit x', 'SQLITE_FULL', 1],
    ]);
    expect(JSON.stringify(tracer.spans)).not.toContain('secret');
  });
});

describe('the events of a source', () => {
  it('begin a trace, which a cursor alone does not', async () => {
    await using test = await stage();
    const { tracer, clock } = test;
    const { ingest } = test.service.context;
    const added = ingest.add('x', [{ data: { id: '1', text: 'storm' } }, {}], 'feeds', { name: 'feeds', value: '1' });
    await clock.pass(20);
    await added;
    expect(tracer.spans).toMatchObject([
      {
        name: 'process x',
        parent: undefined,
        attributes: { 'sluice.source': 'feeds', 'messaging.batch.message_count': 2, 'sluice.rejected': 1 },
      },
      { name: 'commit x', parent: tracer.spans[0]!.context },
    ]);
    const moved = ingest.add('x', [], 'feeds', { name: 'feeds', value: '2' });
    await clock.pass(20);
    await moved;
    expect(tracer.spans).toHaveLength(2);
  });
});

describe('arrivals of an upstream', () => {
  it('begin a trace that the commit belongs to, which a cursor alone does not', async () => {
    const tracer = recordingTracer();
    const traces: unknown[] = [];
    const batch = createUpstreamBatch({
      name: 'x',
      held: { lease: { name: 'x', fence: 1 }, confirm: async () => {} },
      ingest: {
        async commit(_, given): Promise<Committed> {
          traces.push(given && [...given]);
          return { added: 7, addedByEvent: [7], repeats: 0, latest: 7, accountIds: [], addedByAccount: [] };
        },
      },
      live: { announce: () => {} },
      clock: fakeClock(),
      metrics: noMetrics,
      signal: new AbortController().signal,
      tracer,
    });
    await batch.flush({ cursor: '1', through: new Date(0) });
    batch.begin();
    await batch.add([{ event: { platform: 'x', postId: '1', payload: {}, accountId: undefined }, matches: [] }]);
    await batch.flush({ cursor: '2', through: new Date(0) });
    expect(traces).toEqual([undefined, [tracer.spans[0]!.context]]);
    expect(tracer.spans).toMatchObject([
      { name: 'process x', ends: 1, attributes: { 'messaging.batch.message_count': 1, 'sluice.matches': 7 } },
    ]);
  });
});

describe('attempts of a delivery', () => {
  it('are spans of the trace of its matches, every one of them, and tell what went wrong', async () => {
    await using test = await stage();
    const { tracer, clock, alice } = test;
    let status = 500;
    await using receiver = await openReceiver((response) => void response.writeHead(status).end());
    await test.call(alice, 'createWebhook', { url: `${receiver.url}/secret` });
    const pushed = [test.push('1', caller('a')), test.push('2', caller('b'))];
    await clock.pass(20);
    await Promise.all(pushed);
    await test.pass(2_000);
    status = 200;
    await test.pass(10_000);
    const [commit] = tracer.named('commit x');
    expect(tracer.named('POST')).toMatchObject([
      { parent: commit!.context, failed: '500', ends: 1, attributes: { 'http.response.status_code': 500 } },
      { parent: commit!.context, failed: undefined, ends: 1, attributes: { 'http.response.status_code': 200 } },
    ]);
    expect(receiver.received.map(({ headers }) => headers['traceparent'])).toEqual(
      tracer.named('POST').map(({ context }) => context.traceparent),
    );
    expect(JSON.stringify(tracer.spans)).not.toContain('secret');
  });

  it('belong to the first of several commits, and are linked to the others', async () => {
    await using test = await stage();
    const { tracer, clock, alice } = test;
    await using receiver = await openReceiver();
    await test.call(alice, 'createWebhook', { url: receiver.url });
    for (const [id, digit] of [
      ['1', 'a'],
      ['2', 'b'],
    ] as const) {
      const pushed = test.push(id, caller(digit));
      await clock.pass(20);
      await pushed;
    }
    await test.pass(2_000);
    const [one, two] = tracer.named('commit x').map(({ context }) => context);
    expect(tracer.named('POST')).toMatchObject([{ parent: one, links: [two] }]);
  });

  it('of a receiver that cannot be reached end with the name of what broke', async () => {
    await using test = await stage();
    const { tracer, clock, alice } = test;
    const receiver = await openReceiver();
    await test.call(alice, 'createWebhook', { url: receiver.url });
    await receiver[Symbol.asyncDispose]();
    const pushed = test.push('1');
    await clock.pass(20);
    await pushed;
    await test.pass(2_000);
    expect(tracer.named('POST')).toMatchObject([{ failed: 'ECONNREFUSED', ends: 1 }]);
  });
});
