/** Nodes that do not fit to the others of their database, as processes. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../black-box/cli.ts';
import { startServer } from '../black-box/server.ts';
import { startPostgres, type TestPostgres } from '../stages/postgres.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres[Symbol.asyncDispose]());

const key = () => randomBytes(32).toString('base64');
const shared = async () => ({
  SLUICE_STORE_URL: await postgres.newDatabase(),
  SLUICE_SEALING_KEY: key(),
  SLUICE_PORT: '0',
  SLUICE_RATE_LIMIT: 'off',
});

describe('a node', () => {
  it('with another key or price refuses to start in one sentence, until the value is adopted', async () => {
    const settings = await shared();
    await using first = await startServer(settings);
    const otherKey = await run(['serve', '--json'], { ...settings, SLUICE_SEALING_KEY: key() });
    expect(otherKey.code).toBe(2);
    expect(otherKey.stderr).toContain('SLUICE_SEALING_KEY is not the key of this database');
    const dearer = { ...settings, SLUICE_X_PRICE: '0.01' };
    const otherPrice = await run(['serve'], dearer);
    expect([otherPrice.code, otherPrice.stderr]).toEqual([
      2,
      expect.stringContaining('SLUICE_X_PRICE is 0.01 here and 0.005 on the other nodes'),
    ]);
    const adopted = await run(['adopt'], dearer);
    expect([adopted.code, adopted.stdout]).toEqual([0, expect.stringContaining('SLUICE_X_PRICE: 0.005 is now 0.01')]);
    await using second = await startServer(dearer);
    for (const { call } of [first, second]) expect((await call('GET', '/healthz')).status).toBe(200);
  });
});

describe('a database without tables', () => {
  it('takes a key of the operator, which works when the server starts', async () => {
    const settings = await shared();
    const made = await run(['keys', 'create', '--json'], settings);
    expect([made.code, made.stderr]).toEqual([0, '']);
    const { key: secret } = JSON.parse(made.stdout) as { key: string };
    await using server = await startServer(settings);
    const answer = await fetch(`${server.url}/api.Status`, { headers: { Authorization: `Bearer ${secret}` } });
    expect(answer.status).toBe(200);
  });
});
