import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { loadConfig } from './config.ts';
import { platformsOf } from './upstreams.ts';

const around = { log: { info() {}, warn() {}, error() {} }, clock: systemClock, count() {} };

describe('platforms', () => {
  it('are our own without tokens', () => {
    const { x, firehose } = platformsOf(loadConfig({}), around);
    expect([x.shape, firehose.shape]).toEqual(['local', 'local']);
  });

  it('send a token from a file, and the new one when the file has changed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-token-'));
    const file = join(folder, 'token');
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization ?? '');
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[],"meta":{"sent":"now"}}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      writeFileSync(file, 'first\n');
      const env = { SLUICE_X_BEARER_TOKEN_FILE: file, SLUICE_X_BASE_URL: url, SLUICE_DATA_DIR: folder };
      const { x } = platformsOf(loadConfig(env), around);
      await x.held();
      writeFileSync(file, 'second\n');
      utimesSync(file, new Date(), new Date(Date.now() + 5_000));
      await x.held();
      rmSync(file);
      await x.held();
      expect(seen).toEqual(['Bearer first', 'Bearer second', 'Bearer second']);
    } finally {
      server.close();
      rmSync(folder, { recursive: true });
    }
  });

  it('are not made without the token that was promised', () => {
    const env = { SLUICE_X_BEARER_TOKEN_FILE: '/nowhere/token' };
    expect(() => platformsOf(loadConfig(env), around)).toThrow('/nowhere/token');
  });
});
