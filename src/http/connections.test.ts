import { EventEmitter, on, once } from 'node:events';
import { createServer, type RequestListener, Server, type ServerOptions } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startApp } from '../../test/stages/http-app.ts';
import { guardConnections, SERVER_LIMITS, watchSockets } from './connections.ts';

/** Sends bytes as they are, and returns what a server answers until it closes the connection. */
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

describe('connections', () => {
  /** A server that listens nowhere; its events are made by hand. */
  function guarded(trustProxy: string[] = []) {
    const stopping = { isLeaving: false };
    const server = new Server();
    guardConnections(server, trustProxy, stopping);
    const open = (remoteAddress: string, remoteFamily = 'IPv4') => {
      const socket = Object.assign(new EventEmitter(), {
        remoteAddress,
        remoteFamily,
        isCut: false,
        destroy() {
          this.isCut = true;
        },
      });
      // The listeners of Node itself want a real socket.
      for (const listener of server.listeners('connection').slice(1)) listener.call(server, socket);
      return socket;
    };
    const closes = (socket: object) => {
      let closed = false;
      const response = {
        setHeader(name: string, value: string) {
          closed = name === 'Connection' && value === 'close';
        },
      };
      for (const listener of server.listeners('request')) listener.call(server, { socket }, response);
      return closed;
    };
    return { server, open, closes, stopping };
  }

  it('of one address are 200 at most, and a closed one makes room for another', () => {
    const { open } = guarded();
    const sockets = Array.from({ length: 200 }, () => open('203.0.113.9'));
    expect(sockets.some(({ isCut }) => isCut)).toBe(false);
    const surplus = open('203.0.113.9');
    expect([surplus.isCut, open('203.0.113.8').isCut]).toEqual([true, false]);
    surplus.emit('close');
    expect(open('203.0.113.9').isCut).toBe(true);
    sockets[0]!.emit('close');
    sockets[1]!.emit('close');
    expect(open('203.0.113.9').isCut).toBe(false);
    for (const socket of sockets.slice(2)) socket.emit('close');
    expect(open('203.0.113.9').isCut).toBe(false);
  });

  it('of one network of IPv6 are 200 at most, from whichever of its addresses', () => {
    const { open } = guarded();
    for (let host = 1; host <= 200; host++) expect(open(`2001:db8:0:1::${host}`, 'IPv6').isCut).toBe(false);
    expect([open('2001:db8:0:1::ffff', 'IPv6').isCut, open('2001:db8:0:2::1', 'IPv6').isCut]).toEqual([true, false]);
  });

  it.each([
    ['127.0.0.1', 'IPv4'],
    ['127.8.8.8', 'IPv4'],
    ['::1', 'IPv6'],
  ])('of this machine (%s) are not counted', (address, family) => {
    const { open } = guarded();
    expect(Array.from({ length: 201 }, () => open(address, family)).some(({ isCut }) => isCut)).toBe(false);
  });

  it('behind a proxy are not counted either', () => {
    const { open } = guarded(['203.0.113.9']);
    expect(Array.from({ length: 201 }, () => open('203.0.113.9')).some(({ isCut }) => isCut)).toBe(false);
    expect(SERVER_LIMITS).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000, maxHeaderSize: 8_192 });
  });

  it.each([
    [['127.0.0.1'], 620],
    [['10.0.0.0/8', '127.0.0.0/8'], 620],
    [['10.0.0.0/8', '::1'], 5],
    [[], 5],
  ])('of proxies in %j are kept idle for %i seconds, and are closed at once at a stop', async (trustProxy, seconds) => {
    const server = createServer(SERVER_LIMITS, (_, response) => void response.end('done'));
    guardConnections(server, trustProxy, { isLeaving: false });
    const accepted = Promise.withResolvers<Socket>();
    server.on('connection', accepted.resolve);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const closed = once(client, 'close');
    const answers = on(client, 'data');
    for (let request = 0; request < 2; request++) {
      client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      const { value } = (await answers.next()) as { value: [Buffer] };
      expect(value[0].toString()).toContain(`Keep-Alive: timeout=${seconds}\r\n`);
      // Node itself gives a second more than it says.
      const kept = seconds === 5 ? 6_000 : seconds * 1_000;
      await expect.poll(async () => (await accepted.promise).timeout).toBe(kept);
    }
    server.close();
    server.closeIdleConnections();
    await closed;
  });

  it('are renewed after a thousand requests each, and with the next one when the server stops soon', () => {
    const { closes, stopping } = guarded();
    const [one, other] = [{}, {}];
    for (let request = 1; request < 1_000; request++) expect(closes(one)).toBe(false);
    expect([closes(one), closes(other)]).toEqual([true, false]);
    stopping.isLeaving = true;
    expect(closes(other)).toBe(true);
  });

  it('are closed by an answer that the server gives at once, too', async () => {
    const server = createServer((_, response) => void response.end('at once'));
    guardConnections(server, [], { isLeaving: true });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect([await answer.text(), answer.headers.get('connection')]).toEqual(['at once', 'close']);
    server.close();
  });

  it('are refused an expectation that the server cannot meet, in our shape', async () => {
    const { server } = guarded();
    const answer = { status: 0, headers: {} as Record<string, string>, text: '' };
    const response = {
      writeHead(status: number, headers: Record<string, string>) {
        Object.assign(answer, { status, headers });
        return this;
      },
      end(text: string) {
        answer.text = text;
      },
    };
    server.emit('checkExpectation', {} as never, response as never);
    expect(answer).toMatchObject({
      status: 417,
      headers: { Connection: 'close', 'Content-Length': String(Buffer.byteLength(answer.text)) },
    });
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'invalid_argument' });
  });
});

describe('a quiet connection', () => {
  const isCut = (requests: number, writableLength: number): boolean => {
    const sockets = watchSockets();
    const cuts: true[] = [];
    const socket = { writableLength, destroy: () => void cuts.push(true) };
    for (let n = 0; n < requests; n++) sockets.onRequest({ socket } as never, new EventEmitter() as never);
    sockets.onTimeout(socket as never);
    return cuts.length > 0;
  };

  it('is cut off when its client does not read, or asks nothing, and not while a request waits', () => {
    expect([isCut(1, 100_000), isCut(0, 0), isCut(1, 0)]).toEqual([true, true, false]);
  });

  it('is looked at by a server', async () => {
    await using app = await startApp();
    expect([app.http.server.timeout, app.http.server.listenerCount('timeout')]).toEqual([120_000, 1]);
  });
});

describe('headers that are too large', () => {
  it('are answered with 431', async () => {
    const large = `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`;
    expect(await answerTo(large, afterBody, { maxHeaderSize: 8_192 })).toMatch(/^HTTP\/1.1 431 /);
  });
});
