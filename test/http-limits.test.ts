/** The effects of time and trouble on requests: limits with a clock in hand, sessions, expiry, a store that fails. */
import { describe, expect, it } from 'vitest';
import { authenticate } from '../src/service/access/keys.ts';
import { StoreError } from '../src/store/error.ts';
import { type App, OPERATOR_KEY, startApp } from './stages/http-app.ts';

const HOUR = 3_600_000;
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const post = (app: App, url: string, payload: object) =>
  app.http.inject({ method: 'POST', url, headers: bearer(OPERATOR_KEY), payload });
const list = (app: App, headers: Record<string, string>) => app.http.inject({ url: '/api.ListRules', headers });

describe('the request limit', () => {
  it('counts each key, says what is left, and when to come again', async () => {
    await using app = await startApp({ rateLimit: 600 });
    const other = await app.newAccount('other');
    for (let request = 0; request < 100; request++)
      expect((await list(app, bearer(OPERATOR_KEY))).statusCode).toBe(200);
    const refused = await list(app, bearer(OPERATOR_KEY));
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toMatchObject({ code: 'resource_exhausted', details: {} });
    expect(refused.headers).toMatchObject({
      'retry-after': '1',
      ratelimit: '"burst";r=0;t=10',
      'ratelimit-policy': expect.stringContaining('"requests";q=600;w=60'),
    });
    expect((await list(app, bearer(other))).statusCode).toBe(200);
    app.clock.forward(1_000);
    for (let request = 0; request < 10; request++) expect((await list(app, bearer(OPERATOR_KEY))).statusCode).toBe(200);
    expect((await list(app, bearer(OPERATOR_KEY))).statusCode).toBe(429);
  });

  it('counts all keys of an account together', async () => {
    await using app = await startApp({ rateLimit: 600, accountRateLimit: 1_200 });
    const keys = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => (await post(app, '/api.CreateKey', { name: `k${n}` })).json().key),
    );
    const statuses: number[] = [];
    for (let request = 0; request < 300; request++)
      statuses.push((await list(app, bearer(keys[request % 10]))).statusCode);
    expect(statuses.filter((status) => status === 200)).toHaveLength(190);
    expect((await list(app, bearer(keys[0]))).json()).toMatchObject({
      message: expect.stringContaining('SLUICE_ACCOUNT_RATE_LIMIT'),
      details: { limit: 'account' },
    });
  });

  it('charges a key for the CPU that its requests took, also when an agent asks, until a minute has brought it back', async () => {
    await using app = await startApp({ rateLimit: 600 });
    const left = (answer: { headers: Record<string, unknown> }) =>
      /r=(\d+)/.exec(String(answer.headers['ratelimit']))?.[1];
    expect(left(await post(app, '/matches', {}))).toBe('99');
    const caller = await authenticate(app.context, OPERATOR_KEY);
    const charged: string[] = [];
    app.context.cpuUse.listen(({ key }) => void charged.push(key!.id));
    const tool = (name: string, input: object) =>
      app.http.inject({
        method: 'POST',
        url: '/mcp',
        headers: {
          ...bearer(OPERATOR_KEY),
          host: '127.0.0.1',
          accept: 'application/json, text/event-stream',
        },
        payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } },
      });
    await post(app, '/matches', { text: 'lava' });
    await post(app, '/api.PreviewRule', { platforms: ['x'], overrides: { x: 'lava' } });
    await tool('list_matches', { text: 'lava' });
    await tool('check_rule', { overrides: { x: 'lava' } });
    expect(charged).toEqual(Array.from({ length: 4 }, () => caller.key.id));
    // An hour of CPU is charged as what a minute brings.
    app.context.cpuUse.note(caller, 3_600_000);
    const refused = await post(app, '/matches', {});
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '61']);
    app.clock.forward(61_000);
    expect((await post(app, '/matches', {})).statusCode).toBe(200);
  });

  it('refuses a dear request, and takes nothing more for it, when only cheap ones are left', async () => {
    await using app = await startApp({ rateLimit: 600 });
    for (let request = 0; request < 95; request++) await list(app, bearer(OPERATOR_KEY));
    const details = { limit_code: 'requests_per_key', limit: 'key', per_minute: 600, cost: 10 };
    // The log of certificates keeps each for good.
    for (const dear of ['RedeliverWebhook', 'Certify']) {
      const refused = await post(app, `/api.${dear}`, {});
      expect([refused.statusCode, refused.json().details]).toEqual([429, details]);
    }
    expect((await list(app, bearer(OPERATOR_KEY))).headers['ratelimit']).toBe('"burst";r=4;t=10');
  });

  it('leaves the pages without a key alone', async () => {
    await using app = await startApp({ rateLimit: 1 });
    for (let request = 0; request < 20; request++) expect((await app.http.inject('/healthz')).statusCode).toBe(200);
  });

  it('slows down whoever tries keys, but never one with a right key', async () => {
    await using app = await startApp({ rateLimit: 600 });
    for (let request = 0; request < 100; request++)
      expect((await list(app, bearer(`wrong-${request}`))).statusCode).toBe(401);
    const refused = await list(app, bearer('wrong-again'));
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '3']);
    expect((await list(app, bearer(OPERATOR_KEY))).statusCode).toBe(200);
  });
});

