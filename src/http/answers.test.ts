/** The whole server over a store in memory: what answers say, and what is refused before an operation runs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, OPERATOR_KEY, startApp } from '../../test/stages/http-app.ts';

let app: App;
beforeAll(async () => {
  app = await startApp({ rateLimit: 60_000 });
});
afterAll(() => app[Symbol.asyncDispose]());

const bearer = { authorization: `Bearer ${OPERATOR_KEY}` };
const ask = (url: string, headers: Record<string, string> = bearer) => app.http.inject({ url, headers });
const post = (url: string, payload: string | object, headers: Record<string, string> = {}) =>
  app.http.inject({
    method: 'POST',
    url,
    headers: { ...bearer, ...(typeof payload === 'string' && { 'content-type': 'application/json' }), ...headers },
    payload,
  });

describe('every answer', () => {
  it.each(['/healthz', '/api.Status', '/nowhere', '/openapi.json'])(
    'of %s cannot be framed, sniffed or kept',
    async (url) => {
      const { headers } = await ask(url);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'cross-origin-resource-policy': 'same-origin',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'x-request-id': expect.stringMatching(/^req_/),
      });
    },
  );

  it('has the request id that the caller gave, and the type and length of its JSON', async () => {
    const { headers, rawPayload } = await ask('/api.Status', { ...bearer, 'x-request-id': 'mine' });
    expect(headers).toMatchObject({
      'x-request-id': 'mine',
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(rawPayload.length),
    });
  });
});

describe('a request is refused', () => {
  it.each([
    ['without a key', {}, 401],
    ['with another scheme', { authorization: `Basic ${OPERATOR_KEY}` }, 401],
    ['with a wrong key', { authorization: 'Bearer wrong' }, 401],
    ['with an empty key', { authorization: 'Bearer ' }, 401],
  ])('%s', async (_, headers, status) => {
    const answer = await ask('/api.Status', headers);
    expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([status, 'Bearer']);
  });

  it('and is told whether there was no key, or half of one', async () => {
    const message = async (headers: Record<string, string>) => (await ask('/api.Status', headers)).json().message;
    const told = await Promise.all([{}, { authorization: 'Basic a' }, { authorization: 'Bearer wrong' }].map(message));
    expect(new Set(told).size).toBe(3);
    for (const one of told) expect(one).toContain('Authorization: Bearer <API_KEY>');
  });

  it('with a session beside another scheme: what the header says counts alone', async () => {
    const opened = await app.http.inject({ method: 'POST', url: '/api.CreateSession', headers: bearer });
    const session = { cookie: String(opened.headers['set-cookie']).split(';')[0]!, 'x-sluice-session': '1' };
    expect((await ask('/api.Status', session)).statusCode).toBe(200);
    expect((await ask('/api.Status', { ...session, authorization: 'Basic a' })).statusCode).toBe(401);
  });

  it('with a compressed body, before the body is read', async () => {
    expect((await post('/matches', '{}', { 'content-encoding': 'gzip' })).statusCode).toBe(415);
    expect((await post('/matches', '{}', { 'content-encoding': 'identity' })).statusCode).toBe(200);
  });

  it('with a type of body that the path does not take', async () => {
    expect((await post('/matches', '{}', { 'content-type': 'text/plain' })).statusCode).toBe(415);
    expect((await post('/events?platform=x', '{}', { 'content-type': 'application/json' })).statusCode).toBe(415);
    expect((await post('/events?platform=x', '', { 'content-type': 'application/ndjson' })).statusCode).not.toBe(415);
  });

  it('without a body where one is needed, and not where none is', async () => {
    const empty = await app.http.inject({ method: 'POST', url: '/matches', headers: bearer });
    expect([empty.statusCode, empty.json().message]).toEqual([400, 'The body is empty; a JSON object is expected.']);
    const ticket = await app.http.inject({ method: 'POST', url: '/api.CreateStreamTicket', headers: bearer });
    expect(ticket.statusCode).toBe(200);
  });

  it('with a body of more than 256 KiB, events excepted', async () => {
    const long = JSON.stringify({ text: 'x'.repeat(256 * 1024) });
    expect((await post('/matches', long)).statusCode).toBe(413);
    const event = JSON.stringify({ data: { id: '1', text: 'x'.repeat(300 * 1024) } });
    expect((await post('/events?platform=x', event, { 'content-type': 'application/x-ndjson' })).statusCode).toBe(200);
  });

  it('at a path that is none, and with a method that the path does not have, which it names', async () => {
    const nowhere = await ask('/nowhere?a=1');
    expect([nowhere.statusCode, nowhere.json().code]).toEqual([404, 'not_found']);
    const other = await app.http.inject({ method: 'DELETE', url: '/api.ListRules?a=1', headers: bearer });
    expect([other.statusCode, other.json().code]).toEqual([405, 'unimplemented']);
    expect(String(other.headers['allow']).split(', ')).toEqual(expect.arrayContaining(['GET', 'POST']));
    expect(String(other.headers['allow'])).not.toContain('DELETE');
  });

  it.each([
    ['empty', '', 400],
    ['of 255 characters', 'k'.repeat(255), 200],
    ['of 256', 'k'.repeat(256), 400],
  ])('with an Idempotency-Key that is %s', async (_, key, status) => {
    const answer = await post('/api.ListKeys', {}, { 'idempotency-key': key });
    expect(answer.statusCode).toBe(status);
  });
});

describe('the pages without a key', () => {
  it('name the host that the caller used, and only what can be a host', async () => {
    const url = async (host: string) => (await ask('/openapi.json', { host })).json().servers[0].url as string;
    expect(await url('sluice.example:8080')).toBe('http://sluice.example:8080');
    expect(await url('[::1]:4800')).toBe('http://[::1]:4800');
    expect(await url('a"onload=')).toBe('http://127.0.0.1:4800');
    expect((await ask('/llms.txt', { host: 'sluice.example' })).body).toContain('http://sluice.example');
  });

  it('say that it lives, and the figures only to an operator', async () => {
    expect((await ask('/healthz', {})).json()).toEqual({ status: 'ok' });
    expect((await ask('/readyz', {})).json()).toEqual({ status: 'ready' });
    expect((await ask('/metrics', {})).statusCode).toBe(401);
    const other = await app.newAccount('a customer');
    expect((await ask('/metrics', { authorization: `Bearer ${other}` })).statusCode).toBe(403);
    expect((await ask('/metrics')).statusCode).toBe(200);
  });
});
