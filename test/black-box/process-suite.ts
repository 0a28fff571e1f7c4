/** The server as a process, as far as its store and its broker have a part in it: the first start, stopping, being killed, and starting again. */
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../stages/receiver.ts';
import { callServer, KEY, type StartServer } from './server.ts';

const rule = { name: 'n', intent: '', platforms: ['x'], overrides: { x: 'lava' } };

export function processSuite(start: StartServer): void {
  describe('the first start', () => {
    it('prints one key, once, and it works', async () => {
      await using server = await start({ SLUICE_API_KEY: '' });
      const key = server.greeting.join('\n').match(/\bsk_[A-Za-z0-9]{38}\b/)?.[0];
      expect((await callServer(server.url, 'GET', '/api.ListRules', undefined, { key })).status).toBe(200);
      await server.end('SIGTERM');
      await using again = await start({ SLUICE_API_KEY: '' }, server.dataDir);
      expect(again.greeting).toEqual([]);
      expect((await callServer(again.url, 'GET', '/api.ListRules', undefined, { key })).status).toBe(200);
      for (const file of readdirSync(server.dataDir))
        expect(readFileSync(join(server.dataDir, file)).includes(key!)).toBe(false);
    });
  });

  describe('starting', () => {
    it('matches old rules after a restart', async () => {
      await using server = await start();
      await server.call('POST', '/api.CreateRule', rule);
      await server.end('SIGTERM');
      await using again = await start({}, server.dataDir);
      expect((await again.push('x', [{ data: { id: '1', text: 'lava' } }])).body).toMatchObject({
        accepted: 1,
        matches: 1,
      });
    });
  });

  describe('stopping', () => {
    it('finishes the request under way, then ends with status 0', async () => {
      await using server = await start();
      await server.call('POST', '/api.CreateRule', rule);
      const { answer, finish } = await halfSent(server.url);
      const ended = server.end('SIGTERM');
      // It no longer takes connections, but the request that had begun is answered.
      await refused(server.url);
      finish();
      expect(await answer).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*"matches":1/);
      expect(await ended).toEqual({ code: 0, signal: null });
    });
  });

  describe('being killed', () => {
    it('leaves a server that is ready at its next start, and has all that was acknowledged', async () => {
      await using server = await start();
      await server.call('POST', '/api.CreateRule', rule);
      await server.push('x', [{ data: { id: '1', text: 'lava' } }]);
      expect(await server.end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
      await using again = await start({}, server.dataDir);
      await until(async () => (await again.call('GET', '/readyz')).status === 200);
      expect((await again.push('x', [{ data: { id: '2', text: 'lava' } }])).body).toMatchObject({ matches: 1 });
      const { body } = await again.call('POST', '/matches', {});
      expect((body['matches'] as { platform_post_id: string }[]).map((match) => match.platform_post_id)).toEqual([
        '2',
        '1',
      ]);
    });
  });
}

/** A push whose last byte has not been sent yet. */
export async function halfSent(url: string): Promise<{ answer: Promise<string>; finish: () => void }> {
  const { hostname, port } = new URL(url);
  const body = '{"data":{"id":"77","text":"lava"}}';
  const head = `POST /events?platform=x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/x-ndjson\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`;
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  let received = '';
  const continued = new Promise<void>((done) => {
    socket.on('data', (chunk) => {
      received += chunk.toString();
      if (received.startsWith('HTTP/1.1 100')) done();
    });
  });
  const answer = new Promise<string>((done) => {
    socket.once('close', () => done(received.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')));
  });
  socket.write(head);
  // The server has read the head: the request is under way.
  await continued;
  socket.write(body.slice(0, -1));
  return { answer, finish: () => socket.write(body.slice(-1)) };
}

export async function refused(url: string): Promise<void> {
  await until(() =>
    fetch(`${url}/healthz`, { headers: { connection: 'close' } }).then(
      () => false,
      () => true,
    ),
  );
}
