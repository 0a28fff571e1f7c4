/** From a request to an operation and back, over a store in memory. */
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type App, OPERATOR_KEY, startApp } from '../../test/stages/http-app.ts';
import type { Rule } from '../domain/rule.ts';
import { authenticate } from '../service/access/keys.ts';
import { takesNothing } from './handler.ts';

const bearer = { authorization: `Bearer ${OPERATOR_KEY}` };
let app: App;
const sent: AbortSignal[] = [];
beforeAll(async () => {
  app = await startApp({
    rateLimit: 6_000,
    delivery: {
      // A receiver that never answers: the attempt ends when its caller goes away.
      send: ({ signal }) =>
        new Promise((done) => {
          sent.push(signal);
          const error = 'aborted';
          signal.addEventListener('abort', () =>
            done({ statusCode: undefined, error, response: '', overloaded: false, retryAfter: undefined }),
          );
        }),
    },
  });
});
afterAll(() => app[Symbol.asyncDispose]());

const post = (url: string, payload?: object | string, headers: Record<string, string> = {}) =>
  app.http.inject({
    method: 'POST',
    url,
    headers: { ...bearer, ...headers },
    ...(payload !== undefined && { payload }),
  });
const get = (url: string) => app.http.inject({ url, headers: bearer });
const left = (answer: { headers: Record<string, unknown> }) =>
  Number(/r=(\d+)/.exec(String(answer.headers['ratelimit']))![1]);
const createRule = async (name: string) =>
  (await post('/api.CreateRule', { name, intent: '', platforms: ['x'], overrides: { x: name } })).json<{
    rule_id: string;
  }>().rule_id;

it('an operation takes nothing when its input has no field', () => {
  expect([
    takesNothing(z.strictObject({})),
    takesNothing(z.strictObject({ a: z.string() })),
    takesNothing(z.string()),
  ]).toEqual([true, false, false]);
});

describe('a list of rules', () => {
  const list = async (url = '/api.ListRules') => (await get(url)).json<{ rules: { name: string }[] }>();

  it('is one JSON object, of no rule, one and many', async () => {
    const empty = await get('/api.ListRules');
    expect([empty.body, empty.headers['content-type']]).toEqual(['{"rules":[]}', 'application/json; charset=utf-8']);
    await createRule('lava');
    expect((await list()).rules.map(({ name }) => name)).toEqual(['lava']);
    for (let n = 0; n < 3; n++) await createRule(`b${n}`);
    expect((await list()).rules.map(({ name }) => name).toSorted()).toEqual(['b0', 'b1', 'b2', 'lava']);
  });

  it('is one JSON object however the store cuts it into slices, some of them empty', async () => {
    const slices = [[], ['e1', 'e2'], [], ['e3']];
    await using cut = await startApp({
      store: (real) => ({
        ...real,
        async *rules(accountId) {
          const all: Rule[] = [];
          for await (const slice of real.rules(accountId)) all.push(...slice);
          for (const names of slices) yield all.filter(({ name }) => names.includes(name));
        },
      }),
    });
    for (const name of ['e1', 'e2', 'e3']) {
      const payload = { name, intent: '', platforms: ['x'], overrides: { x: name } };
      await cut.http.inject({ method: 'POST', url: '/api.CreateRule', headers: bearer, payload });
    }
    const { body } = await cut.http.inject({ url: '/api.ListRules', headers: bearer });
    const { rules } = JSON.parse(body) as { rules: { name: string }[] };
    expect(rules.map(({ name }) => name)).toEqual(['e1', 'e2', 'e3']);
  });

  it('takes its input from the address or from a body, and a body may be missing', async () => {
    expect((await post('/api.ListRules')).json().rules).toHaveLength(4);
    expect((await post('/api.ListRules', {})).json().rules).toHaveLength(4);
    expect((await get('/api.ListRules?nonsense=1')).statusCode).toBe(400);
    expect((await post('/api.ListRules', { nonsense: 1 })).statusCode).toBe(400);
    // A mistake is told before the answer begins.
    expect((await get('/api.ListRules?nonsense=1')).json().code).toBe('invalid_argument');
  });
});

