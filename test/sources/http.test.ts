/** Fetching from a server that means no good. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { createSourceHttp } from '../../src/sources/fetch/fetch-url.ts';
import { fakeClock } from '../stages/fake-clock.ts';
import { type Answerer, openServer } from './server.ts';

const options = { clock: systemClock, userAgent: 'sluice-tests', timeoutMs: 20_000 };
const open = createSourceHttp({ ...options, isPublic: () => false });
const hasty = createSourceHttp({ ...options, isPublic: () => false, timeoutMs: 300 });
const BOMB = gzipSync(Buffer.alloc(50_000_000));
const signal = new AbortController().signal;

describe('http of sources', () => {
  it.each<[string, Answerer, string]>([
    [
      'a redirect for ever',
      ({ url }, response) => void response.writeHead(302, { location: `${url}x` }).end(),
      'redirects more than 5 times',
    ],
    [
      'a redirect to a file',
      (_, response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
      'not http or https',
    ],
    ['too much', (_, response) => void response.writeHead(200).end(Buffer.alloc(20_000)), 'sent more than 10000 bytes'],
    [
      'a small answer that unpacks to a large one',
      (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB),
      'sent more than 10000 bytes',
    ],
    ['nothing', () => {}, 'did not answer within 0.3 seconds'],
    [
      'half an answer',
      (_, response) => void response.writeHead(200).write('half'),
      'did not answer within 0.3 seconds',
    ],
    [
      'a packed answer that breaks off',
      (_, response) =>
        void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('a'.repeat(9_000)).subarray(0, 20)),
      'failed (Z_BUF_ERROR)',
    ],
  ])('gives up on %s', async (_, answer, message) => {
    await using server = await openServer(answer);
    const client = message.includes('did not answer') ? hasty : open;
    const got = client.get({ url: `${server.url}/x`, signal, maxBytes: 10_000 });
    await expect(got).rejects.toThrow(message);
    await expect(got).rejects.toMatchObject({ name: 'SourceError' });
  });

  it('follows redirects, and tells another host no secrets', async () => {
    await using there = await openServer((_, response) => void response.writeHead(200).end('here'));
    await using server = await openServer(
      (_, response) => void response.writeHead(302, { location: `${there.url}/there` }).end(),
    );
    const answer = await open.get({ url: server.url, headers: { authorization: 'Bearer secret' }, signal });
    expect([answer.status, answer.url, answer.body.toString()]).toEqual([200, `${there.url}/there`, 'here']);
    expect(there.requests[0]?.headers.authorization).toBeUndefined();
    expect(server.requests[0]?.headers.authorization).toBe('Bearer secret');
  });

  it('lets no public host lead it into a private network', async () => {
    await using inside = await openServer((_, response) => void response.writeHead(200).end('secret'), '127.0.0.2');
    await using server = await openServer(
      (_, response) => void response.writeHead(302, { location: inside.url }).end(),
    );
    const guarded = createSourceHttp({ ...options, isPublic: (address) => address === '127.0.0.1' });
    await expect(guarded.get({ url: server.url, signal })).rejects.toThrow(
      'Redirects from public to private addresses are not followed',
    );
    expect(inside.requests).toHaveLength(0);
  });

  it('sends nothing, and follows no redirect, once it may not', async () => {
    await using server = await openServer(({ url }, response) => {
      if (url === '/moved') response.writeHead(302, { location: '/there' }).end();
      else response.writeHead(200).end('there');
    });
    let left = 1;
    const beforeSend = () => {
      if (left-- <= 0) throw new Error('Another node visits these sources.');
    };
    await expect(open.get({ url: `${server.url}/moved`, signal, beforeSend })).rejects.toThrow('failed (no code)');
    expect(server.requests.map(({ url }) => url)).toEqual(['/moved']);
    left = 2;
    const seen: string[] = [];
    const onRedirect = async (url: string) => void seen.push(url);
    const answer = await open.get({ url: `${server.url}/moved`, signal, beforeSend, onRedirect });
    expect([answer.body.toString(), seen]).toEqual(['there', [`${server.url}/there`]]);
  });

  it('says when to come again', async () => {
    await using server = await openServer((_, response) => void response.writeHead(429, { 'retry-after': '17' }).end());
    expect(await open.get({ url: server.url, signal })).toMatchObject({ status: 429, retryAfter: 17 });
    await expect(open.stream({ url: server.url, signal, type: 'text/event-stream' })).rejects.toMatchObject({
      retryAfter: 17,
    });
  });

  it.each([
    ['+275760-09-13', 86_400],
    ['999999999', 86_400],
    ['9999999999', 86_400],
    ['+275760-09-14', undefined],
    ['soon', undefined],
  ])('stays away for a day at most: %s', async (after, seconds) => {
    await using server = await openServer(
      (_, response) => void response.writeHead(503, { 'retry-after': after }).end(),
    );
    expect((await open.get({ url: server.url, signal })).retryAfter).toBe(seconds);
  });

  it('is told at once when a server speaks another protocol instead of answering', async () => {
    await using server = await openServer(
      (_, response) => void response.writeHead(101, { connection: 'upgrade', upgrade: 'gopher' }).end(),
    );
    const waiting = createSourceHttp({ ...options, isPublic: () => false, clock: fakeClock() });
    for (const asked of [
      waiting.get({ url: server.url, signal }),
      waiting.stream({ url: server.url, signal, type: 'text/event-stream' }),
    ])
      await expect(asked).rejects.toThrow('answered 101');
  });

  it('gives up at once on interim answers without end', async () => {
    await using server = await openServer((_, response) => {
      for (let count = 0; count < 100; count++) response.writeContinue();
    });
    const waiting = createSourceHttp({ ...options, isPublic: () => false, clock: fakeClock() });
    for (const asked of [
      waiting.get({ url: server.url, signal }),
      waiting.stream({ url: server.url, signal, type: 'text/event-stream' }),
    ])
      await expect(asked).rejects.toThrow('sent interim answers and no final one');
  });
});
