import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { systemClock } from '../../base/clock.ts';
import { createBrowser } from './browser.ts';
import { openDevTools } from './dev-tools.ts';

it.each(['no JSON', '[1]', '{"id":1,"error":{}}'])(
  'a call fails, and nothing else, when %s comes back',
  async (frame) => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    server.on('connection', (socket) => socket.on('message', () => socket.send(frame)));
    const { port } = server.address() as AddressInfo;
    await using tools = await openDevTools(`ws://127.0.0.1:${port}/`, new AbortController().signal);
    await expect(tools.call('Page.enable')).rejects.toThrow('does not speak the DevTools protocol');
    server.close();
  },
);

interface Asked {
  readonly id: number;
  readonly method: string;
}

/** The length of a page that is loaded in a browser with these answers. */
async function loadWith(answer: (asked: Asked, send: (frame: object) => void) => object): Promise<number> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  server.on('connection', (socket: WebSocket) =>
    socket.on('message', (data: Buffer) => {
      const asked = JSON.parse(data.toString()) as Asked;
      const send = (frame: object) => socket.send(JSON.stringify(frame));
      send({ id: asked.id, result: answer(asked, send) });
    }),
  );
  const { port } = server.address() as AddressInfo;
  const page = { status: 200, url: 'http://a.example/', headers: {}, body: Buffer.from('a'), retryAfter: undefined };
  const refuse = () => Promise.reject(new Error('It is asked for one page.'));
  const http = { get: async () => page, stream: refuse, socket: () => expect.unreachable() };
  try {
    const browser = createBrowser(systemClock, `ws://127.0.0.1:${port}/`);
    return (await browser.load(http, page.url, new AbortController().signal)).body.length;
  } finally {
    server.close();
    for (const client of server.clients) client.terminate();
  }
}

const paused = (method: string, resourceType: string) => ({
  method: 'Fetch.requestPaused',
  params: { requestId: '1', resourceType, request: { url: 'http://a.example/', method, headers: {} } },
});

/** A page whose document comes, and whose HTML is so long when it is read. */
const reading =
  (length: number, more: (send: (frame: object) => void) => void = () => {}) =>
  ({ method }: Asked, send: (frame: object) => void): object => {
    if (method === 'Page.navigate') {
      send(paused('GET', 'Document'));
      more(send);
    }
    if (method === 'Fetch.fulfillRequest') send({ method: 'Page.loadEventFired', params: {} });
    return method === 'Runtime.evaluate' ? { result: { value: 'a'.repeat(length) } } : {};
  };

describe('a page in a browser', () => {
  it('is read', async () => {
    expect(await loadWith(reading(2 * 1024 * 1024))).toBe(2 * 1024 * 1024);
  });

  it.each([
    ['gives more than it is asked for', reading(2 * 1024 * 1024 + 1), 'a.example gives more than 2097152 characters.'],
    ['gives a frame that takes long to parse', reading(9 * 1024 * 1024), 'frames of more than 8388608 bytes'],
    [
      'tries requests without end',
      reading(1, (send) => {
        for (let at = 0; at < 1_001; at++) send(paused('POST', 'XHR'));
      }),
      'The page tries more than 1000 requests.',
    ],
    [
      'sends much with its requests',
      reading(1, (send) => {
        const { method, params } = paused('POST', 'XHR');
        for (let at = 0; at < 18; at++) send({ method, params: { ...params, more: 'a'.repeat(1024 * 1024) } });
      }),
      'or 16777216 in all.',
    ],
  ])('fails when it %s', async (_, answer, message) => {
    await expect(loadWith(answer)).rejects.toThrow(message);
  });
});
