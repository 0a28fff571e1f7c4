/** The door of the tool server: who is let in, what a refusal tells, and what a call counts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange } from '../../test/black-box/raw-http.ts';
import { ISSUER, type OAuthStage, oauthStage, RESOURCE } from '../../test/oauth/stage.ts';
import { OPERATOR_KEY, startApp } from '../../test/stages/http-app.ts';
import { turnsDuring } from '../../test/stages/turns.ts';

const METADATA = `Bearer resource_metadata="${ISSUER}/.well-known/oauth-protected-resource/mcp"`;
const ASKED = 'scope="read full events"';
let stage: OAuthStage;
beforeAll(async () => {
  stage = await oauthStage({ rateLimit: 6_000 });
});
afterAll(() => stage[Symbol.asyncDispose]());

const left = ({ headers }: { headers: Readonly<Record<string, unknown>> }) =>
  Number(/r=(\d+)/.exec(String(headers['ratelimit']))![1]);

describe('a program', () => {
  it('without a token is told where it gets one, and for what it may ask', async () => {
    const { status, headers, json } = await stage.mcp(undefined);
    expect([status, headers['www-authenticate']]).toEqual([401, `${METADATA}, ${ASKED}`]);
    expect(json()).toMatchObject({ code: 'unauthenticated' });
  });

  it('with a wrong token is told that it is wrong', async () => {
    for (const token of ['wrong', `${OPERATOR_KEY}x`]) {
      const { status, headers } = await stage.mcp(token);
      expect([status, headers['www-authenticate']]).toEqual([401, `${METADATA}, ${ASKED}, error="invalid_token"`]);
    }
  });

  it('with a key is let in as well', async () => {
    expect((await stage.mcp(OPERATOR_KEY)).status).toBe(200);
  });

  it('with a session of the console is not', async () => {
    const cookie = `__Host-sluice_session=${await stage.signIn()}`;
    expect((await stage.mcp(undefined, 'tools/list', {}, { cookie, 'x-sluice-session': '1' })).status).toBe(401);
  });

  it('with two headers of authorization is not: two readers could take different ones', async () => {
    const url = await stage.app.http.listen({ port: 0, host: '127.0.0.1' });
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    const ask = async (...secrets: string[]) => {
      const shown = secrets.map((secret) => `authorization: Bearer ${secret}\r\n`).join('');
      const head = `POST /mcp HTTP/1.1\r\nHost: ${new URL(RESOURCE).host}\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${body.length}\r\n`;
      return (await exchange(url, Buffer.from(`${head}${shown}\r\n${body}`)))[0]!.status;
    };
    expect([await ask(OPERATOR_KEY), await ask(OPERATOR_KEY, OPERATOR_KEY)]).toEqual([200, 400]);
  });

  it('at another host is refused before anything else', async () => {
    const { status, json } = await stage.mcp(OPERATOR_KEY, 'tools/list', {}, { host: 'evil.example' });
    expect([status, json()['code']]).toEqual([403, 'permission_denied']);
  });
});

describe('a call', () => {
  const create = { overrides: { x: 'lava' }, name: 'Lava', intent: 'Tell me.' };

  it('beyond what the person allowed names the scope that is missing', async () => {
    const reader = await stage.connect({ scopes: ['read'] });
    const call = await stage.mcp(reader.access_token, 'tools/call', { name: 'create_rule', arguments: create });
    expect([call.status, call.headers['www-authenticate']]).toEqual([
      403,
      `${METADATA}, scope="full", error="insufficient_scope"`,
    ]);
    expect(call.json()).toMatchObject({ code: 'permission_denied', message: 'This needs the scope `full`.' });
    const allowed = await stage.mcp(reader.access_token, 'tools/call', { name: 'list_matches', arguments: {} });
    expect(allowed.status).toBe(200);
  });

  it('within it is answered', async () => {
    const full = await stage.connect({ scopes: ['read', 'full'] });
    const call = await stage.mcp(full.access_token, 'tools/call', { name: 'create_rule', arguments: create });
    expect([call.status, call.headers['www-authenticate']]).toEqual([200, undefined]);
  });

  it('counts what the operations behind it count, and a search what it took', async () => {
    const tool = (name: string, input: object) => stage.mcp(OPERATOR_KEY, 'tools/call', { name, arguments: input });
    const before = left(await stage.mcp(OPERATOR_KEY));
    const plain = left(await tool('list_matches', {}));
    expect(before - plain).toBe(1);
    const charged: string[] = [];
    stage.app.context.cpuUse.listen(({ account }) => void charged.push(account.id));
    expect(plain - left(await tool('list_matches', { text: 'lava' }))).toBe(1);
    expect(charged).toEqual([(await stage.app.context.store.account('default'))?.id]);
  });
});

describe('a request', () => {
  const send = (method: 'GET' | 'POST' | 'DELETE' | 'HEAD' | 'PUT', payload?: string, type = 'application/json') =>
    stage.app.http.inject({
      method,
      url: '/mcp',
      headers: {
        authorization: `Bearer ${OPERATOR_KEY}`,
        host: new URL(RESOURCE).host,
        accept: 'application/json, text/event-stream',
        ...(payload !== undefined && { 'content-type': type }),
      },
      ...(payload !== undefined && { payload }),
    });

  const METHODS = [
    'initialize',
    'ping',
    'tools/list',
    'tools/call',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'resources/subscribe',
    'prompts/list',
    'prompts/get',
    'completion/complete',
    'logging/setLevel',
    'events/list',
    'events/subscribe',
    'events/unsubscribe',
    'server/discover',
  ];
  const ODD = [
    undefined,
    null,
    5,
    'a',
    [],
    {},
    { protocolVersion: 5, capabilities: 5, clientInfo: 'a' },
    { name: 5, arguments: [], uri: {}, cursor: 5, level: 'a', ref: 5, delivery: 5 },
    { name: 'watch_for', arguments: { intent: 5 }, uri: 'a', cursor: 'a', delivery: { mode: 'webhook' } },
    { _meta: 5 },
    { _meta: { progressToken: {} } },
  ];
  const errorIn = (text: string): { code: number; message: string } | undefined =>
    JSON.parse(/\{.*\}/.exec(text)![0]).error;

  it.each(METHODS)('%s with odd parameters is told so in a sentence', async (method) => {
    for (const params of ODD) {
      const { body } = await send('POST', JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
      const { code, message } = errorIn(body) ?? { code: 0, message: '' };
      expect([params, code, message]).not.toEqual([params, -32_603, message]);
      expect(message).not.toMatch(/[{}[\]\n]/);
    }
  });

  it('that is no initialization names what is missing', async () => {
    const { body } = await send('POST', '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":5}}');
    expect(errorIn(body)).toEqual({
      code: -32_602,
      message:
        'These parameters are wrong: `params.protocolVersion` (expected string, received undefined), `params.capabilities` (expected object, received number), `params.clientInfo` (expected object, received undefined).',
    });
  });

  const request = (id: number, method = 'ping') => ({ jsonrpc: '2.0', id, method });
  const cancel = (requestId: number) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });

  it.each([
    ['only', [request(1), cancel(1)], 202, []],
    ['one', [request(1), request(2), cancel(1), request(3)], 200, [2, 3]],
    ['the next', [cancel(1), request(1)], 202, []],
    ['an unknown', [request(1), cancel(7), cancel(8)], 200, [1]],
  ])('of a batch that takes back %s is answered to its end', async (_, batch, status, answered) => {
    const { statusCode, body } = await send('POST', JSON.stringify(batch));
    const ids = Array.from(body.matchAll(/"id":(\d)/g), ([, id]) => Number(id));
    expect([statusCode, ids]).toEqual([status, answered]);
  });

  it('that is no JSON is refused in our shape, one without a body in the protocol’s', async () => {
    const broken = await send('POST', '{');
    expect([broken.statusCode, broken.json().code]).toEqual([400, 'invalid_argument']);
    expect((await send('POST', '{}', 'text/plain')).statusCode).toBe(415);
    const empty = await send('POST', '');
    expect(empty.statusCode).toBeGreaterThanOrEqual(400);
    expect(empty.json()).toMatchObject({ jsonrpc: '2.0' });
  });

  const batch = (length: number, method: string, params: object = {}) =>
    send('POST', JSON.stringify(Array.from({ length }, (_, id) => ({ jsonrpc: '2.0', id, method, params }))));

  it('of many messages counts each of them, and has at most ten', async () => {
    const before = left(await stage.mcp(OPERATOR_KEY));
    const ten = await batch(10, 'ping');
    expect([ten.statusCode, before - left(ten)]).toEqual([200, 10]);
    const eleven = await batch(11, 'ping');
    expect([eleven.statusCode, eleven.json()]).toEqual([
      400,
      { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'A batch has at most 10 messages.' } },
    ]);
  });

  it('of two requests with one id is refused before either runs', async () => {
    const tool = (id: unknown, name: string) => {
      const rule = { name, intent: '', platforms: ['x'], overrides: { x: 'storm' } };
      return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'create_rule', arguments: rule } };
    };
    const rules = async () => (await stage.tool(OPERATOR_KEY, 'list_rules')).text;
    const before = await rules();
    const twice = await send('POST', JSON.stringify([tool(1, 'one'), request(2), tool(1, 'two')]));
    expect([twice.statusCode, twice.json()]).toEqual([
      400,
      { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'Two requests of the batch have one id.' } },
    ]);
    expect(await rules()).toBe(before);
    const apart = [request(1), { ...request(1), id: '1' }, { jsonrpc: '2.0', id: 1, result: {} }];
    expect((await send('POST', JSON.stringify(apart))).statusCode).toBe(200);
  });

  it.each([
    ['prompts/get', { name: 1 }, 'params.name'],
    ['prompts/get', { name: 'watch_for', arguments: [] }, 'params.arguments'],
    ['prompts/get', undefined, 'params'],
    ['resources/read', { uri: null }, 'params.uri'],
    ['tools/list', { cursor: {} }, 'params.cursor'],
    ['resources/templates/list', [], 'params'],
  ])('%s with params %j is told what is wrong with them', async (method, params, place) => {
    const { statusCode, body } = await send('POST', JSON.stringify({ jsonrpc: '2.0', id: 'a', method, params }));
    expect([statusCode, errorIn(body)]).toEqual([
      200,
      { code: -32_602, message: expect.stringContaining(`\`${place}\``) },
    ]);
  });

  it('for many resources answers each in a turn of its own', async () => {
    const read = () => batch(10, 'resources/read', { uri: 'sluice://syntax/x' });
    // The first reader has the key looked up.
    await read();
    expect(await turnsDuring(read())).toBeGreaterThanOrEqual(10);
  });

  it('for a resource that fails by our fault is told so, and the log is told why', async () => {
    await using app = await startApp({
      store: (real) => Object.assign(real, { rule: () => Promise.reject(new Error('a secret of ours')) }),
    });
    const uri = 'sluice://rules/rule_01k3zq8f6s5v1m9c2x7d4b0n3h/matches';
    const { body } = await app.http.inject({
      method: 'POST',
      url: '/mcp',
      headers: {
        authorization: `Bearer ${OPERATOR_KEY}`,
        host: 'localhost',
        accept: 'application/json, text/event-stream',
      },
      payload: { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } },
    });
    expect(body).toContain('{"code":-32603,"message":"Something went wrong on our side."}');
    expect(body).not.toContain('secret');
    expect(app.logged.join()).toContain('A request of an agent failed.');
  });

  it.each(['GET', 'DELETE'] as const)('by %s is answered by the protocol, which keeps no session', async (method) => {
    expect((await send(method)).statusCode).toBe(405);
    expect((await send(method)).headers['content-type']).toContain('application/json');
  });

  it.each(['HEAD', 'PUT'] as const)('by %s is not answered at all', async (method) => {
    const answer = await send(method);
    expect([answer.statusCode, answer.headers['allow']]).toEqual([405, 'POST, GET, DELETE']);
  });
});

it('a server without OAuth asks for a key, and names no place for tokens', async () => {
  await using app = await startApp();
  const answer = await app.http.inject({
    method: 'POST',
    url: '/mcp',
    headers: { host: '127.0.0.1' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  });
  expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
});
