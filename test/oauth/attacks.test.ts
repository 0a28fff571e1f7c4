/** The attempts of attackers, one test each. None of them succeeds. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grantFor, pairOf } from '../conformance/store/grants.ts';
import { OPERATOR_KEY } from '../stages/http-app.ts';
import {
  type Answered,
  CALLBACK,
  challengeOf,
  codeForm,
  ISSUER,
  type OAuthStage,
  oauthStage,
  RESOURCE,
  refreshForm,
  type Tokens,
  VERIFIER,
  works,
} from './stage.ts';

const errorOf = (answer: Answered): unknown => answer.json()['error'];

/** A client, a session and a code that was not used yet. */
async function withCode(stage: OAuthStage, change: Record<string, string | undefined> = {}) {
  const [client, session] = [await stage.register(), await stage.signIn()];
  const clientId = String(client['client_id']);
  const answer = await stage.consent(session, stage.request(clientId, change));
  return { clientId, session, code: answer.get('code')! };
}

/** The error that a browser takes back to the client. */
function errorIn(answer: Answered): Record<string, string> {
  expect(answer.status, answer.body).toBe(302);
  const location = String(answer.headers['location']);
  expect(location.startsWith(`${CALLBACK}?`), location).toBe(true);
  return Object.fromEntries(new URL(location).searchParams);
}

/** One stage for tests that change nothing, with one client that registered there. */
function sharedStage() {
  const opened = Promise.withResolvers<{ stage: OAuthStage; clientId: string }>();
  beforeAll(async () => {
    const stage = await oauthStage();
    opened.resolve({ stage, clientId: String((await stage.register())['client_id']) });
  });
  afterAll(async () => (await opened.promise).stage[Symbol.asyncDispose]());
  return opened.promise;
}

describe('a stolen code', () => {
  it('is worth nothing after its owner used it, and using it ends all that it gave', async () => {
    await using stage = await oauthStage();
    const { clientId, code } = await withCode(stage);
    const owner = (await stage.post('/oauth/token', codeForm(clientId, code))).json<Tokens>();
    expect(await works(stage, owner.access_token)).toBe(true);
    const thief = await stage.post('/oauth/token', codeForm(clientId, code));
    expect([thief.status, errorOf(thief)]).toEqual([400, 'invalid_grant']);
    expect(await works(stage, owner.access_token)).toBe(false);
    expect(errorOf(await stage.post('/oauth/token', refreshForm({ ...owner, clientId })))).toBe('invalid_grant');
    expect(stage.app.logged.some((line) => line.startsWith('A code was used twice'))).toBe(true);
  });

  it('gives tokens to one of many who present it at once, and then to none', async () => {
    await using stage = await oauthStage();
    const { clientId, code } = await withCode(stage);
    const tries = await Promise.all(
      Array.from({ length: 5 }, () => stage.post('/oauth/token', codeForm(clientId, code))),
    );
    const given = tries.filter(({ status }) => status === 200);
    expect(given.length).toBeLessThanOrEqual(1);
    for (const answer of given) expect(await works(stage, answer.json<Tokens>().access_token)).toBe(false);
  });

  it('is worth nothing without the verifier, to another client, or with another redirect', async () => {
    await using stage = await oauthStage();
    const { clientId, code } = await withCode(stage);
    const other = String((await stage.register())['client_id']);
    const { code_verifier: _, ...bare } = codeForm(clientId, code);
    for (const form of [
      bare,
      codeForm(clientId, code, { code_verifier: `${VERIFIER}x` }),
      codeForm(clientId, code, { code_verifier: challengeOf(VERIFIER) }),
      codeForm(clientId, code, { code_verifier: '' }),
      codeForm(other, code),
      codeForm(clientId, code, { redirect_uri: `${CALLBACK}/` }),
      codeForm(clientId, `${code}x`),
      codeForm('https://client.example/id.json', code),
    ]) {
      const answer = await stage.post('/oauth/token', form);
      expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_grant']);
    }
    expect((await stage.post('/oauth/token', codeForm(clientId, code))).status).toBe(200);
  });
});

