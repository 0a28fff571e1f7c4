import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { ConfigError, type Env, loadConfig } from './config.ts';

function problemsOf(env: Env): string {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

describe('configuration', () => {
  it('needs nothing', () => {
    expect(loadConfig({ PATH: '/bin' })).toMatchObject({
      host: '127.0.0.1',
      port: 4800,
      storeUrl: 'sqlite:data/sluice.db',
      demo: true,
      rateLimit: 600,
      retentionDays: 30,
      recentEvents: 50_000,
      xLevel: 'payg',
      apiKey: undefined,
      trustProxy: [],
      corsOrigins: [],
    });
  });

  it('reads what is set, and takes an empty variable as not set', () => {
    const config = loadConfig({
      SLUICE_PORT: '0',
      SLUICE_HOST: '',
      SLUICE_RATE_LIMIT: 'off',
      SLUICE_MATCH_THREADS: '0',
      SLUICE_STORE_URL: 'sqlite:/somewhere/else.db',
      SLUICE_PUBLIC_URL: 'https://watch.example/',
      SLUICE_TRUST_PROXY: '10.0.0.0/8, ::1',
      SLUICE_CORS_ORIGINS: 'https://app.example, http://localhost:5173',
      SLUICE_ROLES: 'api,connector,matcher,delivery',
    });
    expect(config).toMatchObject({
      port: 0,
      host: '127.0.0.1',
      rateLimit: undefined,
      matchThreads: 0,
      storeUrl: 'sqlite:/somewhere/else.db',
      publicUrl: 'https://watch.example',
      trustProxy: ['10.0.0.0/8', '::1'],
      corsOrigins: ['https://app.example', 'http://localhost:5173'],
    });
  });

  it.each([
    'https://app.example/',
    'app.example',
    'null',
    'https://app.example:443',
    'file:///x',
    '*, https://a.example',
  ])('refuses %s as an origin, since no browser writes it so', (origin) => {
    expect(problemsOf({ SLUICE_CORS_ORIGINS: origin })).toContain('SLUICE_CORS_ORIGINS');
  });

  it.each([
    '10.0.0.0/99',
    '999.1.1.1',
    '10.0.0.0/0',
    '::/129',
    '10.0.0.1, 1.2.3',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    'deadbeef',
  ])('refuses %s as proxies, of which the server could not tell who is one', (text) => {
    expect(problemsOf({ SLUICE_TRUST_PROXY: text })).toMatch(/SLUICE_TRUST_PROXY must be a comma list of addresses/);
  });

  it.each(['10.0.0.0/32, ::/128', '10.0.0.0/1', 'fe80::1', '::ffff:10.0.0.0/104'])('takes %s as proxies', (text) => {
    const { trustProxy } = loadConfig({ SLUICE_TRUST_PROXY: text });
    expect(() => fastify({ trustProxy: [...trustProxy] })).not.toThrow();
  });

  it('names every problem at once', () => {
    const problems = problemsOf({
      SLUICE_PORT: '70000',
      SLUICE_DEMO: 'maybe',
      SLUICE_API_KEY: 'short',
      SLUICE_RETENTION_DAYS: '-1',
    });
    for (const name of ['SLUICE_PORT', 'SLUICE_DEMO', 'SLUICE_API_KEY', 'SLUICE_RETENTION_DAYS'])
      expect(problems).toContain(name);
  });

  it('refuses an unknown variable and names the nearest known one', () => {
    expect(problemsOf({ SLUICE_DATADIR: '/tmp' })).toContain('Did you mean SLUICE_DATA_DIR?');
    expect(problemsOf({ SLUICE_TEST_DATA: '/tmp' })).toBe('');
  });

  it('divides the work among processes on one PostgreSQL', () => {
    const shared = { SLUICE_STORE_URL: 'postgres://db.example/sluice' };
    expect(loadConfig({}).roles).toEqual(['api', 'connector', 'matcher', 'delivery']);
    expect(
      loadConfig({ ...shared, SLUICE_ROLES: ' matcher', SLUICE_NATS_URL: 'nats://one:4222, tls://u:p@two' }),
    ).toMatchObject({ roles: ['matcher'], natsUrl: 'nats://one:4222, tls://u:p@two', demo: false });
    expect(loadConfig({ ...shared, SLUICE_ROLES: 'api,delivery' }).roles).toEqual(['api', 'delivery']);
    expect(problemsOf({ SLUICE_ROLES: 'api' })).toContain('PostgreSQL');
    expect(problemsOf({ SLUICE_NATS_URL: 'nats://one' })).toContain('PostgreSQL');
    expect(problemsOf({ ...shared, SLUICE_NATS_URL: 'http://one' })).toContain('nats://');
    expect(problemsOf({ ...shared, SLUICE_ROLES: 'matcher' })).toContain('SLUICE_NATS_URL');
    expect(problemsOf({ ...shared, SLUICE_ROLES: 'api,cook' })).toContain('SLUICE_ROLES must be one of api, connector');
  });

  it('makes a platform the real one by its token', () => {
    expect(loadConfig({}).upstreams).toEqual({});
    expect(loadConfig({ SLUICE_X_BEARER_TOKEN: ' a%2Bb \n', SLUICE_X_SLOTS: '50' }).upstreams).toEqual({
      x: { token: { value: 'a%2Bb' }, baseUrl: 'https://api.x.com', slots: 50 },
    });
    const { upstreams, prices } = loadConfig({
      SLUICE_FIREHOSE_TOKEN_FILE: '/run/token',
      SLUICE_FIREHOSE_BASE_URL: 'http://127.0.0.1:1/',
      SLUICE_FIREHOSE_PRICE: '0.25',
    });
    expect(upstreams).toEqual({
      firehose: { token: { file: '/run/token' }, baseUrl: 'http://127.0.0.1:1', slots: undefined },
    });
    expect(prices).toEqual({ x: 0.005, firehose: 0.25 });
  });

  it.each([
    [{ SLUICE_X_BEARER_TOKEN: 'a', SLUICE_X_BEARER_TOKEN_FILE: '/b' }, 'unset one'],
    [{ SLUICE_X_BEARER_TOKEN: 'a b' }, 'SLUICE_X_BEARER_TOKEN'],
    [{ SLUICE_X_PRICE: '-1' }, 'SLUICE_X_PRICE'],
    [{ SLUICE_FIREHOSE_TOKEN: 'a', SLUICE_SOURCES: 'hackernews' }, 'feeds firehose alone, which is a real upstream'],
  ])('refuses %o', (env, problem) => {
    expect(problemsOf(env)).toContain(problem);
  });

  const webhook = {
    SLUICE_X_BEARER_TOKEN: 'a',
    SLUICE_X_DELIVERY: 'webhook',
    SLUICE_X_LEVEL: 'enterprise',
    SLUICE_X_CONSUMER_SECRET: 'b',
    SLUICE_PUBLIC_URL: 'https://watch.example',
  };

  it('has X deliver to the public address when it is told to', () => {
    expect(loadConfig({ SLUICE_X_BEARER_TOKEN: 'a' }).xWebhook).toBeUndefined();
    expect(loadConfig(webhook).xWebhook).toEqual({
      url: 'https://watch.example/upstreams/x',
      secret: { value: 'b' },
    });
    const here = { ...webhook, SLUICE_PUBLIC_URL: 'http://127.0.0.1:8080' };
    expect(loadConfig(here).xWebhook?.url).toBe('http://127.0.0.1:8080/upstreams/x');
  });

  it.each([
    [{ SLUICE_X_DELIVERY: 'post' }, 'SLUICE_X_DELIVERY must be one of stream, webhook'],
    [{ SLUICE_X_BEARER_TOKEN: '' }, 'needs SLUICE_X_BEARER_TOKEN'],
    [{ SLUICE_X_LEVEL: 'payg' }, 'needs SLUICE_X_LEVEL=enterprise'],
    [{ SLUICE_X_CONSUMER_SECRET: '' }, 'needs SLUICE_X_CONSUMER_SECRET'],
    [{ SLUICE_X_CONSUMER_SECRET_FILE: '/b' }, 'SLUICE_X_CONSUMER_SECRET and SLUICE_X_CONSUMER_SECRET_FILE are set'],
    [{ SLUICE_PUBLIC_URL: '' }, 'needs SLUICE_PUBLIC_URL'],
    [{ SLUICE_PUBLIC_URL: 'http://watch.example' }, 'begins with https:// and names no port'],
    [{ SLUICE_PUBLIC_URL: 'https://watch.example:8443' }, 'begins with https:// and names no port'],
    [{ SLUICE_X_DELIVERY: 'stream' }, 'SLUICE_X_CONSUMER_SECRET is for SLUICE_X_DELIVERY=webhook'],
  ])('refuses deliveries of X with %o', (env, problem) => {
    expect(problemsOf({ ...webhook, ...env })).toContain(problem);
  });

  it('never repeats the value of a variable, which may be a secret', () => {
    expect(problemsOf({ SLUICE_API_KEY: 'tooshort', SLUICE_X_BEARER_TOKEN: 'very secret' })).not.toMatch(
      /tooshort|very secret/,
    );
  });
});

describe('old matches', () => {
  const postgres = 'postgres://sluice@db/sluice';
  const key = 'AKID:secret';

  it('stay in the database unless a number of days is set, and lie beside the SQLite file', () => {
    expect(loadConfig({ SLUICE_DATA_DIR: '/data' })).toMatchObject({ hotDays: undefined, cold: { url: '/data/cold' } });
    expect(loadConfig({ SLUICE_HOT_DAYS: '7', SLUICE_COLD: '/srv/old' })).toMatchObject({
      hotDays: 7,
      cold: { url: '/srv/old' },
    });
    expect(loadConfig({ SLUICE_STORE_URL: postgres }).cold).toBeUndefined();
    const SLUICE_COLD = 's3://bucket/old?endpoint=http://10.0.0.1:9000&region=eu-1';
    expect(loadConfig({ SLUICE_STORE_URL: postgres, SLUICE_COLD, SLUICE_COLD_CREDENTIAL: key }).cold).toEqual({
      url: SLUICE_COLD,
      credential: key,
    });
  });

  it.each([
    [{ SLUICE_HOT_DAYS: '0' }, 'must be a whole number from 1'],
    [{ SLUICE_HOT_DAYS: '7', SLUICE_STORE_URL: postgres }, 'needs SLUICE_COLD: a folder that every node sees'],
    [{ SLUICE_COLD: 's3://bucket/old' }, 'needs SLUICE_COLD_CREDENTIAL'],
    [{ SLUICE_COLD: '/srv/old', SLUICE_COLD_CREDENTIAL: key }, 'SLUICE_COLD_CREDENTIAL is for SLUICE_COLD=s3://'],
    [{ SLUICE_COLD: 's3://B', SLUICE_COLD_CREDENTIAL: key }, 'The URL must be s3://<bucket>/<prefix>'],
    [{ SLUICE_COLD: 's3://bucket?endpoint=ftp://a', SLUICE_COLD_CREDENTIAL: key }, 'an http or https address'],
    [{ SLUICE_COLD: 's3://bucket', SLUICE_COLD_CREDENTIAL: 'AKID' }, '<access key id>:<secret access key>'],
  ])('are refused with %j', (env, problem) => {
    expect(problemsOf(env)).toContain(problem);
  });
});

describe('the judge', () => {
  const judge = { SLUICE_JUDGE_URL: 'http://127.0.0.1:11434/v1/', SLUICE_JUDGE_MODEL: 'small:3b' };

  it('is off unless it has an address and a model', () => {
    expect(loadConfig({})).toMatchObject({
      judge: undefined,
      judgeLimits: [{ what: 'calls', most: 1_000, per: 'day' }],
    });
    expect(problemsOf({ SLUICE_JUDGE_URL: judge.SLUICE_JUDGE_URL })).toContain('go together');
    expect(problemsOf({ SLUICE_JUDGE_MODEL: 'small' })).toContain('go together');
    const price = { input: 0, output: 0 };
    expect(loadConfig(judge).judge).toEqual({ url: 'http://127.0.0.1:11434/v1', model: 'small:3b', price });
  });

  it('has limits of calls and money, for a day and a month', () => {
    const SLUICE_JUDGE_BUDGET = 'calls=50/day  money=0.000001/day calls=900/month money=5/month';
    const { judge: options, judgeLimits } = loadConfig({
      ...judge,
      SLUICE_JUDGE_BUDGET,
      SLUICE_JUDGE_PRICE: 'input=0.15 output=0.6',
    });
    expect(options?.price).toEqual({ input: 0.15, output: 0.6 });
    expect(judgeLimits.map(({ what, most, per }) => `${most} ${what} ${per}`)).toEqual([
      '50 calls day',
      '1 money day',
      '900 calls month',
      '5000000 money month',
    ]);
  });

  it.each(['calls', 'calls=1', 'calls=1.5/day', 'calls=-1/day', 'money=1/week', 'calls=1/day,money=2/day', 'off'])(
    'has no budget %j',
    (text) => {
      const problems = problemsOf({ ...judge, SLUICE_JUDGE_BUDGET: text, SLUICE_JUDGE_PRICE: 'input=1 output=1' });
      expect(problems).toContain('SLUICE_JUDGE_BUDGET must be limits such as');
    },
  );

  it('needs prices where money has a limit', () => {
    expect(problemsOf({ ...judge, SLUICE_JUDGE_BUDGET: 'money=1/day' })).toContain('needs SLUICE_JUDGE_PRICE');
    expect(problemsOf({ ...judge, SLUICE_JUDGE_PRICE: '0.15' })).toContain('must be two prices');
  });
});
