/** The client against the real server: that the two fit together, operation by operation, and through cuts. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient, SluiceError } from '../packages/client/src/index.ts';
import { CLIENT_ROUTES, METHODS } from '../packages/client/src/operations.ts';
import { ROUTES, readRoute } from '../src/http/routes.ts';
import { KEY, type Started, startServer } from './black-box/server.ts';
import { until } from './stages/receiver.ts';

describe('every operation', () => {
  it('is where the server has it', () => {
    const served = Object.entries(ROUTES).map(([name, route]) => {
      const { methods, path } = readRoute(route);
      return [name, `${methods[0]} ${path}`];
    });
    expect(CLIENT_ROUTES).toEqual(Object.fromEntries(served));
  });

  it('has one function', () => {
    const names = Object.values(METHODS).flatMap((one) =>
      typeof one === 'string' ? [one] : Object.values<string>(one),
    );
    expect(names.toSorted()).toEqual(Object.keys(CLIENT_ROUTES).toSorted());
  });
});

describe('the client', () => {
  let server: Started;
  let client: Client;
  beforeAll(async () => {
    server = await startServer();
    client = createClient({ url: server.url, key: KEY });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const post = (from: number, count: number) =>
    client.events.push({
      platform: 'x',
      lines: Array.from({ length: count }, (_, n) =>
        JSON.stringify({ data: { id: String(from + n), text: 'lava' } }),
      ).join('\n'),
    });

  it('does all there is to do with rules, matches and keys', async () => {
    const input = { name: 'Lava', intent: '', platforms: ['x' as const], overrides: { x: 'lava' } };
    const { rule_id } = await client.rules.create(input, { idempotencyKey: 'once' });
    expect(await client.rules.create(input, { idempotencyKey: 'once' })).toMatchObject({ rule_id });
    expect(await client.rules.get({ rule_id })).toMatchObject({ name: 'Lava' });
    expect(await client.rules.update({ rule_id, name: 'Magma' })).toMatchObject({ name: 'Magma', version: 1 });
    expect((await client.rules.list()).rules).toHaveLength(1);
    expect(await client.rules.validate({ platform: 'x', value: 'lava AND' })).toMatchObject({ valid: false });
    expect(await client.rules.translate({ platform: 'x', value: 'lava' })).toMatchObject({ platform: 'firehose' });
    expect((await client.rules.syntax({ platforms: ['x'] })).platforms.x?.operators.length).toBeGreaterThan(10);
    expect(await post(1, 3)).toEqual({ accepted: 3, matches: 3, rejected: [] });
    const { platforms } = await client.rules.preview({ platforms: ['x'], overrides: { x: 'lava' } });
    expect(platforms.x).toMatchObject({ matched: 3 });
    const { matches } = await client.matches.list({ rule_id });
    expect(matches.map(({ platform_post_id }) => platform_post_id).toSorted()).toEqual(['1', '2', '3']);
    expect(await client.matches.explain({ match_id: matches[0]!.id })).toMatchObject({ value: 'lava' });
    expect((await client.matches.counts()).counts.at(-1)).toMatchObject({ count: 3 });
    expect((await client.stories({ rule_id })).stories).toMatchObject([{ title: 'lava', size: 3 }]);
    expect(await client.matches.delete({ platform: 'x', platform_post_id: '1' })).toEqual({
      deleted: 1,
      erasure_id: expect.any(String),
    });
    const made = await client.keys.create({ name: 'reader', scope: 'read' });
    const reader = createClient({ url: server.url, key: made.key });
    await expect(reader.rules.delete({ rule_id })).rejects.toMatchObject({ code: 'permission_denied', status: 403 });
    expect((await client.keys.list()).keys).toHaveLength(2);
    await client.keys.revoke({ key_id: made.id });
    await expect(reader.status()).rejects.toBeInstanceOf(SluiceError);
    expect(await client.createSession()).toMatchObject({ session: expect.any(String) });
    expect(await client.createStreamTicket()).toMatchObject({ ticket: expect.any(String) });
    expect(await client.status()).toMatchObject({ ready: true });
    expect(Date.parse((await client.rules.delete({ rule_id })).restorable_until)).toBeGreaterThan(Date.now());
    await expect(client.rules.get({ rule_id })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('streams through cuts with nothing missing, doubled or out of order', async () => {
    const { rule_id } = await client.rules.create({
      name: 'Lava',
      intent: '',
      platforms: ['x'],
      overrides: { x: 'lava' },
    });
    await using proxy = await cuttingProxy(Number(new URL(server.url).port));
    const through = createClient({ url: proxy.url, key: KEY, wait: async () => {} });
    const [batch, batches, cutEvery] = [50, 20, 37];
    const stop = new AbortController();
    const stream = through.matches.stream({ rule_id, signal: stop.signal });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { id } of stream) {
        if (seen.push(id) % cutEvery === 0) proxy.cut();
        if (seen.length === batch * batches) break;
      }
    })();
    await until(async () => stream.cursor !== undefined);
    for (let n = 0; n < batches; n++) await post(1_000 + n * batch, batch);
    await reading;
    const stored: string[] = [];
    for await (const page of client.matches.pages({ rule_id }))
      stored.unshift(...page.map(({ id }) => id).toReversed());
    expect(seen).toEqual(stored);
    expect(stored).toHaveLength(batch * batches);
    expect(proxy.cuts()).toBeGreaterThan(20);
  });

  it('ends a stream with the reason when its rule or its key is gone', async () => {
    const { rule_id } = await client.rules.create({
      name: 'n',
      intent: '',
      platforms: ['x'],
      overrides: { x: 'magma' },
    });
    const { id, key } = await client.keys.create({ name: 'reader', scope: 'read' });
    const reader = createClient({ url: server.url, key, wait: async () => {} });
    const { latest_cursor } = await reader.matches.list({ rule_id });
    const ended = (async () => {
      for await (const _ of reader.matches.stream({ rule_id, cursor: latest_cursor }))
        await client.keys.revoke({ key_id: id });
    })();
    await client.events.push({ platform: 'x', lines: '{"data":{"id":"5000","text":"magma"}}' });
    await expect(ended).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(async () => {
      for await (const _ of client.matches.stream({ rule_id: 'rule_nothing' })) break;
    }).rejects.toMatchObject({ code: 'not_found' });
  });
});

/** A way to the server on which every connection can be cut at once. */
async function cuttingProxy(port: number): Promise<AsyncDisposable & { url: string; cut(): void; cuts(): number }> {
  const sockets = new Set<Socket>();
  let cuts = 0;
  const proxy = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [one, other] of [[near, far] as const, [far, near] as const]) {
      sockets.add(one);
      one.on('error', () => {});
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    cuts: () => cuts,
    cut() {
      cuts++;
      for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => proxy.close(done));
    },
  };
}