describe('a downgrade', () => {
  const shared = sharedStage();
  it.each([
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['a plain challenge', { code_challenge: VERIFIER, code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge without its method', { code_challenge_method: undefined }, 'invalid_request'],
    ['a method without its challenge', { code_challenge: undefined }, 'invalid_request'],
    ['a challenge of no bits', { code_challenge: 'a' }, 'invalid_request'],
    ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['a token beside the code', { response_type: 'code token' }, 'unsupported_response_type'],
  ])('by %s is refused', async (_, change, error) => {
    const { stage, clientId } = await shared;
    const answer = errorIn(await stage.authorize(stage.request(clientId, change)));
    expect(answer).toMatchObject({ error, state: 'st-1', iss: ISSUER });
  });

  it.each(['client_credentials', 'password', 'implicit', 'urn:ietf:params:oauth:grant-type:jwt-bearer'])(
    'to the grant type %s is refused',
    async (grant_type) => {
      const { stage, clientId } = await shared;
      const answer = await stage.post('/oauth/token', {
        grant_type,
        client_id: clientId,
        username: 'a',
        password: 'b',
      });
      expect(errorOf(answer)).toBe('unsupported_grant_type');
    },
  );
});

describe('a mix-up', () => {
  it('shows: every answer names us, errors too, and a client that expects another server sees it', async () => {
    await using stage = await oauthStage();
    const [client, session] = [await stage.register(), await stage.signIn()];
    const clientId = String(client['client_id']);
    const good = stage.request(clientId);
    expect((await stage.consent(session, good)).get('iss')).toBe(ISSUER);
    expect((await stage.consent(session, good, { allow: false })).get('iss')).toBe(ISSUER);
    expect(errorIn(await stage.authorize(stage.request(clientId, { response_type: 'token' })))['iss']).toBe(ISSUER);
  });

  it('of parameters that are there twice is refused, at both ends', async () => {
    await using stage = await oauthStage();
    const clientId = String((await stage.register())['client_id']);
    const query = stage.request(clientId);
    for (const name of ['scope', 'response_type', 'code_challenge', 'code_challenge_method', 'state'])
      expect(errorIn(await stage.authorize(`${query}&${name}=x`))['error']).toBe('invalid_request');
    for (const name of ['client_id', 'redirect_uri'])
      expect((await stage.authorize(`${query}&${name}=x`)).status).toBe(400);
    const twice = await stage.app.http.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'grant_type=authorization_code&client_id=a&code=a&code=b',
    });
    expect([twice.statusCode, twice.json<Record<string, unknown>>()['error']]).toEqual([400, 'invalid_request']);
  });
});

describe('a redirect', () => {
  const shared = sharedStage();
  it.each([
    'https://evil.example/callback',
    'https://client.example/callback/',
    'https://client.example/callback?a=b',
    'https://client.example/callback#fragment',
    'https://client.example/Callback',
    'https://CLIENT.example/callback',
    'https://client.example:8443/callback',
    'https://client.example/callback/../evil',
    'https://client.example@evil.example/callback',
    'https://client.example.evil.example/callback',
    'https://client.example\\@evil.example/callback',
    'http://client.example/callback',
    '//client.example/callback',
    'javascript:alert(1)',
    'data:text/html,hi',
    '',
  ])('to %s sends the browser nowhere', async (redirect_uri) => {
    const { stage, clientId } = await shared;
    const answer = await stage.authorize(stage.request(clientId, { redirect_uri }));
    expect([answer.status, answer.headers['location']]).toEqual([400, undefined]);
    expect(answer.headers['x-frame-options']).toBe('DENY');
    const asked = await stage.ask(await stage.signIn(), stage.request(clientId, { redirect_uri }));
    expect(asked.json()).toEqual({ problem: expect.any(String) });
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,hi',
    'file:///etc/passwd',
    'http://evil.example/',
    'https://a.example/#x',
    'https://user:pass@a.example/',
    'https://*.example/',
    'myapp://callback',
    `https://a.example/${'x'.repeat(2_048)}`,
    'not an address',
  ])('to %s cannot be registered', async (uri) => {
    const { stage } = await shared;
    const answer = await stage.app.http.inject({
      method: 'POST',
      url: '/oauth/register',
      payload: { redirect_uris: [CALLBACK, uri] },
    });
    expect([answer.statusCode, answer.json<Record<string, unknown>>()['error']]).toEqual([400, 'invalid_redirect_uri']);
  });

  it('to a program on the same computer may have any port, and nothing else of its own', async () => {
    await using stage = await oauthStage();
    const redirect_uris = ['http://127.0.0.1/callback', 'http://localhost:3118/cb?x=1'];
    const clientId = String((await stage.register({ redirect_uris }))['client_id']);
    const status = async (redirect_uri: string) =>
      (await stage.authorize(stage.request(clientId, { redirect_uri }))).status;
    expect(await status('http://127.0.0.1:49152/callback')).toBe(302);
    expect(await status('http://127.0.0.1/callback')).toBe(302);
    expect(await status('http://localhost:1/cb?x=1')).toBe(302);
    for (const other of [
      'http://localhost:49152/callback',
      'http://[::1]:49152/callback',
      'http://127.0.0.1:49152/other',
      'http://127.0.0.1:49152/callback?x=1',
      'http://127.0.0.1:evil.example/callback',
      'http://127.0.0.1.evil.example/callback',
      'https://127.0.0.1:49152/callback',
      'http://localhost:1/cb',
    ])
      expect([other, await status(other)]).toEqual([other, 400]);
  });
});

