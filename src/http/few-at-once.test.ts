import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { fewAtOnce, MAX_AT_ONCE, MAX_WAITING } from './admission.ts';

const SENT = 3 * MAX_AT_ONCE;

/** A server that has been sent many requests in one go, over one connection, and has answered none of them yet. */
async function stand() {
  const begun: { path: string; response: ServerResponse }[] = [];
  const server = createServer(fewAtOnce(({ url }, response) => void begun.push({ path: url!, response })));
  let arrived = 0;
  server.on('request', () => void arrived++);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const connected = once(server, 'connection');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  const [socket] = await connected;
  client.write(Array.from({ length: SENT }, (_, n) => `GET /${n} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
  while (arrived < SENT) await setImmediate();
  return {
    begun,
    arrived: () => arrived,
    client,
    socket,
    [Symbol.dispose]() {
      client.destroy();
      server.close();
    },
  };
}

describe('requests that a client sends without waiting for answers', () => {
  it('are worked on a few at once, and all of them are answered in their order', async () => {
    using one = await stand();
    expect(one.begun).toHaveLength(MAX_AT_ONCE);
    let received = '';
    one.client.on('data', (chunk) => {
      received += chunk.toString();
    });
    for (let at = 0; at < SENT; at++) {
      while (one.begun.length <= at) await setImmediate();
      expect(one.begun.length).toBeLessThanOrEqual(at + MAX_AT_ONCE);
      one.begun[at]!.response.end(`<${one.begun[at]!.path}>`);
    }
    const paths = Array.from({ length: SENT }, (_, n) => `</${n}>`);
    while (!received.includes(paths.at(-1)!)) await setImmediate();
    expect(received.match(/<\/\d+>/g)).toEqual(paths);
  });

  it('end the connection when they are more than it is ever answered', async () => {
    using one = await stand();
    const closed = once(one.socket, 'close');
    const more = MAX_WAITING - (SENT - MAX_AT_ONCE);
    one.client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(more));
    while (one.arrived() < SENT + more) await setImmediate();
    expect(one.socket.destroyed).toBe(false);
    one.client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await closed;
    expect(one.begun).toHaveLength(MAX_AT_ONCE);
  });

  it('are not begun any more once the client has gone', async () => {
    using one = await stand();
    const closed = once(one.socket, 'close');
    one.client.destroy();
    await closed;
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    expect(one.begun).toHaveLength(MAX_AT_ONCE);
  });
});
