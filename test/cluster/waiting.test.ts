/** A process whose PostgreSQL or NATS is away when it starts. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROGRAM } from '../black-box/program.ts';
import { callServer, environment, failureIn } from '../black-box/server.ts';
import { freePort } from '../stages/free-port.ts';
import { startPostgresWithTables, type TestPostgres } from '../stages/postgres.ts';
import { openWire, type Wire } from '../stages/wire.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-waiting-'));
let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgresWithTables();
});
afterAll(async () => {
  await postgres[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** The process, its address, and what it has logged. */
async function starting(settings: Record<string, string>) {
  const port = await freePort();
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    env: environment({
      SLUICE_PORT: String(port),
      SLUICE_DATA_DIR: mkdtempSync(join(folder, 'data-')),
      SLUICE_SEALING_KEY: randomBytes(32).toString('base64'),
      ...settings,
    }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let logged = '';
  child.stderr.on('data', (chunk: Buffer) => {
    logged += chunk.toString();
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    probe: (path: string) => callServer(url, 'GET', path).catch(() => undefined),
    logged: () => logged,
    ended,
    /** As a service manager ends it; answers the exit status. */
    async stop() {
      child.kill('SIGTERM');
      return await ended;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const through = (url: string, { port }: Wire): string => {
  const address = new URL(url);
  address.port = String(port);
  return String(address);
};

describe('a process that starts while PostgreSQL is away', () => {
  it('says that it lives and what it waits for, and goes on when it is there', async () => {
    const real = await postgres.newDatabase();
    await using wire = await openWire(postgres.port);
    wire.refuse();
    await using node = await starting({ SLUICE_STORE_URL: through(real, wire) });
    await expect.poll(async () => (await node.probe('/healthz'))?.status).toBe(200);
    const ready = await node.probe('/readyz');
    expect(ready).toMatchObject({ status: 503, body: { code: 'unavailable', details: { reasons: ['store_away'] } } });
    expect(ready?.headers.get('retry-after')).toBe('1');
    await expect.poll(node.logged).toContain('the store cannot be reached; the start waits for it');
    wire.mend();
    await expect.poll(async () => (await node.probe('/readyz'))?.status, { timeout: 60_000 }).toBe(200);
    expect(failureIn((await node.probe('/nowhere'))!)).toBe('404 not_found');
  }, 120_000);

  it('ends in order when it is told to, before it has started', async () => {
    const real = await postgres.newDatabase();
    await using wire = await openWire(postgres.port);
    wire.refuse();
    await using node = await starting({ SLUICE_STORE_URL: through(real, wire) });
    await expect.poll(async () => (await node.probe('/readyz'))?.status).toBe(503);
    expect(await node.stop()).toBe(0);
  }, 60_000);

  it('ends in order when PostgreSQL is silent, too', async () => {
    const real = await postgres.newDatabase();
    await using wire = await openWire(postgres.port);
    wire.silence();
    await using node = await starting({ SLUICE_STORE_URL: through(real, wire) });
    await expect.poll(() => wire.connections).toBeGreaterThan(0);
    expect(await node.stop()).toBe(0);
  }, 60_000);

  it('does not wait for a database that PostgreSQL does not know', async () => {
    const real = new URL(await postgres.newDatabase());
    real.pathname = '/unknown';
    await using node = await starting({ SLUICE_STORE_URL: String(real) });
    expect(await node.ended).toBe(2);
  }, 60_000);
});

describe('a process that starts while NATS is away', () => {
  it('says that it lives and what it waits for, and ends in order when it is told to', async () => {
    await using node = await starting({
      SLUICE_STORE_URL: await postgres.newDatabase(),
      SLUICE_NATS_URL: `nats://127.0.0.1:${await freePort()}`,
    });
    await expect
      .poll(async () => (await node.probe('/readyz'))?.body, { timeout: 60_000 })
      .toMatchObject({
        details: { reasons: ['broker_away'] },
      });
    expect((await node.probe('/healthz'))?.status).toBe(200);
    await expect.poll(node.logged).toContain('the broker cannot be reached; the start waits for it');
    expect(await node.stop()).toBe(0);
  }, 120_000);
});
