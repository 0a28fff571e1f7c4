import { createServer, type RequestListener, type ServerOptions } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { watchSockets } from './connections.ts';

/** What a server answers to bytes as they are, until it closes the connection. */
async function answerTo(bytes: string, listener: RequestListener, options: ServerOptions = {}): Promise<string> {
  const sockets = watchSockets();
  const server = createServer(options, listener);
  server.on('request', sockets.onRequest);
  server.on('clientError', (error, socket) => sockets.onError(error, socket as Socket));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    return await new Promise<string>((done) => {
      let received = '';
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1', () => client.write(bytes));
      client.on('data', (chunk) => {
        received += chunk.toString();
      });
      client.on('error', () => {});
      client.on('close', () => done(received));
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\n';
/** Answers when the whole body is there. */
const afterBody: RequestListener = (request, response) => request.resume().on('end', () => response.end('done'));

describe('broken HTTP', () => {
  it.each([
    ['bytes that are no request', 'nonsense\r\n\r\n', 400],
    ['a broken chunk', `${HEAD}Transfer-Encoding: chunked\r\n\r\nnonsense\r\n`, 400],
  ])('is answered in our shape: %s', async (_, bytes, status) => {
    const text = await answerTo(bytes, afterBody);
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(text.split('\r\n\r\n')[1]!)).toMatchObject({ code: 'invalid_argument' });
  });

  it.each([
    ['headers', 'POST / HTTP/1.1\r\nHost'],
    ['a body', `${HEAD}Content-Length: 10\r\n\r\nhalf`],
  ])('is answered with 408 when %s stop half-way', async (_, bytes) => {
    const limits = { requestTimeout: 50, headersTimeout: 50, connectionsCheckingInterval: 10 };
    expect(await answerTo(bytes, afterBody, limits)).toMatch(/^HTTP\/1.1 408 /);
  });

  it('is never answered out of turn: an earlier request of the connection waits for its own answer', async () => {
    const never: RequestListener = () => {};
    expect(await answerTo('GET / HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n', never)).toBe('');
    const broken = `${HEAD}Transfer-Encoding: chunked\r\n\r\nnonsense\r\n`;
    expect(await answerTo(`GET / HTTP/1.1\r\nHost: a\r\n\r\n${broken}`, never)).toBe('');
  });

  it('adds nothing to an answer that has begun', async () => {
    const early: RequestListener = (_, response) => void response.write('begun');
    const text = await answerTo(`${HEAD}Transfer-Encoding: chunked\r\n\r\nnonsense\r\n`, early);
    expect(text.match(/HTTP\/1\.1/g) ?? []).toHaveLength(text === '' ? 0 : 1);
    expect(text).not.toContain('invalid_argument');
  });
});