describe('a stolen refresh token', () => {
  const refresh = (stage: OAuthStage, clientId: string, refresh_token: string) =>
    stage.post('/oauth/token', refreshForm({ clientId, refresh_token }));

  it('that its owner has replaced ends everything, however long ago that was', async () => {
    for (const rotations of [1, 3]) {
      await using stage = await oauthStage();
      const first = await stage.connect();
      let current: Tokens = first;
      for (let n = 0; n < rotations; n++)
        current = (await refresh(stage, first.clientId, current.refresh_token)).json<Tokens>();
      stage.app.clock.forward(60_000);
      expect(await works(stage, current.access_token)).toBe(true);
      const thief = await refresh(stage, first.clientId, first.refresh_token);
      expect([thief.status, errorOf(thief)]).toEqual([400, 'invalid_grant']);
      expect(await works(stage, current.access_token)).toBe(false);
      expect(errorOf(await refresh(stage, first.clientId, current.refresh_token))).toBe('invalid_grant');
      expect(stage.app.logged.some((line) => line.startsWith('A refresh token was used twice'))).toBe(true);
    }
  });

  it('that the thief uses first shows as soon as its owner uses it', async () => {
    await using stage = await oauthStage();
    const first = await stage.connect();
    const thief = (await refresh(stage, first.clientId, first.refresh_token)).json<Tokens>();
    stage.app.clock.forward(60 * 60_000);
    const later = (await refresh(stage, first.clientId, thief.refresh_token)).json<Tokens>();
    expect(errorOf(await refresh(stage, first.clientId, first.refresh_token))).toBe('invalid_grant');
    expect(await works(stage, later.access_token)).toBe(false);
  });

  it('is worth nothing to another client, and such a try ends nothing', async () => {
    await using stage = await oauthStage();
    const { access_token, refresh_token } = await stage.connect();
    const other = String((await stage.register())['client_id']);
    expect(errorOf(await refresh(stage, other, refresh_token))).toBe('invalid_grant');
    expect(errorOf(await refresh(stage, 'https://client.example/id.json', refresh_token))).toBe('invalid_grant');
    expect(await works(stage, access_token)).toBe(true);
  });

  it('needs the secret of a client that has one', async () => {
    await using stage = await oauthStage();
    const client = await stage.register({ token_endpoint_auth_method: 'client_secret_post' });
    const [clientId, secret] = [String(client['client_id']), String(client['client_secret'])];
    const code = (await stage.consent(await stage.signIn(), stage.request(clientId))).get('code')!;
    for (const given of [{}, { client_secret: 'wrong' }, { client_secret: '' }]) {
      const answer = await stage.post('/oauth/token', codeForm(clientId, code, given));
      expect([answer.status, errorOf(answer)]).toEqual([401, 'invalid_client']);
    }
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    const { client_id: _, ...form } = codeForm(clientId, code);
    expect((await stage.post('/oauth/token', form, basic(`${clientId}:wrong`))).status).toBe(401);
    expect((await stage.post('/oauth/token', form, basic(`${clientId}:${secret}`))).status).toBe(200);
  });
});

