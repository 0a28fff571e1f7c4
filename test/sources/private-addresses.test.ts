/** Which addresses sources reach. 127.0.0.1 stands for the public network, 127.0.0.2 for a private one. */
import { describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { systemClock } from '../../src/base/clock.ts';
import { createSourceHttp } from '../../src/sources/fetch/fetch-url.ts';
import type { ResolveName } from '../../src/sources/fetch/reach.ts';
import { socketFrames } from '../../src/sources/fetch/web-socket.ts';
import { KINDS, readSource } from '../../src/sources/kinds/kinds.ts';
import { type Answerer, openServer } from './server.ts';

const [PUBLIC, PRIVATE] = ['127.0.0.1', '127.0.0.2'];
const { signal } = new AbortController();
const hello: Answerer = (_, response) => void response.writeHead(200).end('hello');
const at = (url: string, name: string) => `http://${name}:${new URL(url).port}/`;

/** Names resolve to these lists of addresses in turn; the last is repeated. */
function resolver(...answers: string[][]) {
  const asked: string[] = [];
  const resolve: ResolveName = (hostname, _, callback) => {
    const addresses = answers[Math.min(asked.push(hostname), answers.length) - 1]!;
    callback(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
  };
  return { resolve, asked };
}

const httpWith = (resolve: ResolveName, allowPrivate = false) =>
  createSourceHttp({
    clock: systemClock,
    userAgent: 'sluice-tests',
    isPublic: (address) => address === PUBLIC,
    allowPrivate,
    resolve,
    timeoutMs: 20_000,
  });

/** A value for each option that must name something. */
const NAMED: Readonly<Record<string, string>> = {
  urls: 'https://a.example/',
  repos: 'a/b',
  categories: 'cs.LG',
  channels: 'UC_x5XG1OV2P6uZZ5FSM9Ttw',
  subreddits: 'volcanoes',
};

describe('private addresses', () => {
  it('are refused to a public name that later resolves to one, each time', async () => {
    await using open = await openServer(hello);
    await using inside = await openServer(hello, PRIVATE);
    const { resolve, asked } = resolver([PUBLIC], [PRIVATE], [PRIVATE], [PUBLIC]);
    const http = httpWith(resolve);
    const get = (url: string) => http.get({ url, signal });
    expect((await get(at(open.url, 'news.example'))).status).toBe(200);
    for (let times = 0; times < 2; times++)
      await expect(get(at(inside.url, 'news.example'))).rejects.toThrow('Set `allow_private: true` for this source');
    expect((await get(at(open.url, 'news.example'))).status).toBe(200);
    // One look-up for each connection, so that the address that was checked is the one that is used.
    expect([asked.length, inside.requests.length]).toEqual([4, 0]);
  });

  it('are refused when any address of a name is one, and on streams too', async () => {
    await using inside = await openServer(hello, PRIVATE);
    const http = httpWith(resolver([PUBLIC, PRIVATE], [PRIVATE]).resolve);
    const url = at(inside.url, 'news.example');
    await expect(http.get({ url, signal })).rejects.toThrow('private address');
    await expect(http.stream({ url, signal, type: 'text/event-stream' })).rejects.toThrow('private address');
    await expect(httpWith(resolver([]).resolve).get({ url, signal })).rejects.toThrow('has no address');
    expect(inside.requests).toHaveLength(0);
  });

  it('are reached where the source says `allow_private`, or where the URL names the address', async () => {
    await using inside = await openServer(hello, PRIVATE);
    const named = { url: at(inside.url, 'wiki.intranet'), signal };
    expect((await httpWith(resolver([PRIVATE]).resolve, true).get(named)).status).toBe(200);
    const { resolve, asked } = resolver([PRIVATE]);
    expect((await httpWith(resolve).get({ url: inside.url, signal })).status).toBe(200);
    await expect(httpWith(resolve).get(named)).rejects.toThrow('private address');
    expect([inside.requests.length, asked.length]).toEqual([2, 1]);
  });

  it('are never reached by a redirect from a public one, whatever the source allows', async () => {
    await using inside = await openServer(hello, PRIVATE);
    for (const target of [inside.url, at(inside.url, 'rebound.example')]) {
      await using open = await openServer((_, response) => void response.writeHead(302, { location: target }).end());
      for (const allowPrivate of [false, true]) {
        const http = httpWith(resolver([PUBLIC], [PRIVATE]).resolve, allowPrivate);
        await expect(http.get({ url: at(open.url, 'news.example'), signal })).rejects.toThrow('A redirect leads to');
      }
    }
    expect(inside.requests).toHaveLength(0);
  });

  it('are reached by a redirect from a private one', async () => {
    await using inside = await openServer(hello, PRIVATE);
    const location = at(inside.url, 'wiki.intranet');
    await using first = await openServer((_, response) => void response.writeHead(302, { location }).end(), PRIVATE);
    const { status } = await httpWith(resolver([PRIVATE]).resolve).get({ url: first.url, signal });
    expect(status).toBe(200);
  });

  it('are refused to WebSockets as well', async () => {
    const server = new WebSocketServer({ port: 0, host: PRIVATE });
    await new Promise((resolve) => server.once('listening', resolve));
    let connections = 0;
    server.on('connection', (socket) => {
      connections++;
      socket.send('frame');
    });
    const { port } = server.address() as { port: number };
    const first = async (url: string, allowPrivate: boolean) => {
      const http = httpWith(resolver([PRIVATE]).resolve, allowPrivate);
      const context = { clock: systemClock, http, signal, live: () => {}, trouble: () => {} };
      for await (const frame of socketFrames(context, url, { stallMs: 20_000 })) return frame;
      return undefined;
    };
    await expect(first(`ws://posts.example:${port}/`, false)).rejects.toThrow('Set `allow_private: true`');
    expect(connections).toBe(0);
    expect(await first(`ws://posts.example:${port}/`, true)).toBe('frame');
    expect(await first(`ws://${PRIVATE}:${port}/`, false)).toBe('frame');
    await new Promise((resolve) => server.close(resolve));
  });

  it.each(Object.entries(KINDS).filter(([name]) => name !== 'ndjson'))(
    'are an option of %s, off by default',
    (kind) => {
      const { short, takesMany = false } = KINDS[kind]!;
      const urls = takesMany ? { [short]: [NAMED[short]] } : {};
      expect(readSource({ kind, ...urls })).toMatchObject({ options: { allow_private: false } });
      expect(readSource({ kind, ...urls, allow_private: true })).toMatchObject({ options: { allow_private: true } });
      expect(readSource({ kind, ...urls, allow_private: 'yes' })).toHaveProperty('problems');
    },
  );
});
