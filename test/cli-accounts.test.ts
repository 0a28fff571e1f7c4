/** The operator at the command line: limits of one account, a suspension, and who uses most, beside a running server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from './black-box/cli.ts';
import { KEY, type Started, startServer } from './black-box/server.ts';

let server: Started;
let folder: string;
let settings: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-accounts-'));
  const store = { SLUICE_STORE_URL: `sqlite:${join(folder, 'sluice.db')}`, SLUICE_DATA_DIR: folder };
  server = await startServer(store);
  settings = { HOME: folder, SLUICE_URL: server.url, SLUICE_API_KEY: KEY, ...store };
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const sluice = (...args: string[]) => run(args, settings);
async function json<Value>(...args: string[]): Promise<Value> {
  const ran = await sluice(...args, '--json');
  if (ran.code !== 0) throw new Error(ran.stderr);
  return JSON.parse(ran.stdout) as Value;
}

describe('sluice accounts and top', () => {
  it('set, show and lift limits, suspend and resume, and say who uses most', async () => {
    await sluice('accounts', 'create', 'acme');
    const { key: secret } = await json<{ key: string }>('keys', 'create', '--account', 'acme', '--name', 'one');
    const status = async () => {
      const answer = await fetch(`${server.url}/api.Status`, { headers: { Authorization: `Bearer ${secret}` } });
      return { code: answer.status, body: (await answer.json()) as { limits: { code: string; limit: number }[] } };
    };
    const streams = async () => (await status()).body.limits.find(({ code }) => code === 'streams')?.limit;

    expect(await json('accounts', 'set', 'acme', '--limit', 'streams=5', '--limit', 'waits=off')).toMatchObject([
      { name: 'acme', limits: { streams: 5, waits: null } },
    ]);
    expect(await streams()).toBe(5);
    expect(await json('accounts', 'show', 'acme')).toMatchObject({
      limits_that_hold: { streams: 5, waits: null, requests_per_key: 600 },
      stored_matches: 0,
      suspended: null,
    });
    expect((await sluice('accounts', 'set', 'acme', '--limit', 'streams=usual')).stdout).toMatch(/streams +1000\n/);
    expect(await streams()).toBe(1_000);
    for (const wrong of ['streams=0', 'streams', 'rules=5', 'streams=many'])
      expect((await sluice('accounts', 'set', 'acme', '--limit', wrong)).code).toBe(2);

    expect(await json('accounts', 'suspend', 'acme', '--reason', 'noise')).toMatchObject([
      { suspended: { reason: 'noise' } },
    ]);
    expect(await status()).toMatchObject({
      code: 403,
      body: { code: 'permission_denied', details: { reason: 'account_suspended' } },
    });
    expect((await sluice('accounts', 'list')).stdout).toMatch(/acme .*suspended/);
    expect((await sluice('accounts', 'suspend', 'default')).code).toBe(1);
    expect(await sluice('accounts', 'suspend', 'acme', '--reason', 'a\u202eb')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('U+202E'),
    });

    const top = await json<{ accounts: { name: string; suspended: unknown }[] }>('top');
    expect(top.accounts).toContainEqual(expect.objectContaining({ name: 'acme', suspended: expect.anything() }));
    expect((await sluice('top', '--by', 'requests', '--once')).stdout).toMatch(/^ACCOUNT .*\n(.*\n)*acme .*suspended/);
    expect((await sluice('top', '--by', 'luck')).code).toBe(2);
    await sluice('accounts', 'resume', 'acme');
    expect((await status()).code).toBe(200);
  });
});
