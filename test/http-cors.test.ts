/** Pages of other origins: listed ones may call with a key, others get what they ever got. */
import { describe, expect, it } from 'vitest';
import { OPERATOR_KEY, startApp } from './stages/http-app.ts';

const LISTED = 'https://app.example';
const authorization = `Bearer ${OPERATOR_KEY}`;

const preflight = (origin: string, url = '/matches') =>
  ({
    method: 'OPTIONS',
    url,
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  }) as const;

const corsHeaders = (headers: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

describe('without SLUICE_CORS_ORIGINS', () => {
  it('no page of another origin is told anything, and a question before a request is refused', async () => {
    await using app = await startApp();
    const asked = await app.http.inject(preflight(LISTED));
    expect(asked.statusCode).toBe(405);
    const answered = await app.http.inject({ url: '/api.ListRules', headers: { authorization, origin: LISTED } });
    expect(answered.statusCode).toBe(200);
    for (const { headers } of [asked, answered]) {
      expect(corsHeaders(headers)).toEqual([]);
      expect(headers['vary']).toBeUndefined();
    }
  });
});

describe('with SLUICE_CORS_ORIGINS', () => {
  const corsOrigins = [LISTED, 'http://localhost:5173'];

  it('a listed origin may ask for the methods and headers that the path takes', async () => {
    await using app = await startApp({ corsOrigins });
    const { statusCode, headers, body } = await app.http.inject(preflight(LISTED));
    expect({ statusCode, body }).toEqual({ statusCode: 204, body: '' });
    expect(headers).toMatchObject({
      'access-control-allow-origin': LISTED,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID',
      'access-control-max-age': '600',
      vary: 'Origin',
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it('a listed origin may read answers and errors, with the headers that tell when to try again', async () => {
    await using app = await startApp({ corsOrigins });
    const from = { origin: 'http://localhost:5173' };
    const right = await app.http.inject({ url: '/api.ListRules', headers: { authorization, ...from } });
    const wrong = await app.http.inject({ url: '/api.ListRules', headers: from });
    const unknown = await app.http.inject({ url: '/nothing', headers: from });
    expect([right.statusCode, wrong.statusCode, unknown.statusCode]).toEqual([200, 401, 404]);
    for (const { headers } of [right, wrong, unknown]) {
      expect(headers['access-control-allow-origin']).toBe('http://localhost:5173');
      expect(headers['access-control-expose-headers']).toContain('Retry-After');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
      expect(headers['vary']).toBe('Origin');
    }
  });

  it.each([
    'https://other.example',
    'https://app.example.evil',
    'http://app.example',
    'https://APP.example',
    'null',
    '*',
  ])('the origin %s is answered as if nothing were set', async (origin) => {
    await using app = await startApp({ corsOrigins });
    const asked = await app.http.inject(preflight(origin));
    expect(asked.statusCode).toBe(405);
    const answered = await app.http.inject({ url: '/api.ListRules', headers: { authorization, origin } });
    for (const { headers } of [asked, answered]) expect(corsHeaders(headers)).toEqual([]);
    expect(answered.headers['vary']).toBe('Origin');
  });

  it('a path that does not exist, and OPTIONS that is no question, are refused as ever', async () => {
    await using app = await startApp({ corsOrigins });
    expect((await app.http.inject(preflight(LISTED, '/nothing'))).statusCode).toBe(404);
    const plain = await app.http.inject({ method: 'OPTIONS', url: '/matches', headers: { origin: LISTED } });
    expect(plain.statusCode).toBe(405);
  });

  it('the cookie of a session does not count for a listed origin', async () => {
    await using app = await startApp({ corsOrigins });
    const opened = await app.http.inject({ method: 'POST', url: '/api.CreateSession', headers: { authorization } });
    const cookie = String(opened.headers['set-cookie']).split(';')[0]!;
    const own = { cookie, 'x-sluice-session': '1' };
    const same = await app.http.inject({ url: '/api.ListRules', headers: { ...own, 'sec-fetch-site': 'same-origin' } });
    const other = { ...own, origin: LISTED, 'sec-fetch-site': 'cross-site' };
    expect(same.statusCode).toBe(200);
    expect((await app.http.inject({ url: '/api.ListRules', headers: other })).statusCode).toBe(401);
    // The page cannot even ask to send the header that the cookie needs.
    const { headers } = await app.http.inject(preflight(LISTED));
    expect(headers['access-control-allow-headers']).not.toMatch(/session/i);
  });

  it('a stream may be read by a listed origin', async () => {
    await using app = await startApp({ corsOrigins });
    const address = await app.http.listen({ host: '127.0.0.1', port: 0 });
    const ended = new AbortController();
    const stream = await fetch(`${address}/matches/stream`, {
      headers: { authorization, origin: LISTED },
      signal: ended.signal,
    });
    expect(stream.headers.get('access-control-allow-origin')).toBe(LISTED);
    ended.abort();
  });
});

describe('with SLUICE_CORS_ORIGINS=*', () => {
  it('every origin may call with a key, and none with cookies', async () => {
    await using app = await startApp({ corsOrigins: ['*'] });
    const asked = await app.http.inject(preflight('https://any.example'));
    const answered = await app.http.inject({ url: '/api.ListRules', headers: { authorization, origin: 'null' } });
    expect([asked.statusCode, answered.statusCode]).toEqual([204, 200]);
    for (const { headers } of [asked, answered]) {
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });
});
