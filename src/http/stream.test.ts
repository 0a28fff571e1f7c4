/** The connection of a stream: who may open it, what its head says, and that it ends on both sides. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, OPERATOR_KEY, startApp } from '../../test/stages/http-app.ts';
import { until } from '../../test/stages/receiver.ts';
import { outletOf } from './stream.ts';

const bearer = { authorization: `Bearer ${OPERATOR_KEY}` };
let app: App;
let url: string;
beforeAll(async () => {
  app = await startApp({ rateLimit: 6_000 });
  url = `${await app.http.listen({ port: 0, host: '127.0.0.1' })}/matches/stream`;
  await call('/api.CreateRule', { name: 'Lava', intent: '', platforms: ['x'], overrides: { x: 'lava' } });
});
afterAll(() => app[Symbol.asyncDispose]());

const call = async (path: string, payload: object) =>
  (await app.http.inject({ method: 'POST', url: path, headers: bearer, payload })).json();
const push = (id: string) =>
  app.http.inject({
    method: 'POST',
    url: '/events?platform=x',
    headers: { ...bearer, 'content-type': 'application/x-ndjson' },
    payload: JSON.stringify({ data: { id, text: `lava ${id}` } }),
  });
const subscribers = () => app.context.live.figures.subscribers;

/** A stream and the text that came of it so far. */
async function open(query = '', headers: Record<string, string> = bearer) {
  const gone = new AbortController();
  const response = await fetch(url + query, { headers, signal: gone.signal });
  const received = { text: '' };
  void (async () => {
    for await (const chunk of response.body!) received.text += Buffer.from(chunk as Uint8Array).toString();
  })().catch(() => {});
  return {
    response,
    received,
    async [Symbol.asyncDispose]() {
      gone.abort();
      await until(() => subscribers() === 0);
    },
  };
}

const idIn = (text: string) => /^id: (.+)$/m.exec(text)![1]!;

describe('a stream', () => {
  it('has the headers of every answer, and those that keep a proxy from holding it back', async () => {
    await using stream = await open();
    expect(Object.fromEntries(stream.response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^req_/),
      ratelimit: expect.stringContaining('"burst"'),
    });
    expect(subscribers()).toBe(1);
  });

  it('brings what is stored while it is open, and ends on our side when its reader goes away', async () => {
    {
      await using stream = await open('?platform=x');
      await push('1');
      await until(() => stream.received.text.includes('lava 1'));
    }
    expect(subscribers()).toBe(0);
  });

  it('goes on after the last event that its reader saw, before any cursor in the address', async () => {
    const start = await (async () => {
      await using stream = await open();
      await until(() => stream.received.text.includes('id: '));
      return idIn(stream.received.text);
    })();
    await push('2');
    await push('3');
    const second = await (async () => {
      await using stream = await open(`?cursor=${start}`);
      await until(() => stream.received.text.includes('lava 3'));
      expect(stream.received.text).toContain('lava 2');
      return /id: (\S+)\ndata: [^\n]*lava 2/.exec(stream.received.text)![1]!;
    })();
    await using resumed = await open(`?cursor=${start}`, { ...bearer, 'last-event-id': second });
    await until(() => resumed.received.text.includes('lava 3'));
    expect(resumed.received.text).not.toContain('lava 2');
  });

  it.each([
    ['without a key', '', {}, 401],
    ['with a wrong key', '', { authorization: 'Bearer wrong' }, 401],
    ['with a ticket that is none', '?ticket=stream_none', {}, 401],
    ['with two tickets', '?ticket=a&ticket=b', {}, 401],
    ['with a cursor that is none', '?cursor=made-up', bearer, 400],
    ['with a field that is none', '?nonsense=1', bearer, 400],
  ])('is refused %s, and leaves nothing open', async (_, query, headers, status) => {
    const response = await fetch(url + query, { headers });
    expect([response.status, await response.json()]).toEqual([
      status,
      expect.objectContaining({ code: expect.any(String) }),
    ]);
    expect(subscribers()).toBe(0);
  });

  it('opens for a ticket once; a key beside a ticket is the one that counts', async () => {
    const { ticket } = (await call('/api.CreateStreamTicket', {})) as { ticket: string };
    const beside = await fetch(`${url}?ticket=${ticket}`, { headers: { authorization: 'Bearer wrong' } });
    expect([beside.status, await beside.text()]).toEqual([401, expect.any(String)]);
    {
      await using stream = await open(`?ticket=${ticket}`, {});
      expect(stream.response.status).toBe(200);
    }
    expect((await fetch(`${url}?ticket=${ticket}`)).status).toBe(401);
  });

  it('is one of as many as the account may have', async () => {
    await using narrow = await startApp({ streams: 1 });
    const address = `${await narrow.http.listen({ port: 0, host: '127.0.0.1' })}/matches/stream`;
    const gone = new AbortController();
    const first = await fetch(address, { headers: bearer, signal: gone.signal });
    const second = await fetch(address, { headers: bearer });
    expect([first.status, second.status, await second.json()]).toMatchObject([
      200,
      429,
      { code: 'resource_exhausted' },
    ]);
    gone.abort();
    await until(() => narrow.context.live.figures.subscribers === 0);
    const third = await fetch(address, { headers: bearer });
    expect(third.status).toBe(200);
    await third.body!.cancel();
  });

  it('has no HEAD, which would never end', async () => {
    expect((await fetch(url, { method: 'HEAD', headers: bearer })).status).toBe(405);
  });

  it('is refused with a key that may not read', async () => {
    const { key } = (await call('/api.CreateKey', { name: 'k', scope: 'ingest' })) as { key: string };
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('permission_denied')]);
  });

  it('ends with its reason when the server stops, and the server does not wait for its reader', async () => {
    const other = await startApp();
    const address = await other.http.listen({ port: 0, host: '127.0.0.1' });
    const response = await fetch(`${address}/matches/stream`, { headers: bearer });
    await other[Symbol.asyncDispose]();
    expect(await response.text()).toContain('"reason":"stopping"');
  });
});

describe('the outlet of a response', () => {
  it('writes, tells what waits, ends with the last bytes, and can be cut off', async () => {
    const waiting: ((response: ServerResponse) => void)[] = [];
    await using server = createServer((_, response) => waiting.shift()!(response));
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const next = () => new Promise<ServerResponse>((done) => waiting.push(done));
    const [answering, asked] = [next(), fetch(address)];
    const response = await answering;
    const outlet = outletOf(response);
    response.cork();
    outlet.write(Buffer.from('one '));
    expect(outlet.queued).toBeGreaterThanOrEqual(4);
    expect(outlet.write(Buffer.alloc(1_000_000, 'x'))).toBe(false);
    response.uncork();
    outlet.end(Buffer.from(' last'));
    const text = await (await asked).text();
    expect([text.slice(0, 4), text.slice(-5), text.length]).toEqual(['one ', ' last', 1_000_009]);
    const [cutting, lost] = [next(), fetch(address)];
    outletOf(await cutting).destroy();
    await expect(lost).rejects.toThrow('fetch failed');
  });
});
