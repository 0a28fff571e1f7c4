import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../test/stages/fake-clock.ts';
import { systemClock } from '../base/clock.ts';
import { callUpstream, cleaned, openUpstream, readRest, retryAfterOf } from './upstream-call.ts';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const upstreamAt = (baseUrl: string, clock = systemClock) => ({ baseUrl, token: () => 'fh_secret', clock });

const GET = { method: 'GET', path: '/' } as const;
const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  );

describe('a call to an upstream', () => {
  it('says what it accepts and what it sends, and a connector may ask for something else', async () => {
    const seen: IncomingMessage['headers'][] = [];
    const url = await serve((request, response) => {
      seen.push(request.headers);
      response.end();
    });
    await callUpstream(upstreamAt(url), { ...GET, method: 'POST', body: { größe: 1 } });
    const headers = { accept: 'text/event-stream', authorization: 'Bearer another' };
    await callUpstream(upstreamAt(url), { ...GET, headers });
    expect(seen[0]).toMatchObject({
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'sluice',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength('{"größe":1}')),
    });
    expect(seen[1]).toMatchObject({ accept: 'text/event-stream', authorization: 'Bearer fh_secret' });
    expect(seen[1]).not.toHaveProperty('content-type');
    expect(seen[1]).not.toHaveProperty('content-length');
  });

  it('has no body where the answer is empty, and the status and headers all the same', async () => {
    const url = await serve((_, response) => response.writeHead(204, { 'retry-after': '7' }).end());
    const answer = await callUpstream(upstreamAt(url), GET);
    expect(answer).toMatchObject({ status: 204, text: '', headers: { 'retry-after': '7' } });
    expect(answer.body).toBeUndefined();
  });

  it('sends the token and a body, and reads the answer whatever its status', async () => {
    const url = await serve((request, response) => {
      const body: Buffer[] = [];
      request.on('data', (part: Buffer) => body.push(part));
      request.on('end', () => {
        response.writeHead(422, { 'content-type': 'application/json' });
        const { authorization, connection } = request.headers;
        response.end(
          JSON.stringify({ path: request.url, authorization, connection, sent: String(Buffer.concat(body)) }),
        );
      });
    });
    const answer = await callUpstream(upstreamAt(`${url}/base/`), {
      method: 'POST',
      path: '/v1/rules',
      body: { a: 1 },
    });
    expect(answer).toMatchObject({
      status: 422,
      body: { path: '/base/v1/rules', authorization: 'Bearer fh_secret', connection: 'close', sent: '{"a":1}' },
    });
  });

  it('does not follow a redirect', async () => {
    let calls = 0;
    const url = await serve((_, response) => {
      calls++;
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect(await callUpstream(upstreamAt(url), { method: 'GET', path: '/' })).toMatchObject({ status: 302 });
    expect(calls).toBe(1);
  });

  it('gives up at once on interim answers without end', async () => {
    const url = await serve((_, response) => {
      for (let count = 0; count < 100; count++) response.writeContinue();
    });
    expect(await failureOf(callUpstream(upstreamAt(url, fakeClock()), GET))).toMatchObject({
      fault: 'unreachable',
      message: 'The upstream sent interim answers and no final one.',
    });
  });

  it('does not let a path name another host', async () => {
    for (const [base, path] of [
      ['http://127.0.0.1:1', '@example.com/'],
      ['http://127.0.0.1:1/v1', 'rules'],
    ] as const) {
      expect(await failureOf(callUpstream(upstreamAt(base), { ...GET, path }))).toMatchObject({
        fault: 'unreachable',
        message: 'The call to the upstream failed (no code).',
        cause: { message: 'The path leads away from the upstream.' },
      });
    }
  });

  it('gives up in time when no answer comes, and when one never ends', async () => {
    const clock = fakeClock();
    const asked: (() => void)[] = [];
    const url = await serve((request, response) => {
      if (request.url === '/half') response.write('{');
      asked.shift()!();
    });
    for (const [path, seconds] of [
      ['/none', 15],
      ['/half', 30],
    ] as const) {
      const reached = new Promise<void>((resolve) => asked.push(resolve));
      let isOver = false;
      const outcome = failureOf(callUpstream(upstreamAt(url, clock), { method: 'GET', path })).finally(() => {
        isOver = true;
      });
      await reached;
      await clock.pass(seconds * 1_000 - 1);
      expect(isOver).toBe(false);
      await clock.pass(1);
      expect(await outcome).toMatchObject({
        fault: 'timeout',
        message: `The upstream did not answer within ${seconds} seconds.`,
      });
    }
    expect(clock.sleepers).toBe(0);
  });

  it('leaves no timer behind', async () => {
    const clock = fakeClock();
    const url = await serve((_, response) => response.end('{}'));
    await callUpstream(upstreamAt(url, clock), { method: 'GET', path: '/' });
    const answer = await openUpstream(upstreamAt(url, clock), { method: 'GET', path: '/' });
    answer.resume();
    expect(clock.sleepers).toBe(0);
  });

  it('that is opened as a stream has no end once its headers are there', async () => {
    const clock = fakeClock();
    const answers: ServerResponse[] = [];
    const url = await serve((_, response) => {
      response.writeHead(200).flushHeaders();
      answers.push(response);
    });
    const answer = await openUpstream(upstreamAt(url, clock), GET);
    await clock.pass(3_600_000);
    answers[0]!.end('still here');
    expect(await readRest(upstreamAt(url, clock), answer)).toMatchObject({ status: 200, text: 'still here' });
  });

  it('ends when its caller stops, before and after the headers', async () => {
    const stop = new AbortController();
    const url = await serve((request, response) => {
      if (request.url === '/half') response.write('{');
      else stop.abort();
    });
    expect(await failureOf(callUpstream(upstreamAt(url), { ...GET, signal: stop.signal }))).toMatchObject({
      fault: 'unreachable',
      message: 'The call to the upstream was cancelled.',
    });
    const later = new AbortController();
    const answer = await openUpstream(upstreamAt(url), { method: 'GET', path: '/half', signal: later.signal });
    later.abort();
    expect(await failureOf(readRest(upstreamAt(url), answer))).toMatchObject({ fault: 'unreachable' });
  });

  it('says that nobody is there, and that an answer broke off', async () => {
    const request = { method: 'GET', path: '/' } as const;
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{', () => response.destroy());
    });
    await expect(callUpstream(upstreamAt(url), request)).rejects.toMatchObject({
      fault: 'unreachable',
      message: 'The upstream closed the connection before it answered.',
    });
    const gone = servers.pop()!;
    await new Promise((resolve) => gone.close(resolve));
    await expect(callUpstream(upstreamAt(url), request)).rejects.toMatchObject({
      fault: 'unreachable',
      message: 'The upstream refused the connection.',
    });
  });

  it.each(['<html>', '['.repeat(100_000), '{"__proto__":1}'])(
    'has no body for what is no honest JSON',
    async (text) => {
      const url = await serve((_, response) => response.end(text));
      const answer = await callUpstream(upstreamAt(url), { method: 'GET', path: '/' });
      expect(answer.body).toBeUndefined();
    },
  );
});

