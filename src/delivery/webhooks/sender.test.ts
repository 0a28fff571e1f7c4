import { createServer, type Socket } from 'node:net';
import tls from 'node:tls';
import { describe, expect, it, vi } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openReceiver, until } from '../../../test/stages/receiver.ts';
import { systemClock } from '../../base/clock.ts';
import type { Egress, Resolve } from './egress.ts';
import { createSender } from './sender.ts';
import type { WebhookRequest } from './transport.ts';

const open: Egress = { allowPrivate: true, ownAddresses: () => [], resolve: (_, __, callback) => callback(null, []) };
const send = createSender({ clock: systemClock, egress: open });
const message = (url: string): WebhookRequest => ({
  url,
  headers: { a: 'b' },
  body: '{"é":1}',
  signal: new AbortController().signal,
});

/** A server of bytes on this machine. */
async function listen(onSocket: (socket: Socket) => void) {
  const server = createServer(onSocket);
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  const { port } = server.address() as { port: number };
  return { port, [Symbol.asyncDispose]: () => new Promise<void>((done) => void server.close(() => done())) };
}

describe('an attempt', () => {
  it('makes no context of trusted certificates anew', async () => {
    await using server = await listen((socket) => socket.destroy());
    const made = vi.spyOn(tls, 'createSecureContext');
    const own = createSender({ clock: systemClock, egress: open });
    for (let count = 0; count < 3; count++) await own(message(`https://127.0.0.1:${server.port}/`));
    expect(made).toHaveBeenCalledTimes(1);
  });

  it('posts the bytes and keeps the beginning of the answer', async () => {
    await using receiver = await openReceiver((response) => response.end('x'.repeat(5_000)));
    const sent = await send(message(`${receiver.url}/hook?a=1`));
    expect(sent).toMatchObject({ statusCode: 200, error: undefined, response: 'x'.repeat(1_024) });
    expect(receiver.received[0]).toMatchObject({ path: '/hook?a=1', body: '{"é":1}', headers: { a: 'b' } });
  });

  it.each([
    [301, 'The receiver answered 301; redirects are not followed.'],
    [404, 'The receiver answered 404.'],
    [429, 'The receiver answered 429.'],
    [500, 'The receiver answered 500.'],
  ])('takes %i for a failure', async (status, error) => {
    await using target = await openReceiver();
    await using receiver = await openReceiver((response) =>
      response.writeHead(status, { location: target.url, 'retry-after': '17' }).end(),
    );
    expect(await send(message(receiver.url))).toMatchObject({
      statusCode: status,
      error,
      retryAfter: 17,
      overloaded: status === 429,
    });
    expect(target.received).toEqual([]);
  });

  it('takes a change of the protocol for a failure, at once', async () => {
    await using receiver = await openReceiver((response) =>
      response.writeHead(101, { connection: 'upgrade', upgrade: 'gopher' }).end(),
    );
    const sent = await createSender({ clock: fakeClock(), egress: open })(message(receiver.url));
    expect(sent).toMatchObject({ statusCode: 101, error: 'The receiver answered 101.', overloaded: false });
  });

  it('takes interim answers without end for a failure, and a few for what they are', async () => {
    await using receiver = await openReceiver((response, { path }) => {
      for (let count = 0; count < (path === '/few' ? 3 : 100); count++) response.writeContinue();
      if (path === '/few') response.end();
    });
    const patient = createSender({ clock: fakeClock(), egress: open });
    expect(await patient(message(`${receiver.url}/few`))).toMatchObject({ statusCode: 200 });
    expect(await patient(message(receiver.url))).toMatchObject({
      statusCode: undefined,
      error: 'The receiver sent interim answers and no final one.',
      overloaded: false,
    });
  });

  it('reads no more of an answer than it must', async () => {
    let written = 0;
    await using receiver = await openReceiver((response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(1_024))) written++;
      };
      response.on('drain', more);
      more();
    });
    expect(await send(message(receiver.url))).toMatchObject({ statusCode: 200, error: undefined });
    expect(written).toBeLessThan(20_000);
  });

  it('fails in words when there is no answer, or only part of one', async () => {
    const closed = await openReceiver();
    await closed[Symbol.asyncDispose]();
    expect((await send(message(closed.url))).error).toBe('The connection was refused.');
    await using cut = await openReceiver((_, __, request) => request.socket.destroy());
    expect((await send(message(cut.url))).error).toBe('The connection broke.');
    await using half = await openReceiver((response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half', () => response.destroy());
    });
    expect(await send(message(half.url))).toMatchObject({
      statusCode: undefined,
      error: 'The connection broke.',
    });
    expect((await send(message('http://nowhere.test/'))).error).toBe('The host name has no address.');
  });

  it('waits five seconds for a connection', async () => {
    const clock = fakeClock();
    const nowhere: Egress = { ...open, resolve: () => {} };
    const sending = createSender({ clock, egress: nowhere })(message('http://slow.example/'));
    await clock.pass(5_000);
    expect(await sending).toMatchObject({ error: 'No connection was made within 5 seconds.', overloaded: true });
    expect(clock.sleepers).toBe(0);
  });

  it('names the code of an error for which it has no words, so that the owner can look it up', async () => {
    await using chatter = await listen((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .end('220 mail.example ESMTP\r\n'),
    );
    const sent = await send(message(`http://127.0.0.1:${chatter.port}/`));
    expect(sent).toMatchObject({ statusCode: undefined, overloaded: false });
    expect(sent.error).toMatch(/^The request failed \(HPE_\w+\)\.$/);
  });

  it.each([
    ['Sun, 15 Nov 2026 08:30:30 GMT', 30],
    ['Sun, 15 Nov 2026 08:29:00 GMT', undefined],
    ['soon', undefined],
    ['0', 0],
    ['1234567890', undefined],
  ])('reads the time to wait from Retry-After: %s', async (header, seconds) => {
    await using receiver = await openReceiver((response) => response.writeHead(503, { 'retry-after': header }).end());
    const sent = await createSender({ clock: fakeClock(), egress: open })(message(receiver.url));
    expect(sent.retryAfter).toBe(seconds);
  });

  it('waits fifteen seconds for an answer and its body', async () => {
    const clock = fakeClock();
    const patient = createSender({ clock, egress: open });
    for (const answer of ['nothing', 'half']) {
      await using receiver = await openReceiver((response) => {
        if (answer === 'half') response.writeHead(200).write('half');
      });
      const sending = patient(message(receiver.url));
      await until(() => receiver.received.length === 1);
      await clock.pass(15_000);
      expect(await sending).toMatchObject({
        error: 'The receiver did not answer within 15 seconds.',
        overloaded: true,
      });
    }
    expect(clock.sleepers).toBe(0);
  });
});

