import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountNamed } from '../../test/conformance/store/stage.ts';
import { webhookOf } from '../../test/conformance/store/webhooks.ts';
import { startPostgresWithTables, type TestPostgres } from '../../test/stages/postgres.ts';
import { createSeal } from '../delivery/webhooks/seal.ts';
import { adoptSettings, checkAgreed } from './agreed-settings.ts';
import { type Env, loadConfig } from './config.ts';
import { openStore } from './open-store.ts';
import { sealingKeyOf } from './sealing-key.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-agreed-'));
let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgresWithTables();
});
afterAll(async () => {
  await postgres[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const key = () => randomBytes(32).toString('base64');

async function stand(own: Env = {}) {
  const parts = { SLUICE_STORE_URL: await postgres.newDatabase(), SLUICE_NATS_URL: 'nats://nats.example' };
  const shared = { ...parts, SLUICE_SEALING_KEY: key(), ...own };
  const store = await openStore(loadConfig(shared));
  return {
    store,
    shared,
    check: (env: Env = {}) => checkAgreed(store, loadConfig({ ...shared, ...env })),
    adopt: (env: Env) => adoptSettings(store, loadConfig({ ...shared, ...env })),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** Another value than the default of each setting that all nodes must share. */
const OTHERS = {
  SLUICE_CLUSTER: 'another',
  SLUICE_X_LEVEL: 'enterprise',
  SLUICE_X_PRICE: '0.01',
  SLUICE_FIREHOSE_PRICE: '0.02',
  SLUICE_X_BUDGET: '5',
  SLUICE_CURRENCY: 'EUR',
  SLUICE_RETENTION_DAYS: '7',
  SLUICE_ERASURE_DAYS: '500',
  SLUICE_RECENT_EVENTS: '100',
  SLUICE_COLD: '/srv/cold',
  SLUICE_FIREHOSE_RULES: '9',
  SLUICE_MATCHES_PER_DAY: '8',
  SLUICE_STORED_MIB: '64',
  SLUICE_CPU_MS_PER_MINUTE: '900',
  SLUICE_PUSHED_MIB_PER_MINUTE: '3',
  SLUICE_PUSHED_MIB_PER_DAY: '4',
  SLUICE_RATE_LIMIT: '77',
  SLUICE_ACCOUNT_RATE_LIMIT: '78',
  SLUICE_JUDGE_BUDGET: 'calls=7/day',
  SLUICE_LOG_MIB: '64',
  SLUICE_SOURCES_PER_ACCOUNT: '10',
  SLUICE_SOURCE_FETCHES_PER_HOUR: '11',
  SLUICE_SOURCE_MIB_PER_DAY: '12',
  SLUICE_SOURCE_INTERVAL: '13',
  SLUICE_X_SLOTS: '14',
  SLUICE_FIREHOSE_SLOTS: '15',
  SLUICE_JUDGE_PRICE: 'input=0.15 output=0.6',
};

const REAL = { SLUICE_X_BEARER_TOKEN: 'a-token', SLUICE_FIREHOSE_TOKEN: 'another-token' };
const JUDGE = { SLUICE_JUDGE_URL: 'https://judge.example', SLUICE_JUDGE_MODEL: 'small' };
const BY_WEBHOOK = {
  SLUICE_X_DELIVERY: 'webhook',
  SLUICE_X_CONSUMER_SECRET: 'a-secret',
  SLUICE_PUBLIC_URL: 'https://sluice.example',
  SLUICE_X_LEVEL: 'enterprise',
};
/** What a node has that has no part in the streams of X and Firehose, nor in judging. */
const WITHOUT = {
  SLUICE_X_BEARER_TOKEN: '',
  SLUICE_FIREHOSE_TOKEN: '',
  SLUICE_X_SLOTS: '',
  SLUICE_FIREHOSE_SLOTS: '',
  SLUICE_JUDGE_URL: '',
  SLUICE_JUDGE_MODEL: '',
  SLUICE_JUDGE_PRICE: '',
};

describe('a node on a shared store', () => {
  it('fits with the settings of the others, and does not with any other value of each of them', async () => {
    await using nodes = await stand({ SLUICE_ACCOUNT_RATE_LIMIT: '2400', ...REAL, ...JUDGE });
    await nodes.check();
    await nodes.check({ SLUICE_PORT: '0', SLUICE_ROLES: 'api', SLUICE_LOG_LEVEL: 'warn' });
    for (const [name, value] of Object.entries(OTHERS)) {
      const refused = nodes.check({ [name]: value });
      await expect(refused).rejects.toMatchObject({ name: 'ConfigError' });
      await expect(refused).rejects.toThrow(`${name} is ${value} here and `);
      await expect(refused).rejects.toThrow('`sluice adopt`');
    }
    const others = ['SLUICE_SEALING_KEY', 'SLUICE_X_DELIVERY', ...Object.keys(REAL)];
    expect([...Object.keys(OTHERS), ...others].toSorted()).toEqual(
      Object.keys(await nodes.store.agreedSettings()).toSorted(),
    );
    await nodes.check();
  });

  it('takes the same platforms for real ones, whatever the tokens are', async () => {
    await using nodes = await stand(REAL);
    await nodes.check();
    await nodes.check({ SLUICE_X_BEARER_TOKEN: 'a-newer-token' });
    for (const name of Object.keys(REAL))
      for (const SLUICE_ROLES of ['api', 'matcher', 'connector', 'connector,delivery'])
        await expect(nodes.check({ [name]: '', SLUICE_ROLES })).rejects.toThrow(
          `${name} is not set here and set on the other nodes of this database. Set it, or run`,
        );
    const local = { SLUICE_X_BEARER_TOKEN: '', SLUICE_FIREHOSE_TOKEN: '' };
    expect((await nodes.adopt(local)).map(({ name, before, after }) => [name, before, after])).toEqual([
      ['SLUICE_X_BEARER_TOKEN', 'set', 'not set'],
      ['SLUICE_FIREHOSE_TOKEN', 'set', 'not set'],
    ]);
    await nodes.check(local);
    await expect(nodes.check()).rejects.toThrow('SLUICE_X_BEARER_TOKEN is set here and not set on the other nodes');
    expect(JSON.stringify(await nodes.store.agreedSettings())).not.toContain('a-token');
  });

  it('takes from X in the same way', async () => {
    await using nodes = await stand({ ...REAL, ...BY_WEBHOOK });
    await nodes.check();
    const stream = { SLUICE_X_DELIVERY: '', SLUICE_X_CONSUMER_SECRET: '' };
    for (const SLUICE_ROLES of ['api', 'connector'])
      await expect(nodes.check({ ...stream, SLUICE_ROLES })).rejects.toThrow('SLUICE_X_DELIVERY is stream here and');
    for (const SLUICE_ROLES of ['matcher', 'delivery']) await nodes.check({ ...stream, SLUICE_ROLES });
  });

  it('needs no more than its roles do, and nobody else goes by what it lacks', async () => {
    await using nodes = await stand({
      ...REAL,
      ...JUDGE,
      SLUICE_X_SLOTS: '14',
      SLUICE_JUDGE_PRICE: 'input=1 output=2',
    });
    const modest = ['delivery', 'connector', 'connector,delivery'];
    for (const SLUICE_ROLES of modest) await nodes.check({ ...WITHOUT, SLUICE_ROLES });
    await nodes.check();
    for (const SLUICE_ROLES of modest) await nodes.check({ ...WITHOUT, SLUICE_ROLES });
    // Without a broker a connector matches what it reads.
    await expect(nodes.check({ ...WITHOUT, SLUICE_NATS_URL: '', SLUICE_ROLES: 'connector' })).rejects.toThrow(
      'SLUICE_X_BEARER_TOKEN is not set here',
    );
  });

  it('does not fit with another sealing key, of which the store has a check value alone', async () => {
    await using nodes = await stand();
    await nodes.check();
    await expect(nodes.check({ SLUICE_SEALING_KEY: key() })).rejects.toThrow('is not the key of this database');
    const kept = JSON.stringify(await nodes.store.agreedSettings());
    const own = Buffer.from(nodes.shared.SLUICE_SEALING_KEY, 'base64');
    for (const encoding of ['hex', 'base64'] as const) expect(kept).not.toContain(own.toString(encoding));
  });

  it('does not fit when it cannot open the secrets of a database that has no check value yet', async () => {
    await using nodes = await stand();
    const account = accountNamed('one');
    await nodes.store.addAccount(account);
    const secrets = {
      current: createSeal(sealingKeyOf(loadConfig(nodes.shared))).seal('whsec_1'),
      previous: undefined,
      previousUntil: undefined,
    };
    await nodes.store.addWebhook({ ...webhookOf(account), secrets }, 10);
    await expect(nodes.check({ SLUICE_SEALING_KEY: key() })).rejects.toThrow('is not the key of this database');
    expect(await nodes.store.agreedSettings()).toEqual({});
    await nodes.check();
  });

  it('fits with values that were adopted on purpose, and no more with those from before', async () => {
    await using nodes = await stand();
    await nodes.check();
    const changed = { SLUICE_X_PRICE: '0.01', SLUICE_SEALING_KEY: key() };
    expect((await nodes.adopt(changed)).map(({ name }) => name).toSorted()).toEqual(Object.keys(changed).toSorted());
    expect(await nodes.adopt(changed)).toEqual([]);
    await nodes.check(changed);
    await expect(nodes.check()).rejects.toThrow('SLUICE_SEALING_KEY is not the key');
    await expect(nodes.check({ ...changed, SLUICE_X_PRICE: '0.005' })).rejects.toThrow(
      'SLUICE_X_PRICE is 0.005 here and 0.01',
    );
  });
});

describe('a server on a file', () => {
  it('may have other settings at its next start, but no other key', async () => {
    const env = { SLUICE_DATA_DIR: join(folder, 'one') };
    await using store = await openStore(loadConfig(env));
    await checkAgreed(store, loadConfig(env));
    await checkAgreed(store, loadConfig({ ...env, SLUICE_X_PRICE: '1', SLUICE_X_LEVEL: 'enterprise' }));
    expect(await store.agreedSettings()).toMatchObject({ SLUICE_X_PRICE: '1', SLUICE_X_LEVEL: 'enterprise' });
    await expect(checkAgreed(store, loadConfig({ ...env, SLUICE_SEALING_KEY: key() }))).rejects.toThrow(
      'put the right webhooks.key back',
    );
  });
});