describe('the input of an operation', () => {
  it('of a GET is in its address, and of a POST in its body alone', async () => {
    const id = await createRule('c');
    expect((await get(`/api.GetRule?rule_id=${id}`)).json().name).toBe('c');
    const both = await post(`/api.DeleteRule?rule_id=${id}`, {});
    expect([both.statusCode, both.json().details.issues[0].path]).toEqual([400, 'rule_id']);
  });

  it('of a push is in its lines and in its address; no line is no event', async () => {
    const lines = { 'content-type': 'application/x-ndjson' };
    const pushed = await post('/events?platform=x', '{"data":{"id":"1","text":"lava"}}\n', lines);
    expect([pushed.statusCode, pushed.json()]).toMatchObject([200, { accepted: 1, matches: 1 }]);
    expect((await post('/events?platform=x', '', lines)).json()).toMatchObject({ accepted: 0 });
    expect((await post('/events', '{"data":{"id":"1","text":"lava"}}', lines)).json().details.issues[0].path).toBe(
      'platform',
    );
    const bare = await app.http.inject({ method: 'POST', url: '/events?platform=x', headers: bearer });
    expect([bare.statusCode, bare.json().accepted]).toEqual([200, 0]);
  });
});

describe('the cost of a request', () => {
  it('is taken before it runs, and afterwards for the CPU that it took', async () => {
    const before = left(await get('/api.Status'));
    expect(before - left(await post('/matches', {}))).toBe(1);
    const caller = await authenticate(app.context, OPERATOR_KEY);
    app.context.cpuUse.note(caller, 250);
    expect(before - left(await post('/matches', {}))).toBe(11);
    // The most that a request takes is in its own cost.
    app.context.cpuUse.note(caller, 20);
    expect(before - left(await post('/matches', {}))).toBe(12);
  });

  it('is taken of a request that is refused for its input, and none without a key', async () => {
    const before = left(await get('/api.Status'));
    expect((await post('/api.TestWebhook', { nonsense: 1 })).statusCode).toBe(400);
    expect((await app.http.inject({ method: 'POST', url: '/matches', payload: {} })).headers).not.toHaveProperty(
      'ratelimit',
    );
    expect(before - left(await get('/api.Status'))).toBe(6);
  });

  it('is ten where a small request may write for long', async () => {
    const before = left(await get('/api.Status'));
    await post('/api.RestoreRule', { rule_id: 'rule_01k3zq8m7e5w9c2t4r6y8p0a1b' });
    expect(before - left(await get('/api.Status'))).toBe(11);
  });
});

describe('a session', () => {
  it('is handed to the browser by Create Session, and by no other operation', async () => {
    const opened = await post('/api.CreateSession');
    const { session } = opened.json<{ session: string }>();
    expect(opened.headers['set-cookie']).toContain(`sluice_session=${session}; `);
    expect((await get('/api.Status')).headers).not.toHaveProperty('set-cookie');
  });
});

describe('a request that is sent again with its key', () => {
  it('creates one rule, and is refused with another body', async () => {
    const key = { 'idempotency-key': 'once' };
    const body = { name: 'd', intent: '', platforms: ['x'], overrides: { x: 'd' } };
    const first = await post('/api.CreateRule', body, key);
    const again = await post('/api.CreateRule', body, key);
    expect([again.statusCode, again.json().rule_id]).toEqual([200, first.json().rule_id]);
    expect((await post('/api.CreateRule', { ...body, name: 'e' }, key)).statusCode).toBe(409);
    expect((await post('/api.CreateRule', body)).json().rule_id).not.toBe(first.json().rule_id);
  });
});

describe('a caller that goes away', () => {
  it('ends what its request waits for', async () => {
    const made = await post('/api.CreateWebhook', { url: 'https://receiver.example/' });
    const payload = JSON.stringify({ webhook_id: made.json<{ webhook_id: string }>().webhook_id });
    await app.http.listen({ port: 0, host: '127.0.0.1' });
    const asking = httpRequest({
      port: (app.http.server.address() as AddressInfo).port,
      method: 'POST',
      path: '/api.TestWebhook',
      headers: { ...bearer, 'content-type': 'application/json' },
    });
    asking.on('error', () => {});
    asking.end(payload);
    while (sent.length === 0) await new Promise(setImmediate);
    const [signal] = sent;
    expect(signal!.aborted).toBe(false);
    const aborted = new Promise((done) => signal!.addEventListener('abort', done));
    asking.destroy();
    await aborted;
  });
});
