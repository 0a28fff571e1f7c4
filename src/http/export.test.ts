/** The connection of an export: its head, its trailer, its limits, and readers that are slow or gone. */
import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type App, OPERATOR_KEY, startApp } from '../../test/stages/http-app.ts';
import type { Store } from '../store/store.ts';

const headers = { authorization: `Bearer ${OPERATOR_KEY}` };

/** An app with as many matches as texts. */
async function appWith(texts: readonly string[], options: Parameters<typeof startApp>[0] = {}): Promise<App> {
  const app = await startApp(options);
  const payload = { name: 'Lava', intent: '', platforms: ['x'], overrides: { x: 'lava' } };
  await app.http.inject({ method: 'POST', url: '/api.CreateRule', headers, payload });
  await app.http.inject({
    method: 'POST',
    url: '/events?platform=x',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    payload: texts.map((text, id) => JSON.stringify({ data: { id: String(id), text } })).join('\n'),
  });
  return app;
}

const get = (app: App, query: string) => app.http.inject({ url: `/export?${query}`, headers });

/** A reader over a socket, which has read nothing yet. */
async function open(app: App, query: string, key = OPERATOR_KEY): Promise<IncomingMessage> {
  if (!app.http.server.listening) await app.http.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.http.server.address() as AddressInfo;
  const request = { port, path: `/export?${query}`, headers: { authorization: `Bearer ${key}` } };
  return new Promise((done, fail) => httpGet(request, done).on('error', fail));
}

/** Holds back every page of matches until the gate opens. */
function heldStore() {
  const gate = Promise.withResolvers<void>();
  const state = { isHeld: false, waiting: 0 };
  const store = (real: Store): Store => ({
    ...real,
    async matches(query) {
      state.waiting++;
      if (state.isHeld) await gate.promise;
      return real.matches(query);
    },
  });
  return { store, state, gate };
}

describe('an export', () => {
  it('has the headers of every answer, and those of a file', async () => {
    await using app = await appWith(['lava']);
    const answer = await get(app, 'format=csv');
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="matches.csv"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^req_/),
      trailer: 'Sluice-Next-Cursor',
    });
  });

  it('names in its trailer where to go on, and has none when all is told', async () => {
    await using app = await appWith(['lava 1', 'lava 2']);
    const trailersOf = async (query: string) => {
      const response = await open(app, query);
      response.resume();
      await new Promise((done) => response.once('end', done));
      return response.trailers;
    };
    const some = await trailersOf('format=ndjson&limit=1');
    expect(some).toEqual({ 'sluice-next-cursor': expect.any(String) });
    const rest = await get(app, `format=ndjson&cursor=${some['sluice-next-cursor']}`);
    expect(rest.body).toContain('lava 1');
    expect(rest.body).not.toContain('lava 2');
    expect(await trailersOf('format=ndjson')).toEqual({});
  });

  it('is refused without a key, and with one that may not read', async () => {
    await using app = await appWith([]);
    expect((await app.http.inject('/export')).statusCode).toBe(401);
    const made = await app.http.inject({
      method: 'POST',
      url: '/api.CreateKey',
      headers,
      payload: { name: 'k', scope: 'ingest' },
    });
    const ingest = { authorization: `Bearer ${made.json<{ key: string }>().key}` };
    expect((await app.http.inject({ url: '/export', headers: ingest })).statusCode).toBe(403);
    expect((await app.http.inject({ method: 'HEAD', url: '/export', headers })).statusCode).toBe(405);
  });

  it('is one of four of an account at most; another account has its own four', async () => {
    const { store, state, gate } = heldStore();
    await using app = await appWith(['lava'], { store });
    expect((await get(app, 'format=ndjson')).statusCode).toBe(200);
    state.isHeld = true;
    state.waiting = 0;
    const running = Array.from({ length: 4 }, () => get(app, 'format=ndjson'));
    while (state.waiting < 1) await setImmediate();
    // Their pages are read one after another; the four are under way when a fifth is refused.
    let refused = await get(app, 'limit=0');
    while (refused.statusCode === 400) refused = await get(app, 'limit=0');
    expect([refused.statusCode, refused.headers['retry-after'], refused.json()]).toMatchObject([
      429,
      '5',
      { code: 'resource_exhausted', details: { limit_code: 'exports', limit: 4 } },
    ]);
    expect(refused.json().message).toContain('4 exports of the account are under way');
    const other = { authorization: `Bearer ${await app.newAccount('other')}` };
    const theirs = app.http.inject({ url: '/export?format=ndjson', headers: other });
    gate.resolve();
    expect((await theirs).statusCode).toBe(200);
    for (const answer of await Promise.all(running)) expect(answer.statusCode).toBe(200);
    // All of them make room again, and so does one that was refused for its input.
    for (let n = 0; n < 5; n++) expect((await get(app, 'limit=0')).statusCode).toBe(400);
    expect((await get(app, 'format=ndjson')).statusCode).toBe(200);
  });
});