describe('the rest of an answer', () => {
  const MEBIBYTE = Buffer.alloc(1024 * 1024, 'x');
  const answerOf = (body: Readable): IncomingMessage =>
    Object.assign(body, { statusCode: 503, headers: {} }) as unknown as IncomingMessage;
  const target = () => upstreamAt('http://127.0.0.1:1', fakeClock());

  it('may have 32 MiB and no byte more', async () => {
    // One long string of JSON, which is quick to look through.
    const first = Buffer.concat([Buffer.from('"'), MEBIBYTE.subarray(1)]);
    const most = [first, ...Array.from({ length: 31 }, () => MEBIBYTE)];
    const { text, status } = await readRest(target(), answerOf(Readable.from(most)));
    expect([text.length, status]).toEqual([32 * MEBIBYTE.length, 503]);
    const more = answerOf(Readable.from([...most, Buffer.from('x')]));
    expect(await failureOf(readRest(target(), more))).toMatchObject({
      fault: 'unreachable',
      message: 'The upstream sent an answer of more than 32 MiB.',
    });
  });

  it('is waited for as long as for headers, and then the connection is closed', async () => {
    const clock = fakeClock();
    const body = new PassThrough();
    const outcome = failureOf(readRest(upstreamAt('http://127.0.0.1:1', clock), answerOf(body)));
    body.write('{');
    await clock.pass(14_999);
    expect(body.destroyed).toBe(false);
    await clock.pass(1);
    expect(await outcome).toMatchObject({ fault: 'timeout' });
    expect([body.destroyed, clock.sleepers]).toEqual([true, 0]);
  });

  it('leaves no timer behind', async () => {
    const upstream = { ...target(), clock: fakeClock() };
    await readRest(upstream, answerOf(Readable.from([Buffer.from('{}')])));
    expect(upstream.clock.sleepers).toBe(0);
  });
});

it("reads how long to wait, by the upstream's own clock", () => {
  const now = new Date('2026-11-15T08:00:00Z');
  const date = 'Sun, 15 Nov 2026 09:00:00 GMT';
  expect(retryAfterOf({ headers: { 'retry-after': '7' } }, now)).toBe(7);
  expect(retryAfterOf({ headers: { 'retry-after': 'Sun, 15 Nov 2026 09:00:30 GMT', date } }, now)).toBe(30);
  expect(retryAfterOf({ headers: { 'retry-after': '0' } }, now)).toBe(0);
  expect(retryAfterOf({ headers: { 'retry-after': 'Sun, 15 Nov 2026 08:00:05 GMT' } }, now)).toBe(5);
  expect(retryAfterOf({ headers: { 'retry-after': 'Sun, 15 Nov 2026 08:59:59 GMT', date } }, now)).toBeUndefined();
  expect(retryAfterOf({ headers: { 'retry-after': 'soon' } }, now)).toBeUndefined();
  expect(retryAfterOf({ headers: {} }, now)).toBeUndefined();
});

it("cleans an upstream's words", () => {
  expect(cleaned('  a\u0000\nb \u202Ec fh_secret ', 'fh_secret')).toBe('a b c [secret]');
  expect(cleaned('<h1>Bad <b class="x">gateway</b></h1>', 'fh_secret')).toBe('Bad gateway');
  expect(cleaned('a b', '')).toBe('a b');
  expect(cleaned('x'.repeat(300), '')).toBe('x'.repeat(300));
  expect(cleaned('x'.repeat(301), '')).toBe(`${'x'.repeat(299)}…`);
  expect(cleaned(`${' '.repeat(9_999)}ab`, '')).toBe('a');
});
