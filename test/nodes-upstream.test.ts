/** Several nodes with the same upstream: one reads its stream, all of them make rules there, another takes over. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox } from '../sandbox/sandbox.ts';
import { type Started, startServer } from './black-box/server.ts';
import { startPostgresWithTables, type TestPostgres } from './stages/postgres.ts';
import { until } from './stages/receiver.ts';

let server: TestPostgres | undefined;
beforeAll(async () => {
  server = await startPostgresWithTables();
});
afterAll(() => server?.[Symbol.asyncDispose]());

async function create(node: Started, value: string): Promise<void> {
  const rule = { name: value, intent: '', platforms: ['x'], overrides: { x: value } };
  expect(await node.call('POST', '/api.CreateRule', rule)).toMatchObject({ status: 200 });
}

async function posts(node: Started): Promise<string[]> {
  const { body } = await node.call('POST', '/matches', {});
  const { matches } = body as { matches: { platform_post_id: string }[] };
  return matches.map(({ platform_post_id }) => platform_post_id).toSorted();
}

describe('nodes with one upstream', () => {
  it('read its stream on one node, match the rules of all, and take over when that node dies', async () => {
    await using sandbox = await startSandbox({ xToken: 'x-token' });
    const settings = {
      SLUICE_STORE_URL: await server!.newDatabase(),
      SLUICE_SEALING_KEY: randomBytes(32).toString('base64'),
      SLUICE_X_BEARER_TOKEN: 'x-token',
      SLUICE_X_BASE_URL: sandbox.url,
    };
    await using one = await startServer(settings);
    await create(one, 'storm');
    await until(async () => sandbox.connections('x') === 1);
    await using two = await startServer(settings);
    await create(two, 'hail');
    // An equal text is made on the other node: one registration serves both.
    await create(two, 'storm');
    const values = sandbox.rules('x').map(({ value }) => value);
    expect(values.toSorted()).toEqual(['hail', 'storm']);
    sandbox.post('x', { data: { id: '1', text: 'a storm' } });
    sandbox.post('x', { data: { id: '2', text: 'some hail' } });
    await until(async () => (await posts(two)).length === 3);
    expect(await posts(one)).toEqual(['1', '1', '2']);
    expect(sandbox.connections('x')).toBe(1);

    await one.end('SIGKILL');
    await until(async () => sandbox.connections('x') === 0);
    await until(async () => sandbox.connections('x') === 1);
    sandbox.post('x', { data: { id: '3', text: 'more hail' } });
    await until(async () => (await posts(two)).includes('3'));
    expect(await posts(two)).toEqual(['1', '1', '2', '3']);
    const { body } = await two.call('GET', '/api.Status');
    const { platforms } = body as { platforms: { x: { gaps: { cause: string; to: string | null }[] } } };
    expect(platforms.x.gaps).toMatchObject([{ cause: 'restart', to: expect.any(String) }]);
  });
});