describe('a reader', () => {
  const LONG = Array.from({ length: 40 }, (_, n) => `lava ${n} ${'x'.repeat(150_000)}`);
  const pageByPage = (real: Store): Store => ({
    ...real,
    matches: (query) => real.matches({ ...query, limit: Math.min(query.limit, 2) }),
  });

  it('that is slow is waited for, and gets all', async () => {
    const counted: unknown[][] = [];
    await using app = await appWith(LONG, { store: pageByPage, exported: (...one) => void counted.push(one) });
    const response = await open(app, 'format=ndjson');
    for (let turn = 0; turn < 50; turn++) await setImmediate();
    // The file does not fit into the buffers between us.
    expect(counted).toEqual([]);
    let bytes = 0;
    for await (const chunk of response) bytes += (chunk as Buffer).length;
    expect(bytes).toBeGreaterThan(LONG.length * 150_000);
    expect(counted).toEqual([['ndjson', { rows: LONG.length, bytes }, true]]);
  });

  it('whose key is revoked meanwhile is cut off', async () => {
    const counted: [string, { rows: number; bytes: number }, boolean][] = [];
    await using app = await appWith(LONG, { store: pageByPage, exported: (...one) => void counted.push(one) });
    const call = (url: string, payload: object) => app.http.inject({ method: 'POST', url, headers, payload });
    const { id, key } = (await call('/api.CreateKey', { name: 'k' })).json<{ id: string; key: string }>();
    const response = await open(app, 'format=ndjson', key);
    await call('/api.RevokeKey', { key_id: id });
    await expect(response.toArray()).rejects.toThrow('aborted');
    expect(counted).toEqual([['ndjson', expect.anything(), false]]);
    expect(counted[0]![1].rows).toBeLessThan(LONG.length);
  });

  it('that goes away is told apart from one that read all, and makes room for the next', async () => {
    const counted: [string, { rows: number; bytes: number }, boolean][] = [];
    await using app = await appWith(LONG, { store: pageByPage, exported: (...one) => void counted.push(one) });
    for (let n = 1; n <= 5; n++) {
      const response = await open(app, 'format=ndjson');
      response.on('error', () => {});
      response.destroy();
      while (counted.length < n) await setImmediate();
    }
    expect(counted.map(([, , isWhole]) => isWhole)).toEqual([false, false, false, false, false]);
    expect(counted.every(([, { rows }]) => rows < LONG.length)).toBe(true);
    expect(app.logged.filter((line) => line.startsWith('an export was cut off'))).toHaveLength(5);
    expect((await get(app, 'format=ndjson&limit=1')).statusCode).toBe(200);
  });
  it('that goes away before there is anything to read makes room, too', async () => {
    const { store, state, gate } = heldStore();
    const counted: unknown[] = [];
    await using app = await appWith(['lava'], { store, exported: (...one) => void counted.push(one) });
    await app.http.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.http.server.address() as AddressInfo;
    const closed: Promise<unknown>[] = [];
    app.http.server.on('connection', (socket) => void closed.push(once(socket, 'close')));
    state.isHeld = true;
    state.waiting = 0;
    const readers = Array.from({ length: 4 }, () =>
      httpGet({ port, path: '/export?format=ndjson', headers, agent: false }).on('error', () => {}),
    );
    // The page of one is being read, and the others wait for their turn.
    while (closed.length < 4 || state.waiting < 1) await setImmediate();
    for (const reader of readers) reader.destroy();
    await Promise.all(closed);
    state.isHeld = false;
    gate.resolve();
    for (let n = 0; n < 4; n++) expect((await get(app, 'format=ndjson')).statusCode).toBe(200);
    const whole = ['ndjson', { rows: 1, bytes: expect.any(Number) }, true];
    expect(counted).toEqual([['ndjson', { rows: 0, bytes: 0 }, false], whole, whole, whole, whole]);
    // None was read for those that had gone.
    expect(state.waiting).toBe(5);
  });
});
