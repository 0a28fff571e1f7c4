/** Nodes with a broker between them: one node receives events, another matches them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../src/base/clock.ts';
import type { Tracer } from '../src/base/tracing.ts';
import type { Broker } from '../src/broker/broker.ts';
import { openNats } from '../src/broker/nats.ts';
import type { Role } from '../src/domain/role.ts';
import { openPostgres } from '../src/store/postgres.ts';
import { describeWithNats, startNats, type TestNats } from './stages/nats.ts';
import { startPostgresWithTables, type TestPostgres } from './stages/postgres.ts';
import { recordingTracer } from './stages/recording-tracer.ts';
import { openService, type TestService } from './stages/service.ts';

interface Node extends AsyncDisposable {
  readonly test: TestService;
  readonly alice: Awaited<ReturnType<TestService['caller']>>;
  readonly broker: Broker;
}

const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
const lineOf = (id: string, text: string): string => JSON.stringify({ data: { id, text } });

describeWithNats('nodes with a broker', () => {
  let postgres: TestPostgres | undefined;
  let nats: TestNats | undefined;
  beforeAll(async () => {
    postgres = await startPostgresWithTables();
    nats = await startNats();
  });
  afterAll(async () => {
    await postgres?.[Symbol.asyncDispose]();
    await nats?.[Symbol.asyncDispose]();
  });

  async function openNode(url: string, name: string, roles: readonly Role[], tracer?: Tracer): Promise<Node> {
    const store = await openPostgres(url);
    const broker = await openNats({ url: nats!.url, name });
    const holder = { id: name, isGone: () => false };
    const test = await openService({ store, broker, holder, roles, clock: systemClock, ...(tracer && { tracer }) });
    return {
      test,
      broker,
      alice: await test.caller('alice'),
      async [Symbol.asyncDispose]() {
        await test[Symbol.asyncDispose]();
        await broker[Symbol.asyncDispose]();
        await store[Symbol.asyncDispose]();
      },
    };
  }

  it('match on the matchers what is pushed elsewhere, by the rules of the moment', async () => {
    const url = await postgres!.newDatabase();
    await using api = await openNode(url, 'api', ['api']);
    await using one = await openNode(url, 'matcher-1', ['matcher']);
    await using two = await openNode(url, 'matcher-2', ['matcher']);
    const { rule_id } = await api.test.call(api.alice, 'createRule', rule);
    const lines = Array.from({ length: 3_000 }, (_, id) => lineOf(`${id}`, `a storm, ${'and so on '.repeat(30)}`));
    lines.splice(2_000, 0, 'not JSON');
    const pushed = await api.test.call(api.alice, 'pushEvents', { platform: 'x', lines: lines.join('\n') });
    expect(pushed).toEqual({
      accepted: 3_000,
      matches: 3_000,
      rejected: [{ line: 2_001, message: 'The line is refused: it is not a JSON object.' }],
    });
    // By the matchers, since the node that took the events counts none of its own.
    const seen = [api, one, two].map(({ test }) => test.service.context.traffic.lastMinute('x').events);
    expect(seen[0]).toBe(0);
    expect(seen[1]! + seen[2]!).toBe(3_000);
    await api.test.call(api.alice, 'deleteRule', { rule_id });
    const after = { platform: 'x', lines: lineOf('after', 'a storm') };
    expect(await api.test.call(api.alice, 'pushEvents', after)).toMatchObject({ matches: 0 });
  });

  it('keep a push in one trace, from the node that takes it to the matcher that stores it', async () => {
    const url = await postgres!.newDatabase();
    const [sent, taken] = [recordingTracer(), recordingTracer()];
    await using api = await openNode(url, 'api', ['api'], sent);
    await using _ = await openNode(url, 'matcher', ['matcher'], taken);
    await api.test.call(api.alice, 'createRule', rule);
    const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
    await api.test.call(api.alice, 'pushEvents', { platform: 'x', lines: lineOf('1', 'a storm') }, { trace });
    const carried = { traceparent: sent.spans[0]!.context.traceparent };
    expect(sent.spans).toMatchObject([
      {
        name: 'send sluice.events',
        kind: 'producer',
        parent: trace,
        attributes: { 'messaging.system': 'nats' },
        ends: 1,
      },
    ]);
    expect(taken.spans).toMatchObject([
      { name: 'process x', kind: 'consumer', parent: carried, attributes: { 'sluice.matches': 1 }, ends: 1 },
      { name: 'commit x', parent: taken.spans[0]!.context, ends: 1 },
    ]);
  });

  it('keep what a key pushes to the rules of its account, and refuse what is not valid', async () => {
    const url = await postgres!.newDatabase();
    await using all = await openNode(url, 'all', ['api', 'connector', 'matcher', 'delivery']);
    const bob = await all.test.caller('bob');
    await all.test.call(all.alice, 'createRule', rule);
    await all.test.call(bob, 'createRule', rule);
    expect(await all.test.post(all.alice, 'a storm')).toMatchObject({ matches: 1 });
    const ingest = await all.test.caller('bob', { scope: 'ingest' });
    expect(await all.test.post(ingest, 'a storm')).toMatchObject({ matches: 2 });
  });

  it('store a source’s cursor with what it covers', async () => {
    const url = await postgres!.newDatabase();
    await using all = await openNode(url, 'all', ['api', 'connector', 'matcher', 'delivery']);
    const { ingest } = all.test.service.context;
    const cursor = { name: 'source:test', value: '42' };
    expect(
      await ingest.add('firehose', [{ url: 'https://a.example/' }, { nothing: true }], 'test', cursor),
    ).toHaveLength(1);
    expect(await all.test.store.cursor('source:test')).toBe('42');
  });

  it('hand on what sources bring without holding rules', async () => {
    const url = await postgres!.newDatabase();
    await using connector = await openNode(url, 'connector', ['connector', 'delivery']);
    await using matcher = await openNode(url, 'matcher', ['matcher']);
    await matcher.test.call(matcher.alice, 'createRule', rule);
    const { ingest, matching } = connector.test.service.context;
    expect(await ingest.add('x', [{ data: { id: '1', text: 'a storm' } }], 'test')).toEqual([]);
    await expect(matcher.test.everyMatch(matcher.alice)).resolves.toHaveLength(1);
    expect([matching.size('x'), matcher.test.service.context.matching.size('x')]).toEqual([0, 1]);
  });

  it('lose nothing when the broker loses everything while events come in', async () => {
    const url = await postgres!.newDatabase();
    await using api = await openNode(url, 'api', ['api']);
    await using _ = await openNode(url, 'matcher', ['matcher']);
    await api.test.call(api.alice, 'createRule', rule);
    const pushAll = async (from: number) => {
      for (let id = from; id < from + 40; id++)
        await api.test.call(api.alice, 'pushEvents', { platform: 'x', lines: lineOf(`${id}`, 'a storm') });
    };
    const pushing = Promise.all([pushAll(0), pushAll(100), pushAll(200)]);
    await nats!.restart({ wipe: true });
    await nats!.restart();
    await pushing;
    const { matches } = await api.test.call(api.alice, 'listMatches', { limit: 1_000 });
    expect(matches).toHaveLength(120);
  });

  it('say that they are not ready without the broker', async () => {
    const url = await postgres!.newDatabase();
    await using api = await openNode(url, 'api', ['api']);
    await using delivery = await openNode(url, 'delivery', ['delivery']);
    await expect.poll(() => api.test.service.context.readiness.notReady()).toEqual([]);
    await nats!.kill();
    await expect.poll(() => api.test.service.context.readiness.notReady()).toEqual(['broker_away']);
    await expect.poll(() => delivery.test.service.context.readiness.notReady()).toEqual([]);
    await nats!.restart();
    await expect.poll(() => api.test.service.context.readiness.notReady()).toEqual([]);
  });
});
