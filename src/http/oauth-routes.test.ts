/** The endpoints of OAuth as a program meets them: their headers, their failures and their limits. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CALLBACK,
  codeForm,
  ISSUER,
  type OAuthStage,
  oauthStage,
  refreshForm,
  type Tokens,
} from '../../test/oauth/stage.ts';
import { startApp } from '../../test/stages/http-app.ts';
import { StoreError } from '../store/error.ts';
import { OAUTH_PATHS } from './oauth-metadata.ts';

let stage: OAuthStage;
beforeAll(async () => {
  stage = await oauthStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const FORM = 'application/x-www-form-urlencoded';
const sendTo = (url: string, payload: string, type: string, headers: Record<string, string> = {}) =>
  stage.app.http.inject({ method: 'POST', url, headers: { 'content-type': type, ...headers }, payload });
const register = (body: string | object, remoteAddress = '203.0.113.1', app = stage.app) =>
  app.http.inject({
    method: 'POST',
    url: '/oauth/register',
    headers: { 'content-type': 'application/json' },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
    remoteAddress,
  });

it('a server without a public address says at every path why OAuth is off', async () => {
  await using app = await startApp();
  for (const url of OAUTH_PATHS)
    for (const method of ['GET', 'POST'] as const) {
      const answer = await app.http.inject({ method, url });
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'not_found']);
      expect(answer.json().message).toMatch(/^OAuth is off\. SLUICE_PUBLIC_URL is not set\./);
    }
});

describe('the documents by which a client finds its way', () => {
  it.each(['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'])(
    '%s tells of the resource, to pages of any site',
    async (url) => {
      const { headers, body } = await stage.app.http.inject(url);
      expect(JSON.parse(body)).toEqual({
        resource: `${ISSUER}/mcp`,
        authorization_servers: [ISSUER],
        scopes_supported: ['read', 'full', 'events'],
        bearer_methods_supported: ['header'],
        resource_name: 'Sluice',
        resource_documentation: `${ISSUER}/docs/`,
      });
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=300',
        'cross-origin-resource-policy': 'cross-origin',
      });
    },
  );

  it('the other tells what the server can do', async () => {
    const { body } = await stage.app.http.inject('/.well-known/oauth-authorization-server');
    expect(JSON.parse(body)).toEqual({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/oauth/authorize`,
      token_endpoint: `${ISSUER}/oauth/token`,
      registration_endpoint: `${ISSUER}/oauth/register`,
      revocation_endpoint: `${ISSUER}/oauth/revoke`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
      revocation_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
      scopes_supported: ['read', 'full', 'events', 'offline_access'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
      service_documentation: `${ISSUER}/docs/`,
    });
  });
});

it('a server under a path has its documents where clients look for them', async () => {
  await using under = await oauthStage({ publicUrl: `${ISSUER}/base` });
  const resource = '/.well-known/oauth-protected-resource';
  const server = '/.well-known/oauth-authorization-server';
  for (const url of [resource, `${resource}/mcp`, `${resource}/base/mcp`])
    expect((await under.app.http.inject(url)).json().resource).toBe(`${ISSUER}/base/mcp`);
  for (const url of [server, `${server}/base`])
    expect((await under.app.http.inject(url)).json().issuer).toBe(`${ISSUER}/base`);
  expect((await under.mcp(undefined)).headers['www-authenticate']).toContain(`"${ISSUER}${resource}/base/mcp"`);
});

describe('wrong secrets', () => {
  const ATTEMPTS: Record<string, (one: OAuthStage, clientId: string) => Promise<{ status: number }>> = {
    codes: (one, clientId) => one.post('/oauth/token', codeForm(clientId, 'wrong')),
    'refresh tokens': (one, clientId) =>
      one.post('/oauth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: 'slr_wrong' }),
    'clients of tokens': (one) => one.post('/oauth/token', codeForm('nobody', 'wrong')),
    'clients of an end': (one) => one.post('/oauth/revoke', { client_id: 'nobody', token: 'a' }),
    'clients of a question': (one) => one.authorize(one.request('nobody')),
    keys: (one) => one.mcp('slk_wrong'),
  };

  it.each(Object.keys(ATTEMPTS))('%s are refused after a hundred, whichever were wrong before', async (name) => {
    await using limited = await oauthStage({ rateLimit: 100_000 });
    const clientId = String((await limited.register())['client_id']);
    const attempt = (which: string) => ATTEMPTS[which]!(limited, clientId);
    for (let index = 0; index < 99; index++) expect((await attempt(name)).status).not.toBe(429);
    const other = name === 'keys' ? 'codes' : 'keys';
    expect((await attempt(other)).status).not.toBe(429);
    expect([(await attempt(name)).status, (await attempt(other)).status]).toEqual([429, 429]);
    const { session } = await limited.connect();
    expect(session).not.toBe('');
  });

  it('beyond the number are told when to come back, in the words of OAuth', async () => {
    await using limited = await oauthStage({ rateLimit: 100_000 });
    for (let index = 0; index < 100; index++) await ATTEMPTS['clients of tokens']!(limited, '');
    const { status, headers, body } = await limited.post('/oauth/token', codeForm('nobody', 'wrong'));
    expect([status, headers['retry-after'], JSON.parse(body).error]).toEqual([429, '3', 'temporarily_unavailable']);
  });
});

describe('authorize', () => {
  it('sends the browser to the page that asks, which nobody may frame, with the request as it came', async () => {
    const query = `${stage.request(String((await stage.register())['client_id']))}&extra=a?b`;
    const { status, headers } = await stage.authorize(query);
    expect([status, headers['location'], headers['x-frame-options']]).toEqual([
      302,
      `${ISSUER}/consent#/authorize?request=${encodeURIComponent(query)}`,
      'DENY',
    ]);
  });

  it('sends what is wrong to the client that it knows', async () => {
    const id = String((await stage.register())['client_id']);
    const { status, headers } = await stage.authorize(stage.request(id, { response_type: 'token' }));
    const location = new URL(String(headers['location']));
    expect([status, location.origin + location.pathname, location.searchParams.get('error')]).toEqual([
      302,
      CALLBACK,
      'unsupported_response_type',
    ]);
  });

  it('tells the person what is wrong when the client is unknown, as text', async () => {
    const { status, headers, body } = await stage.authorize(stage.request('nobody'));
    expect([status, headers['x-frame-options'], headers['content-type'], headers['location']]).toEqual([
      400,
      'DENY',
      'text/html; charset=utf-8',
      undefined,
    ]);
    expect(body).toMatch(
      /^<!doctype html><title>Sluice<\/title><h1>This agent cannot be connected<\/h1><p>[^<>]+<\/p>\n$/,
    );
    const marked = stage.request(String((await stage.register())['client_id']), {
      redirect_uri: 'https://client.example/<script>&amp',
    });
    expect((await stage.authorize(marked)).body).not.toMatch(/<script|&amp[^;]/);
  });
});

describe('token and revoke', () => {
  it.each(['/oauth/token', '/oauth/revoke', '/oauth/register'])(
    '%s may be called by pages of any site',
    async (url) => {
      const asked = await stage.app.http.inject({ method: 'OPTIONS', url });
      expect([asked.statusCode, asked.body]).toEqual([204, '']);
      expect(asked.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'authorization, content-type',
        'cross-origin-resource-policy': 'cross-origin',
      });
      const refused = await sendTo(url, 'a', 'text/plain');
      expect([refused.statusCode, refused.json().error]).toEqual([415, 'invalid_request']);
      expect(refused.json().error_description).toContain(FORM);
      expect(refused.json().error_description).toContain('Content-Type');
      expect(refused.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
      });
    },
  );

  it('a token is not kept by any cache', async () => {
    const client = await stage.register();
    const clientId = String(client['client_id']);
    const code = (await stage.consent(await stage.signIn(), stage.request(clientId))).get('code')!;
    const given = await stage.post('/oauth/token', codeForm(clientId, code));
    expect([given.status, given.headers['cache-control'], given.headers['pragma']]).toEqual([
      200,
      'no-store',
      'no-cache',
    ]);
    const { refresh_token } = given.json<{ refresh_token: string }>();
    const ended = await stage.post('/oauth/revoke', { token: refresh_token, client_id: clientId });
    expect([ended.status, ended.json()]).toEqual([200, {}]);
    const again = await stage.post('/oauth/token', {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token,
    });
    expect([again.status, again.json()['error']]).toEqual([400, 'invalid_grant']);
  });

  it('a field that is there twice is refused by name, shortened', async () => {
    const long = 'n'.repeat(200);
    const answer = await sendTo('/oauth/token', `${long}=1&a=2&${long}=3`, FORM);
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      { error: 'invalid_request', error_description: `There is more than one ${'n'.repeat(100)}.` },
    ]);
  });

  it('a field without a value counts as left out', async () => {
    const given = await stage.connect({ scopes: ['read', 'full'] });
    const form = new URLSearchParams({ ...refreshForm(given), resource: '', scope: '', client_secret: '' }).toString();
    const answer = await sendTo('/oauth/token', `resource=&${form}`, FORM);
    expect([answer.statusCode, answer.json().scope]).toEqual([200, 'read full']);
  });

  it.each(['/oauth/token', '/oauth/revoke'])('%s refuses a form of more than 16 KiB, and none at all', async (url) => {
    const form = (length: number) => `a=${'x'.repeat(length - 2)}`;
    const long = await sendTo(url, form(16 * 1024 + 1), FORM);
    expect([long.statusCode, long.json()]).toEqual([
      413,
      { error: 'invalid_request', error_description: 'The body is too large.' },
    ]);
    expect((await sendTo(url, form(16 * 1024), FORM)).statusCode).not.toBe(413);
    const empty = await stage.app.http.inject({ method: 'POST', url });
    expect(empty.statusCode).toBeLessThan(500);
    expect(empty.json()).toHaveProperty('error');
  });

  it('a wrong secret is answered in the scheme that it came by', async () => {
    const client = await stage.register({ token_endpoint_auth_method: 'client_secret_basic' });
    const basic = `Basic ${Buffer.from(`${String(client['client_id'])}:wrong`).toString('base64')}`;
    const form = 'grant_type=refresh_token&refresh_token=a';
    const header = await sendTo('/oauth/token', form, FORM, { authorization: basic });
    expect([header.statusCode, header.json().error, header.headers['www-authenticate']]).toEqual([
      401,
      'invalid_client',
      'Basic',
    ]);
    const field = await sendTo('/oauth/token', `${form}&client_id=nobody`, FORM);
    expect([field.statusCode, field.headers['www-authenticate']]).toEqual([401, undefined]);
    // Another failure of a program that sent a header asks for no other secret.
    const other = await sendTo('/oauth/token', 'a=1&a=2', FORM, { authorization: basic });
    expect([other.statusCode, other.headers['www-authenticate']]).toEqual([400, undefined]);
  });
});

describe('refreshes', () => {
  it('of one grant are 60 at once, and then one every three seconds; another grant has its own', async () => {
    await using crowded = await oauthStage();
    const [one, other] = [await crowded.connect(), await crowded.connect()];
    let token = one.refresh_token;
    const refresh = () => crowded.post('/oauth/token', refreshForm({ ...one, refresh_token: token }));
    for (let n = 0; n < 60; n++) {
      const { status, json } = await refresh();
      expect(status).toBe(200);
      token = json<Tokens>().refresh_token;
    }
    const refused = await refresh();
    expect([refused.status, refused.headers['retry-after'], refused.json()['error']]).toEqual([
      429,
      '3',
      'temporarily_unavailable',
    ]);
    expect((await crowded.post('/oauth/token', refreshForm(other))).status).toBe(200);
  });
});

describe('register', () => {
  it.each<[string, string, number, string]>([
    ['broken JSON', '{', 400, 'invalid_request'],
    ['nothing', '', 400, 'invalid_request'],
    ['more than 16 KiB', JSON.stringify({ a: 'x'.repeat(16 * 1024) }), 413, 'invalid_request'],
    ['a client without redirects', '{}', 400, 'invalid_redirect_uri'],
  ])('refuses %s in the shape of OAuth', async (_, body, status, error) => {
    const answer = await register(body, '203.0.113.9');
    expect([answer.statusCode, answer.json()]).toEqual([status, { error, error_description: expect.any(String) }]);
    expect(answer.headers['retry-after']).toBeUndefined();
  });

  it('takes 20 of a network at once, and then one every three minutes', async () => {
    await using crowded = await oauthStage();
    const from = async (address: string) => register({ redirect_uris: [CALLBACK] }, address, crowded.app);
    for (let n = 0; n < 20; n++) expect((await from(`2001:db8::${n}`)).statusCode).toBe(201);
    const refused = await from('2001:db8::ffff');
    expect([refused.statusCode, refused.headers['retry-after'], refused.json()]).toEqual([
      429,
      '180',
      { error: 'temporarily_unavailable', error_description: 'Too many registrations. Try again in 180 s.' },
    ]);
    expect((await from('2001:db8:0:1::1')).statusCode).toBe(201);
    crowded.app.clock.forward(180_000);
    expect([(await from('2001:db8::1')).statusCode, (await from('2001:db8::1')).statusCode]).toEqual([201, 429]);
  });
});

describe('what fails on our side', () => {
  const failing = (thrown: Error) =>
    startApp({ publicUrl: ISSUER, store: (real) => ({ ...real, addClient: () => Promise.reject(thrown) }) });

  it('passes when the store is away: the client may try again', async () => {
    await using app = await failing(new StoreError('away', 'secret'));
    const answer = await register({ redirect_uris: [CALLBACK] }, '203.0.113.1', app);
    expect([answer.statusCode, answer.json().error]).toEqual([503, 'temporarily_unavailable']);
    expect(answer.body).not.toContain('secret');
  });

  it('is logged when it is a defect, and answered as every defect is', async () => {
    await using app = await failing(new Error('a secret'));
    const answer = await register({ redirect_uris: [CALLBACK] }, '203.0.113.1', app);
    expect([answer.statusCode, answer.json().code]).toEqual([500, 'internal']);
    expect(answer.body).not.toContain('secret');
    expect(app.logged.join('\n')).toContain('a request failed');
  });
});