describe('wrong secrets', () => {
  const session = (n: number) => ({ cookie: `sluice_session=wrong-${n}`, 'x-sluice-session': '1' });
  it.each<[string, (app: App, n: number) => Promise<{ statusCode: number }>]>([
    ['sessions', (app, n) => list(app, session(n))],
    ['tickets of a stream', (app, n) => app.http.inject(`/matches/stream?ticket=stream_${n}`)],
    [
      'tickets of the console',
      (app, n) =>
        app.http.inject({ method: 'POST', url: '/api.CreateSession', headers: bearer(`enter_${n}`), payload: {} }),
    ],
  ])('are counted by address: %s', async (_, present) => {
    let writes = 0;
    await using app = await startApp({
      rateLimit: 600,
      store: (real) => ({
        ...real,
        takePass(...asked) {
          writes++;
          return real.takePass(...asked);
        },
      }),
    });
    const statuses: number[] = [];
    for (let n = 0; n < 120; n++) statuses.push((await present(app, n)).statusCode);
    expect(statuses.slice(0, 100).every((status) => status === 401)).toBe(true);
    expect(statuses.slice(100).every((status) => status === 429)).toBe(true);
    // A guess costs a read, never a turn of the thread that writes.
    expect(writes).toBe(0);
    expect((await list(app, bearer(OPERATOR_KEY))).statusCode).toBe(200);
  });
});

describe('streams of an account', () => {
  it('are as many as its limit, also when all are opened at once', async () => {
    await using app = await startApp({ streams: 5 });
    const url = await app.http.listen({ port: 0, host: '127.0.0.1' });
    const gone = new AbortController();
    const open = () => fetch(`${url}/matches/stream`, { headers: bearer(OPERATOR_KEY), signal: gone.signal });
    const answers = await Promise.all(Array.from({ length: 30 }, open));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(app.context.live.figures.subscribers).toBe(5);
    const refused = answers.find(({ status }) => status === 429);
    expect(await refused?.json()).toMatchObject({ message: expect.stringContaining('SLUICE_STREAMS') });
    gone.abort();
  });
});

describe('keys of an account', () => {
  it('are at most a hundred, also when all are made at once', async () => {
    await using app = await startApp();
    const made = await Promise.all(
      Array.from({ length: 120 }, (_, n) => post(app, '/api.CreateKey', { name: `${n}` })),
    );
    // The first key was there already.
    expect(made.filter(({ statusCode }) => statusCode === 200)).toHaveLength(99);
    const refused = made.find(({ statusCode }) => statusCode === 429);
    expect(refused?.json()).toMatchObject({ code: 'resource_exhausted', details: { limit: 100 } });
    await post(app, '/api.RevokeKey', { key_id: made[0]!.json().id });
    expect((await post(app, '/api.CreateKey', { name: 'next' })).statusCode).toBe(200);
  });
});

describe('a key with an expiry', () => {
  it('stops working then, with the same 401 as any other', async () => {
    await using app = await startApp();
    const made = await app.http.inject({
      method: 'POST',
      url: '/api.CreateKey',
      headers: bearer(OPERATOR_KEY),
      payload: { name: 'short', expires_at: '2026-11-15T09:00:00Z' },
    });
    const { key } = made.json<{ key: string }>();
    expect((await list(app, bearer(key))).statusCode).toBe(200);
    app.clock.forward(HOUR);
    const expired = await list(app, bearer(key));
    expect(expired.statusCode).toBe(401);
    expect(expired.body).toBe((await list(app, bearer('never-was-a-key'))).body);
  });
});