describe('a token for another audience', () => {
  it('is not given, and not accepted', async () => {
    await using stage = await oauthStage();
    const clientId = String((await stage.register())['client_id']);
    for (const resource of ['https://evil.example/mcp', ISSUER, `${ISSUER}/mcp/other`, `${RESOURCE}?a=b`, 'nonsense'])
      expect(errorIn(await stage.authorize(stage.request(clientId, { resource })))['error']).toBe('invalid_target');
    const two = `${stage.request(clientId)}&resource=${encodeURIComponent(RESOURCE)}`;
    expect(errorIn(await stage.authorize(two))['error']).toBe('invalid_target');
    expect((await stage.authorize(stage.request(clientId, { resource: 'HTTPS://SLUICE.example/mcp/' }))).status).toBe(
      302,
    );

    const { code, clientId: own } = await withCode(stage);
    const elsewhere = await stage.post('/oauth/token', codeForm(own, code, { resource: 'https://evil.example/mcp' }));
    expect(errorOf(elsewhere)).toBe('invalid_target');
  });

  it('does not open the tool server when it was given under another public address', async () => {
    await using stage = await oauthStage();
    const { account } = await accountOf(stage);
    const now = stage.app.clock.now();
    const later = new Date(now.getTime() + 60_000);
    const token = `sla_${'b'.repeat(43)}`;
    for (const [resource, status] of [
      ['https://old.example/mcp', 401],
      [RESOURCE, 200],
    ] as const) {
      const grant = grantFor(account, { resource, createdAt: now, endsAt: later, expiresAt: later });
      await stage.app.store.addGrant(grant, { digest: resource, challenge: '' });
      const pair = pairOf(grant.id, resource);
      await stage.app.store.redeemCode(
        resource,
        { ...pair, endsAt: later, token: { ...pair.token, digest: challengeOf(token), endsAt: later } },
        now,
      );
      expect([resource, (await stage.mcp(token)).status]).toEqual([resource, status]);
      await stage.app.store.revokeGrant(account, grant.id);
    }
  });
});

async function accountOf(stage: OAuthStage): Promise<{ account: string }> {
  const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
  const answer = await stage.app.http.inject({ url: '/api.Status', headers });
  return { account: answer.json<{ account: { id: string } }>().account.id };
}