describe('the guard', () => {
  /** Listens on this machine and counts who comes. */
  async function canary() {
    let connections = 0;
    const { port, [Symbol.asyncDispose]: close } = await listen((socket) => {
      connections++;
      socket.destroy();
    });
    return {
      port,
      get connections() {
        return connections;
      },
      [Symbol.asyncDispose]: close,
    };
  }
  const guarded = (resolve: Resolve, ownAddresses: string[] = []) =>
    createSender({ clock: systemClock, egress: { allowPrivate: false, ownAddresses: () => ownAddresses, resolve } });
  const answering =
    (...addresses: string[]): Resolve =>
    (_, __, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );

  it.each([
    [['127.0.0.1']],
    [['8.8.8.8', '127.0.0.1']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [['169.254.169.254']],
    [['168.63.129.16']],
    [[]],
  ])('connects to none of %j', async (addresses) => {
    const sent = await guarded(answering(...addresses))(message('https://rebound.example/'));
    expect(sent.error).toBe(
      addresses.length === 0
        ? 'The host name has no address.'
        : 'The host name resolves to an address that is not public.',
    );
  });

  it.each([
    ['ENOTFOUND', 'The host name was not found.'],
    ['EAI_AGAIN', 'The host name could not be looked up.'],
  ])('says in words that a name does not resolve (%s)', async (code, words) => {
    const failing: Resolve = (_, __, callback) => callback(Object.assign(new Error(code), { code }), []);
    expect((await guarded(failing)(message('https://nowhere.example/'))).error).toBe(words);
  });

  it('takes the public addresses of this machine for its own', async () => {
    const sent = await guarded(answering('8.8.8.8'), ['8.8.8.8'])(message('https://self.example/'));
    expect(sent.error).toBe('The host name resolves to an address that is not public.');
  });

  it('asks once for each connection, so that a name cannot change its mind between look and leap', async () => {
    await using trap = await canary();
    const answers = [['127.0.0.1'], ['93.184.216.34']];
    let asked = 0;
    const flipping: Resolve = (hostname, options, callback) =>
      answering(...(answers[asked++] ?? ['127.0.0.1']))(hostname, options, callback);
    const sent = await guarded(flipping)(message('https://flip.example:8443/'));
    expect(sent.error).toBe('The host name resolves to an address that is not public.');
    expect([asked, trap.connections]).toEqual([1, 0]);
  });
});