describe('a session', () => {
  async function open(app: App, key = OPERATOR_KEY): Promise<{ cookie: string; setCookie: string }> {
    const answer = await app.http.inject({ method: 'POST', url: '/api.CreateSession', headers: bearer(key) });
    const setCookie = String(answer.headers['set-cookie']);
    return { cookie: setCookie.split(';')[0]!, setCookie };
  }

  it('stands for the key in calls of our own pages, and in no others', async () => {
    await using app = await startApp();
    const { cookie, setCookie } = await open(app);
    expect(setCookie).toMatch(/^sluice_session=[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Expires=/);
    const status = async (headers: Record<string, string>) => (await list(app, { cookie, ...headers })).statusCode;
    expect(await status({ 'x-sluice-session': '1' })).toBe(200);
    expect(await status({ 'x-sluice-session': '1', 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await status({})).toBe(401);
    expect(await status({ 'x-sluice-session': '1', 'sec-fetch-site': 'cross-site' })).toBe(401);
    expect(await status({ 'x-sluice-session': '1', authorization: 'Bearer wrong-key' })).toBe(401);
  });

  it('is bound to its host where the address is https', async () => {
    await using app = await startApp({ publicUrl: 'https://sluice.test' });
    expect((await open(app)).setCookie).toMatch(/^__Host-sluice_session=.*; Secure/);
  });

  it('takes its streams and its tickets along when it ends', async () => {
    await using app = await startApp();
    const url = await app.http.listen({ host: '127.0.0.1', port: 0 });
    const { cookie } = await open(app);
    const headers = { cookie, 'x-sluice-session': '1' };
    const newTicket = async () => {
      const answer = await app.http.inject({ method: 'POST', url: '/api.CreateStreamTicket', headers, payload: {} });
      return answer.json<{ ticket: string }>().ticket;
    };
    const stream = await fetch(`${url}/matches/stream?ticket=${await newTicket()}`);
    const unused = await newTicket();
    expect(stream.status).toBe(200);
    await app.http.inject({ method: 'POST', url: '/session/end', headers });
    // The body ends, because the server ends the stream.
    expect(await stream.text()).toContain('"reason":"session_ended"');
    expect((await fetch(`${url}/matches/stream?ticket=${unused}`)).status).toBe(401);
    const forged = `${unused.split('.')[0]!}.${'0'.repeat(64)}`;
    expect((await fetch(`${url}/matches/stream?ticket=${forged}`)).status).toBe(401);
  });

  it('opens no other session, so that none outlives its first end', async () => {
    await using app = await startApp();
    const { cookie } = await open(app);
    const headers = { cookie, 'x-sluice-session': '1' };
    app.clock.forward(HOUR / 2);
    const answer = await app.http.inject({ method: 'POST', url: '/api.CreateSession', headers, payload: {} });
    expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([401, undefined]);
    expect((await list(app, headers)).statusCode).toBe(200);
  });

  it('ends with its key, after an idle hour, and after twelve in any case', async () => {
    await using app = await startApp();
    const headers = async (key?: string) => ({ cookie: (await open(app, key)).cookie, 'x-sluice-session': '1' });
    const made = await app.http.inject({
      method: 'POST',
      url: '/api.CreateKey',
      headers: bearer(OPERATOR_KEY),
      payload: { name: 'k' },
    });
    const { key, id } = made.json<{ key: string; id: string }>();
    const ofKey = await headers(key);
    expect((await list(app, ofKey)).statusCode).toBe(200);
    await app.http.inject({
      method: 'POST',
      url: '/api.RevokeKey',
      headers: bearer(OPERATOR_KEY),
      payload: { key_id: id },
    });
    expect((await list(app, ofKey)).statusCode).toBe(401);

    const idle = await headers();
    app.clock.forward(HOUR);
    expect((await list(app, idle)).statusCode).toBe(401);

    const busy = await headers();
    for (let half = 1; half < 24; half++) {
      app.clock.forward(HOUR / 2);
      expect((await list(app, busy)).statusCode).toBe(200);
    }
    app.clock.forward(HOUR / 2);
    expect((await list(app, busy)).statusCode).toBe(401);
  });
});

describe('a full disk', () => {
  it('stops what would be acknowledged, says so at /readyz, lets reads go on, and passes', async () => {
    const disk = { full: false };
    await using app = await startApp({
      store: (real) => ({
        ...real,
        commit: (batch) => (disk.full ? Promise.reject(new StoreError('unwritable', 'no space')) : real.commit(batch)),
      }),
    });
    const push = () =>
      app.http.inject({
        method: 'POST',
        url: '/events?platform=x',
        headers: { ...bearer(OPERATOR_KEY), 'content-type': 'application/x-ndjson' },
        payload: '{"data":{"id":"1","text":"lava"}}',
      });
    expect((await push()).statusCode).toBe(200);
    disk.full = true;
    const refused = await push();
    expect([refused.statusCode, refused.json<{ code: string }>().code]).toEqual([503, 'unavailable']);
    expect(refused.headers['retry-after']).toEqual(expect.any(String));
    const ready = await app.http.inject('/readyz');
    expect([ready.statusCode, ready.json()]).toEqual([
      503,
      {
        code: 'unavailable',
        message: 'Not ready: the store cannot be written.',
        details: { reasons: ['store_unwritable'] },
      },
    ]);
    expect((await list(app, bearer(OPERATOR_KEY))).statusCode).toBe(200);
    expect((await app.http.inject('/healthz')).statusCode).toBe(200);
    disk.full = false;
    while ((await app.http.inject('/readyz')).statusCode !== 200) await new Promise(setImmediate);
    expect((await push()).statusCode).toBe(200);
  });
});

describe('a defect', () => {
  it('is a 500 that says nothing, and a line in the log that says all but secrets', async () => {
    const broken = new Error('the cupboard is bare');
    await using app = await startApp({ store: (real) => ({ ...real, rule: () => Promise.reject(broken) }) });
    const answer = await app.http.inject({ url: '/api.GetRule?rule_id=rule_1', headers: bearer(OPERATOR_KEY) });
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toEqual({ code: 'internal', message: expect.any(String), details: {} });
    expect(answer.body).not.toContain('cupboard');
    expect(app.logged.join('\n')).toContain(answer.headers['x-request-id']);
    expect(app.logged.join('\n')).not.toContain(OPERATOR_KEY);
  });
});
