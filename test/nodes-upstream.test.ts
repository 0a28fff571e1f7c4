/** Several nodes with the same upstream: one reads its stream, all of them make rules there. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox } from '../sandbox/sandbox.ts';
import { loadConfig } from '../src/app/config.ts';
import { type Running, start } from '../src/app/start.ts';
import { openPostgres } from '../src/store/postgres.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';
import { until } from './receiver.ts';

const KEY = 'a-known-key-of-the-operator';
const quiet = { info() {}, warn() {}, error() {} };

let server: TestPostgres | undefined;
beforeAll(async () => {
  server = await startPostgres(async (url) => (await openPostgres(url))[Symbol.asyncDispose]());
});
afterAll(() => server?.[Symbol.asyncDispose]());

async function call<T>({ url }: Running, path: string, body: unknown): Promise<T> {
  const answer = await fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    method: 'POST',
    body: JSON.stringify(body),
  });
  const answered = (await answer.json()) as T;
  if (!answer.ok) throw new Error(JSON.stringify(answered));
  return answered;
}

const create = (node: Running, value: string): Promise<{ rule_id: string }> =>
  call(node, '/api.CreateRule', { name: value, intent: '', platforms: ['x'], overrides: { x: value } });

const posts = async (node: Running): Promise<string[]> =>
  (await call<{ matches: { platform_post_id: string }[] }>(node, '/matches', {})).matches
    .map(({ platform_post_id }) => platform_post_id)
    .toSorted();

describe('nodes with one upstream', () => {
  it('read its stream on one node, match the rules of all, and take over when that node stops', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-nodes-'));
    const sandbox = await startSandbox({ xToken: 'x-token' });
    const storeUrl = await server!.newDatabase();
    const startNode = async (name: string): Promise<Running> => {
      const config = loadConfig({
        SLUICE_PORT: '0',
        SLUICE_DATA_DIR: join(folder, name),
        SLUICE_STORE_URL: storeUrl,
        SLUICE_API_KEY: KEY,
        SLUICE_RATE_LIMIT: 'off',
        SLUICE_DEMO: 'off',
        SLUICE_X_BEARER_TOKEN: 'x-token',
        SLUICE_X_BASE_URL: sandbox.url,
      });
      const running = await start(config, { log: quiet });
      await running.loaded;
      return running;
    };
    const one = await startNode('one');
    const two = await startNode('two');
    try {
      await create(one, 'storm');
      await create(two, 'hail');
      // The same text again, made on the other node: one registration serves both.
      await create(two, 'storm');
      expect(
        sandbox
          .rules('x')
          .map(({ value }) => value)
          .toSorted(),
      ).toEqual(['hail', 'storm']);
      await until(async () => sandbox.connections('x') === 1);
      sandbox.post('x', { data: { id: '1', text: 'a storm' } });
      sandbox.post('x', { data: { id: '2', text: 'some hail' } });
      await until(async () => (await posts(two)).length === 3);
      expect(await posts(one)).toEqual(['1', '1', '2']);
      await one.stop();
      await until(async () => sandbox.connections('x') === 1);
      sandbox.post('x', { data: { id: '3', text: 'more hail' } });
      await until(async () => (await posts(two)).includes('3'));
      expect(await posts(two)).toEqual(['1', '1', '2', '3']);
    } finally {
      await two.stop();
      await one.stop().catch(() => {});
      await sandbox.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