describe('a forged consent', () => {
  it('from another site has no session: neither its requests nor its forms carry what ours do', async () => {
    await using stage = await oauthStage();
    const [client, session] = [await stage.register(), await stage.signIn()];
    const query = stage.request(String(client['client_id']));
    const { token } = (await stage.ask(session, query)).json<{ token: string }>();
    const refusals: [object, number][] = [
      [{ origin: 'https://evil.example' }, 403],
      [{ origin: 'null' }, 403],
      [{ origin: undefined }, 403],
      [{ 'x-sluice-session': undefined }, 401],
      [{ cookie: undefined }, 401],
      [{ 'sec-fetch-site': 'cross-site' }, 401],
      [{ 'sec-fetch-site': 'same-site' }, 401],
      [{ cookie: undefined, authorization: `Bearer ${OPERATOR_KEY}` }, 401],
      [{ authorization: `Bearer ${OPERATOR_KEY}` }, 401],
      [{ 'content-type': 'text/plain' }, 415],
      [{ 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ];
    for (const [headers, status] of refusals) {
      expect([headers, (await stage.ask(session, query, headers)).status]).toEqual([headers, status]);
      expect([headers, (await stage.decide(session, query, token, {}, headers)).status]).toEqual([headers, status]);
    }
    const preflight = await stage.app.http.inject({
      method: 'OPTIONS',
      url: '/oauth/consent/decision',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    expect(preflight.headers['access-control-allow-origin']).toBeUndefined();
    expect((await stage.decide(session, query, token)).status).toBe(200);
  });

  it('cannot reuse the token of a page: it is of one session, one request and one use', async () => {
    await using stage = await oauthStage();
    const [client, evil] = [await stage.register(), await stage.register({ client_name: 'Evil' })];
    const [session, other] = [await stage.signIn(), await stage.signIn()];
    const query = stage.request(String(client['client_id']));
    const { token } = (await stage.ask(session, query)).json<{ token: string }>();
    const refused = async (by: string, asked: string, shown: string) =>
      expect((await stage.decide(by, asked, shown)).json()).toMatchObject({ code: 'failed_precondition' });
    await refused(other, query, token);
    await refused(session, stage.request(String(evil['client_id'])), token);
    await refused(session, stage.request(String(client['client_id']), { state: 'st-2' }), token);
    await refused(session, query, 'made-up');
    expect((await stage.decide(session, query, token)).status).toBe(200);
    await refused(session, query, token);
    const late = (await stage.ask(session, query)).json<{ token: string }>();
    stage.app.clock.forward(10 * 60_000);
    await refused(session, query, late.token);
  });

  it('is not skipped by an earlier consent: the person is asked every time', async () => {
    await using stage = await oauthStage();
    const { clientId } = await stage.connect();
    const answer = await stage.authorize(stage.request(clientId, { prompt: 'none' }));
    expect(String(answer.headers['location'])).toContain(`${ISSUER}/consent#/authorize?request=`);
  });
});

describe('a flood of registrations', () => {
  const register = (stage: OAuthStage, remoteAddress: string) =>
    stage.app.http.inject({
      method: 'POST',
      url: '/oauth/register',
      payload: { redirect_uris: [CALLBACK] },
      remoteAddress,
    });

  it('from one network ends after 20 in an hour, and hinders no other', async () => {
    await using stage = await oauthStage();
    const from = async (address: string) => (await register(stage, address)).statusCode;
    for (let n = 0; n < 20; n++) expect(await from('203.0.113.7')).toBe(201);
    const refused = await register(stage, '203.0.113.7');
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '180']);
    expect(await from('203.0.113.8')).toBe(201);
    for (let n = 0; n < 20; n++) expect(await from(`2001:db8:1:2::${n + 1}`)).toBe(201);
    expect(await from('2001:db8:1:2:ffff::1')).toBe(429);
    expect(await from('2001:db8:1:3::1')).toBe(201);
    stage.app.clock.forward(3 * 60_000);
    expect(await from('203.0.113.7')).toBe(201);
  });

  it('from everywhere keeps 1,000 unused ones at most, takes no connected one away, and is over after a day', async () => {
    await using stage = await oauthStage();
    const connected = await stage.connect();
    const from = async (n: number) => register(stage, `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
    const ids: string[] = [];
    for (let n = 0; n < 1_000; n++) ids.push((await from(n)).json<{ client_id: string }>().client_id);
    const full = await from(1_000);
    expect([full.statusCode, full.headers['retry-after'], full.json<{ error: string }>().error]).toEqual([
      503,
      '900',
      'temporarily_unavailable',
    ]);
    stage.app.clock.forward(15 * 60_000 + 1);
    expect((await from(1_001)).statusCode).toBe(201);
    expect((await stage.authorize(stage.request(ids[0]!))).status).toBe(400);
    expect((await stage.authorize(stage.request(ids[1]!))).status).toBe(302);
    stage.app.clock.forward(24 * 60 * 60_000);
    expect((await stage.authorize(stage.request(ids[1]!))).status).toBe(400);
    expect((await stage.post('/oauth/token', refreshForm(connected))).status).toBe(200);
    while ((await stage.app.store.removeSlice(stage.app.clock.now())).more);
    expect(await stage.app.store.client(ids[5]!, new Date(0))).toBeUndefined();
    expect(await stage.app.store.client(connected.clientId, new Date(0))).toBeDefined();
  });

  it('with bodies of any size and shape costs a refusal each', async () => {
    await using stage = await oauthStage();
    const send = async (payload: string, type = 'application/json') => {
      const answer = await stage.app.http.inject({
        method: 'POST',
        url: '/oauth/register',
        headers: { 'content-type': type },
        payload,
      });
      expect(answer.json<{ error: string }>().error).toMatch(/^invalid_/);
      return answer.statusCode;
    };
    expect(await send('x'.repeat(17 * 1024))).toBe(413);
    expect(await send('{}')).toBe(400);
    expect(await send('[1]')).toBe(400);
    expect(await send('{"redirect_uris":[]}')).toBe(400);
    expect(await send(JSON.stringify({ redirect_uris: Array.from({ length: 11 }, () => CALLBACK) }))).toBe(400);
    expect(await send('a=b', 'application/x-www-form-urlencoded')).toBe(415);
  });
});
