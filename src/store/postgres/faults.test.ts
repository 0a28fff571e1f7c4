/** The faults that only PostgreSQL has: connections that break, a server that crashes, settings that lose data. */
import { once } from 'node:events';
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventOf, listed, stage } from '../../../test/conformance/store/stage.ts';
import { expectOneBook, inOrder } from '../../../test/conformance/store/stories.ts';
import { startPostgresWithTables, type TestPostgres } from '../../../test/stages/postgres.ts';
import { openPostgres } from '../postgres.ts';
import type { Store } from '../store.ts';

let server: TestPostgres | undefined;
beforeAll(async () => {
  server = await startPostgresWithTables();
});
afterAll(() => server?.[Symbol.asyncDispose]());

/** Stands before the server; when it is armed it lets the next COMMIT through, or not, and cuts before the answer. */
async function proxyBefore(port: number) {
  const state = { cut: undefined as 'before' | 'after' | undefined, cuts: 0 };
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = dial(port, '127.0.0.1');
    sockets.add(client).add(upstream);
    for (const socket of [client, upstream]) socket.on('error', () => {});
    let isCutting = false;
    client.on('data', (bytes: Buffer) => {
      const isCommit = state.cut !== undefined && bytes.includes('COMMIT');
      if (!isCommit) return void upstream.write(bytes);
      const { cut } = state;
      state.cut = undefined;
      state.cuts++;
      isCutting = true;
      if (cut === 'after') return void upstream.write(bytes);
      upstream.once('close', () => client.destroy());
      upstream.end();
    });
    upstream.on('data', (bytes: Buffer) => {
      if (!isCutting) client.write(bytes);
      // It has committed, and its answer goes nowhere.
      else if (bytes.includes('COMMIT')) client.destroy();
    });
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    state,
    port: (proxy.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

describe('a connection that breaks at COMMIT', () => {
  it.each([
    { cut: 'after', stored: true },
    { cut: 'before', stored: false },
  ] as const)(
    '$cut the server has it: what was stored is found, and nothing is stored twice',
    async ({ cut, stored }) => {
      await using proxy = await proxyBefore(server!.port);
      const url = (await server!.newDatabase()).replace(`:${server!.port}/`, `:${proxy.port}/`);
      await using stand = await stage(() => openPostgres(url));
      const { store, account, rule, commit } = stand;
      await commit(eventOf('first', [rule]));
      await store.recentKept();
      proxy.state.cut = cut;
      const outcome = await commit(eventOf('a', [rule]), eventOf('b', [rule])).catch((error: unknown) => error);
      expect(proxy.state.cuts).toBe(1);
      expect(outcome).toMatchObject(stored ? { added: 2, addedByEvent: [1, 1] } : { reason: 'away', retryable: true });
      expect(await commit(eventOf('a', [rule]), eventOf('b', [rule]))).toMatchObject({ added: stored ? 0 : 2 });
      expect((await listed(store, { accountId: account.id })).toSorted()).toEqual(['a', 'b', 'first']);
      expectOneBook(await inOrder(store, account.id));
    },
  );
});

describe('a server that crashes', () => {
  it('keeps what was acknowledged, and is written again when it is back', async () => {
    await using stand = await stage(async () => openPostgres(await server!.newDatabase()));
    const { store, account, rule, commit } = stand;
    const acknowledged: string[] = [];
    const pushing = (async () => {
      for (let number = 0; number < 60; number++) {
        await commit(eventOf(`${number}`, [rule])).then(
          () => acknowledged.push(`${number}`),
          () => {},
        );
      }
    })();
    await server!.crash();
    await pushing;
    const latest = await untilIt(() => commit(eventOf('last', [rule])));
    expect(latest.added).toBe(1);
    const found = await listed(store, { accountId: account.id });
    expect(new Set(found).size).toBe(found.length);
    expect(found).toEqual(expect.arrayContaining(acknowledged));
    expectOneBook(await inOrder(store, account.id));
  });
});

async function untilIt<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch {
      await new Promise(setImmediate);
    }
  }
}

describe('settings', () => {
  it.each(['synchronous_commit = off'])('refuses %s', async (setting) => {
    const url = await server!.newDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting}`);
    await client.end();
    await using store: Store = await openPostgres(url);
    await expect(store.check()).rejects.toMatchObject({ reason: 'settings' });
  });
});
