/** A server that is told to stop says so first, and closes its door when those who choose by `/readyz` have seen it. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../src/app/config.ts';
import { start } from '../src/app/start.ts';
import { systemClock } from '../src/base/clock.ts';

const KEY = 'lame-duck-test-key-0001';
const GRACE = 417;

type Sent = Omit<RequestInit, 'headers'> & { readonly headers?: Record<string, string> };

/** A server whose grace ends when the test says so. */
async function stage() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-duck-'));
  const config = loadConfig({
    SLUICE_PORT: '0',
    SLUICE_DATA_DIR: folder,
    SLUICE_STORE_URL: 'sqlite::memory:',
    SLUICE_API_KEY: KEY,
    SLUICE_DEMO: 'off',
    SLUICE_STOP_GRACE: `${GRACE}`,
  });
  const grace = Promise.withResolvers<void>();
  const clock = {
    ...systemClock,
    sleep: (ms: number, signal?: AbortSignal) => (ms === GRACE * 1_000 ? grace.promise : systemClock.sleep(ms, signal)),
  };
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const server = await start(config, { log, clock });
  await server.loaded;
  const call = (path: string, init: Sent = {}) =>
    fetch(`${server.url}${path}`, { ...init, headers: { authorization: `Bearer ${KEY}`, ...init.headers } });
  const push = (id: string) =>
    call('/events?platform=x', {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: `{"data":{"id":"${id}","text":"lava"}}`,
    });
  return { server, grace, call, push, remove: () => rmSync(folder, { recursive: true }) };
}

describe('a server that is told to stop', () => {
  it('is not ready at once, answers as before until the grace has passed, and then ends streams and closes', async () => {
    const { server, grace, call, push, remove } = await stage();
    expect((await call('/readyz')).status).toBe(200);
    const [stream] = (await once(
      get(`${server.url}/matches/stream`, { headers: { authorization: `Bearer ${KEY}` } }),
      'response',
    )) as [import('node:http').IncomingMessage];
    let heard = '';
    stream.on('data', (chunk: Buffer) => {
      heard += chunk.toString();
    });
    const stopped = server.stop();

    const ready = await call('/readyz');
    expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await ready.json()).toEqual({
      code: 'unavailable',
      message: 'Not ready: the server is stopping.',
      details: { reasons: ['stopping'] },
    });
    expect((await call('/healthz')).status).toBe(200);
    // A new connection each time: the last answer on one says that it is the last.
    for (const id of ['1', '2', '3']) {
      const pushed = await push(id);
      expect([pushed.status, pushed.headers.get('connection')]).toEqual([200, 'close']);
    }
    expect(heard).not.toContain('event: end');

    grace.resolve();
    await once(stream, 'end');
    expect(heard).toContain('event: end\ndata: {"reason":"stopping"');
    await stopped;
    const { hostname, port } = new URL(server.url);
    const [error] = (await once(connect(Number(port), hostname), 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
    remove();
  });

  it('ends a request that is under way when the door closes', async () => {
    const { server, grace, call, push, remove } = await stage();
    const rule = { name: 'r', intent: 'i', platforms: ['x'], overrides: { x: 'lava' } };
    expect((await call('/api.CreateRule', json(rule))).status).toBe(200);
    const waiting = call('/mcp', json(waitForMatches));
    // It waits when what was pushed before is not enough for it.
    await push('1');
    const stopped = server.stop();
    grace.resolve();
    const waited = await waiting;
    expect([waited.status, await waited.text()]).toEqual([200, expect.stringContaining('cursor')]);
    await stopped;
    remove();
  });
});

const json = (body: unknown): Sent => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify(body),
});

const waitForMatches = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'wait_for_matches', arguments: { platform: 'firehose', wait_seconds: 45 } },
};
