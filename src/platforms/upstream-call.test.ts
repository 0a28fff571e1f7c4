import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../test/stages/fake-clock.ts';
import { systemClock } from '../base/clock.ts';
import { callUpstream, cleaned, openUpstream, retryAfterOf } from './upstream-call.ts';

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

describe('a call to an upstream', () => {
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

  it('does not let a path name another host', async () => {
    const request = { method: 'GET', path: '@example.com/' } as const;
    await expect(callUpstream(upstreamAt('http://127.0.0.1:1'), request)).rejects.toMatchObject({
      fault: 'unreachable',
    });
  });

  it('gives up in time when no answer comes, and when one never ends', async () => {
    const clock = fakeClock();
    const asked: (() => void)[] = [];
    const url = await serve((request, response) => {
      if (request.url === '/half') response.write('{');
      asked.shift()!();
    });
    for (const path of ['/none', '/half']) {
      const reached = new Promise<void>((resolve) => asked.push(resolve));
      const outcome = callUpstream(upstreamAt(url, clock), { method: 'GET', path }).catch((error: unknown) => error);
      await reached;
      await clock.pass(31_000);
      expect(await outcome).toMatchObject({ fault: 'timeout' });
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

  it('says that nobody is there, and that an answer broke off', async () => {
    const request = { method: 'GET', path: '/' } as const;
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{', () => response.destroy());
    });
    await expect(callUpstream(upstreamAt(url), request)).rejects.toMatchObject({ fault: 'unreachable' });
    const gone = servers.pop()!;
    await new Promise((resolve) => gone.close(resolve));
    await expect(callUpstream(upstreamAt(url), request)).rejects.toMatchObject({ fault: 'unreachable' });
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

it("reads how long to wait, by the upstream's own clock", () => {
  const now = new Date('2026-11-15T08:00:00Z');
  const date = 'Sun, 15 Nov 2026 09:00:00 GMT';
  expect(retryAfterOf({ headers: { 'retry-after': '7' } }, now)).toBe(7);
  expect(retryAfterOf({ headers: { 'retry-after': 'Sun, 15 Nov 2026 09:00:30 GMT', date } }, now)).toBe(30);
  expect(retryAfterOf({ headers: { 'retry-after': 'soon' } }, now)).toBeUndefined();
  expect(retryAfterOf({ headers: {} }, now)).toBeUndefined();
});

it("cleans an upstream's words", () => {
  expect(cleaned('  a\u0000\nb \u202Ec fh_secret ', 'fh_secret')).toBe('a b c [secret]');
  expect(cleaned('x'.repeat(1_000), '')).toHaveLength(300);
});
