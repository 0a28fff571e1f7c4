/** The program as a process of its own, killed between the receipt of a delivery of X and its answer. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { type Started, startServer } from '../black-box/server.ts';
import { freePort } from '../stages/free-port.ts';
import { until } from '../stages/receiver.ts';

/** The delivery is in a transaction that is never committed, or is durable and not acknowledged. */
const POINTS = { received: 0, kept: 1 };

interface Match {
  readonly platform_post_id: string;
}

async function listed(server: Started): Promise<string[]> {
  const { body } = await server.call('POST', '/matches', { limit: 1_000 });
  return (body['matches'] as Match[]).map(({ platform_post_id }) => platform_post_id).toSorted();
}

async function isLive(server: Started): Promise<boolean> {
  const { body } = await server.call('GET', '/api.Status');
  return (body['platforms'] as { x: { state: string } }).x.state === 'live';
}

/** Whether the delivery is durable, with nobody there who could add to it. */
function keptIn(folder: string, point: string): number {
  const db = new DatabaseSync(join(folder, 'sluice.db'));
  try {
    const found = db.prepare('SELECT count(*) AS count FROM inbox WHERE CAST(body AS TEXT) LIKE ?');
    return found.get(`%killed when ${point}%`)!['count'] as number;
  } finally {
    db.close();
  }
}

it('B1 a delivery of X is there once, whether it was stored or not when the program was killed', async () => {
  await using sandbox = await startSandbox({ xLevel: 'enterprise', xToken: 'x-token', xConsumerSecret: 'secret' });
  await using servers = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-webhook-kill-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const port = await freePort();
  const start = async (point: string) =>
    servers.use(
      await startServer(
        {
          SLUICE_PORT: String(port),
          SLUICE_PUBLIC_URL: `http://127.0.0.1:${port}`,
          SLUICE_X_BEARER_TOKEN: 'x-token',
          SLUICE_X_BASE_URL: sandbox.url,
          SLUICE_X_LEVEL: 'enterprise',
          SLUICE_X_DELIVERY: 'webhook',
          SLUICE_X_CONSUMER_SECRET: 'secret',
          NODE_OPTIONS: `--import ${new URL('./kill-point.ts', import.meta.url).pathname}`,
          KILL_POINT: point,
        },
        folder,
      ),
    );
  const posts: string[] = [];
  for (const [index, [point, kept]] of Object.entries(POINTS).entries()) {
    const server = await start(point);
    const rule = { name: 'storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    if (index === 0) await server.call('POST', '/api.CreateRule', rule);
    await until(() => isLive(server));
    await until(async () => (await listed(server)).length >= posts.length);
    const died = new Promise((resolve) => void server.process.once('exit', (_, signal) => resolve(signal)));
    const id = String(1_900_000_000_000_000_001n + BigInt(index));
    sandbox.post('x', { data: { id, text: `a storm, killed when ${point}` } });
    expect(await died, point).toBe('SIGKILL');
    expect(keptIn(folder, point), point).toBe(kept);
    posts.push(id);
  }
  const last = await start('nothing');
  await until(async () => (await listed(last)).length >= posts.length && sandbox.deliveries === 0);
  expect(await listed(last)).toEqual(posts);
  expect(sandbox.connections('x')).toBe(0);
});
