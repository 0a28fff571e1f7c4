/** Opening a stream at a server that answers as X might. */
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { CERTIFICATE, PRIVATE_KEY } from '../../../test/oauth/certificate.ts';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openReceiver, until } from '../../../test/stages/receiver.ts';
import { createPathOpener, createStreamOpener } from './open-stream.ts';

const { signal } = new AbortController();
const DATE = 'Sun, 15 Nov 2026 09:00:00 GMT';
const target = (baseUrl: string, clock = fakeClock()) => ({ baseUrl, token: () => 't', clock });

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

describe('a stream that opens', () => {
  it("has X's own time, or ours where X states none", async () => {
    await using server = await openReceiver((response, { path }) => {
      response.sendDate = false;
      if (path === '/dated') response.setHeader('date', DATE);
      response.end('{}\r\n');
    });
    const open = createPathOpener(target(server.url), { gzip: false });
    expect(await open('/dated', signal)).toMatchObject({ kind: 'open', date: new Date(DATE) });
    expect(await open('/plain', signal)).toMatchObject({ kind: 'open', date: new Date('2026-11-15T08:30:00.000Z') });
    expect(server.received[0]!.headers['accept-encoding']).toBe('identity');
  });

  it('is unpacked where it was asked for and came packed', async () => {
    await using server = await openReceiver((response, { headers }) => {
      const isAsked = headers['accept-encoding'] === 'gzip';
      response.writeHead(200, isAsked ? { 'content-encoding': 'GZIP' } : {});
      response.end(isAsked ? gzipSync('größer') : 'größer');
    });
    for (const gzip of [true, false]) {
      const opened = await createStreamOpener(target(server.url), { gzip })({ backfillMinutes: 2 }, signal);
      expect(opened.kind === 'open' && (await textOf(opened.body))).toBe('größer');
    }
    expect(server.received[0]!.path).toMatch(/^\/2\/tweets\/search\/stream\?.*backfill_minutes=2$/);
  });
});

describe('a stream that is refused', () => {
  it('says why, with what X said', async () => {
    const problem = { title: 'ConnectionException', connection_issue: 'TooManyConnections', detail: 'One is open.' };
    await using server = await openReceiver((response) => {
      response.writeHead(429, { 'x-rate-limit-remaining': '3' });
      response.end(JSON.stringify(problem));
    });
    expect(await createPathOpener(target(server.url), { gzip: false })('/', signal)).toMatchObject({
      kind: 'refused',
      reason: 'connections',
      status: 429,
      headers: { 'x-rate-limit-remaining': '3' },
      problem: { title: 'ConnectionException', detail: 'One is open.' },
    });
  });

  it('is waited for ten seconds, and then its status says enough', async () => {
    const clock = fakeClock();
    let isAsked = false;
    await using server = await openReceiver((response) => {
      response.writeHead(503);
      response.write('{');
      isAsked = true;
    });
    let isOver = false;
    const opening = createPathOpener(target(server.url, clock), { gzip: false })('/', signal).finally(() => {
      isOver = true;
    });
    // The headers' limit is over, and the limit of the refusal runs alone.
    await until(() => isAsked && clock.sleepers === 1);
    await clock.pass(9_999);
    expect(isOver).toBe(false);
    await clock.pass(1);
    expect(await opening).toMatchObject({ kind: 'refused', reason: 'server', status: 503 });
  });

  it('is read no further than 64 KiB, and leaves no timer behind', async () => {
    const clock = fakeClock();
    let isCut = false;
    await using server = await openReceiver((response, _, request) => {
      request.socket.on('close', () => {
        isCut = true;
      });
      response.writeHead(400);
      // It never ends.
      response.write('x'.repeat(200_000));
    });
    const opened = await createPathOpener(target(server.url, clock), { gzip: false })('/', signal);
    expect(opened).toMatchObject({ kind: 'refused', reason: 'request', status: 400 });
    await until(() => isCut);
    expect(clock.sleepers).toBe(0);
  });
});

describe('a stream that cannot be reached', () => {
  it('says whether the host was there', async () => {
    await using server = await openReceiver((response) => response.destroy());
    const open = (url: string) => createPathOpener(target(url), { gzip: false })('/', signal);
    expect(await open(server.url)).toEqual({
      kind: 'failed',
      reason: 'network',
      reached: true,
      message: 'The upstream closed the connection before it answered.',
    });
    const gone = createServer();
    await new Promise<void>((done) => gone.listen(0, '127.0.0.1', done));
    const { port } = gone.address() as AddressInfo;
    await new Promise((done) => gone.close(done));
    expect(await open(`http://127.0.0.1:${port}`)).toMatchObject({
      kind: 'failed',
      reason: 'network',
      reached: false,
      message: 'The upstream refused the connection.',
    });
  });

  it('is not trusted with a certificate that vouches for itself', async () => {
    const server = createTlsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (_, response) => response.end('{}'));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const opened = await createPathOpener(target(`https://127.0.0.1:${port}`), { gzip: false })('/', signal);
    await new Promise((done) => server.close(done));
    expect(opened).toMatchObject({ kind: 'failed', reason: 'certificate', reached: true });
  });
});
