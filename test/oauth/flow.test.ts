/** OAuth from the first refused request to the last revoked token. */
import { describe, expect, it } from 'vitest';
import { OPERATOR_KEY, startApp } from '../stages/http-app.ts';
import { CALLBACK, codeForm, ISSUER, oauthStage, RESOURCE, refreshForm, type Tokens, works } from './stage.ts';

const CHALLENGE = `Bearer resource_metadata="${ISSUER}/.well-known/oauth-protected-resource/mcp", scope="read full events"`;

describe('finding the way', () => {
  it('tells every request without a token where the metadata is, and says of a wrong token that it is wrong', async () => {
    await using stage = await oauthStage();
    for (const method of ['initialize', 'tools/list', 'server/discover', 'notifications/initialized']) {
      const answer = await stage.mcp(undefined, method);
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, CHALLENGE]);
      expect(answer.headers['cache-control']).toBe('no-store');
    }
    for (const token of ['sla_wrong', `sla_${'a'.repeat(43)}`, 'sk_wrong'])
      expect((await stage.mcp(token)).headers['www-authenticate']).toBe(`${CHALLENGE}, error="invalid_token"`);
    const basic = await stage.mcp(undefined, 'tools/list', {}, { authorization: 'Basic YTpi' });
    expect([basic.status, basic.headers['www-authenticate']]).toEqual([401, `${CHALLENGE}, error="invalid_token"`]);
  });

  it('describes the resource and the server, for pages of any site', async () => {
    await using stage = await oauthStage();
    const get = async (url: string) => {
      const answer = await stage.app.http.inject({ url });
      expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([200, '*']);
      return answer.json<Record<string, unknown>>();
    };
    const resource = await get('/.well-known/oauth-protected-resource/mcp');
    expect(resource).toMatchObject({ resource: RESOURCE, authorization_servers: [ISSUER] });
    expect(await get('/.well-known/oauth-protected-resource')).toEqual(resource);
    expect(await get('/.well-known/oauth-authorization-server')).toMatchObject({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/oauth/authorize`,
      token_endpoint: `${ISSUER}/oauth/token`,
      registration_endpoint: `${ISSUER}/oauth/register`,
      revocation_endpoint: `${ISSUER}/oauth/revoke`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      scopes_supported: ['read', 'full', 'events', 'offline_access'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    });
    expect((await stage.app.http.inject({ url: '/.well-known/openid-configuration' })).statusCode).toBe(404);
  });

  it('works under a path: the well-known part comes before it', async () => {
    await using stage = await oauthStage({ publicUrl: 'https://example.org/watch/sluice' });
    const issuer = 'https://example.org/watch/sluice';
    const get = async (url: string) => (await stage.app.http.inject({ url })).json<Record<string, unknown>>();
    expect(await get('/.well-known/oauth-protected-resource/watch/sluice/mcp')).toMatchObject({
      resource: `${issuer}/mcp`,
      authorization_servers: [issuer],
    });
    expect(await get('/.well-known/oauth-authorization-server/watch/sluice')).toMatchObject({ issuer });
    const refused = await stage.mcp(undefined);
    expect(refused.headers['www-authenticate']).toContain(
      'https://example.org/.well-known/oauth-protected-resource/watch/sluice/mcp',
    );
    const client = await stage.register();
    const page = await stage.authorize(stage.request(String(client['client_id'])));
    expect(page.headers['location']).toMatch(/^https:\/\/example\.org\/watch\/sluice\/consent#\/authorize\?request=/);
  });

  it.each([
    [undefined, 'SLUICE_PUBLIC_URL is not set.'],
    ['http://sluice.example', 'SLUICE_PUBLIC_URL begins with http://.'],
    ['https://sluice.example/?a=b', 'SLUICE_PUBLIC_URL must have no query'],
  ])('is off and says why when the public address is %s', async (publicUrl, reason) => {
    await using app = await startApp(publicUrl === undefined ? {} : { publicUrl });
    for (const url of [
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-protected-resource',
      '/oauth/authorize?x',
    ]) {
      const answer = await app.http.inject({ url });
      expect([answer.statusCode, answer.json<{ message: string }>().message]).toEqual([
        404,
        expect.stringContaining(reason),
      ]);
    }
    expect((await app.http.inject({ method: 'POST', url: '/oauth/token' })).statusCode).toBe(404);
    const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
    const listed = (await app.http.inject({ url: '/api.ListGrants', headers })).json<Record<string, unknown>>();
    expect(listed).toMatchObject({ grants: [], connect_url: null, off_reason: expect.stringContaining(reason) });
    const refused = await app.http.inject({ method: 'POST', url: '/mcp' });
    expect(refused.headers['www-authenticate']).toBe('Bearer');
  });

  it('is on for localhost without TLS', async () => {
    await using stage = await oauthStage({ publicUrl: 'http://localhost:4800' });
    const { json } = await stage.app.http.inject({ url: '/.well-known/oauth-protected-resource' });
    expect(json<{ resource: string }>().resource).toBe('http://localhost:4800/mcp');
  });
});

describe('a grant', () => {
  it('gives tokens for the tool server, and for nothing else', async () => {
    await using stage = await oauthStage();
    const { access_token, scope, expires_in } = await stage.connect();
    expect([scope, expires_in]).toEqual(['read full events', 3_600]);
    expect(await works(stage, access_token)).toBe(true);
    for (const url of ['/api.ListRules', '/api.ListKeys', '/api.Status', '/matches/stream', '/metrics']) {
      const answer = await stage.app.http.inject({ url, headers: { authorization: `Bearer ${access_token}` } });
      expect([url, answer.statusCode]).toEqual([url, 401]);
    }
    const opened = await stage.app.http.inject({
      method: 'POST',
      url: '/api.CreateSession',
      headers: { authorization: `Bearer ${access_token}` },
    });
    expect(opened.statusCode).toBe(401);
  });

  it('is what the person chose of what was asked, and never more', async () => {
    await using stage = await oauthStage();
    expect((await stage.connect({ scopes: ['read'] })).scope).toBe('read');
    expect((await stage.connect({ request: { scope: 'read' }, scopes: ['read', 'full'] })).scope).toBe('read');
    expect((await stage.connect({ request: { scope: 'openid profile' }, scopes: ['read', 'events'] })).scope).toBe(
      'read',
    );
    expect((await stage.connect({ request: { scope: undefined } })).scope).toBe('read');
  });

  it('of scope read sees no tool that changes something, and a call of one names the scope that is missing', async () => {
    await using stage = await oauthStage();
    const { access_token } = await stage.connect({ scopes: ['read'] });
    const { body } = await stage.mcp(access_token);
    expect(body).toContain('list_rules');
    expect(body).not.toContain('"name":"create_rule"');
    const answer = await stage.mcp(access_token, 'tools/call', { name: 'create_rule', arguments: {} });
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([
      403,
      `Bearer resource_metadata="${ISSUER}/.well-known/oauth-protected-resource/mcp", scope="full", error="insufficient_scope"`,
    ]);
  });

  it('is refused with an answer that names us', async () => {
    await using stage = await oauthStage();
    const [client, session] = [await stage.register(), await stage.signIn()];
    const answer = await stage.consent(session, stage.request(String(client['client_id'])), { allow: false });
    expect(Object.fromEntries(answer)).toEqual({
      error: 'access_denied',
      error_description: 'The person did not allow it.',
      state: 'st-1',
      iss: ISSUER,
    });
  });

  it('is given with an answer that names us, and a code that ends after a minute', async () => {
    await using stage = await oauthStage();
    const [client, session] = [await stage.register(), await stage.signIn()];
    const clientId = String(client['client_id']);
    const answer = await stage.consent(session, stage.request(clientId));
    expect([...answer.keys()]).toEqual(['code', 'state', 'iss']);
    expect([answer.get('state'), answer.get('iss')]).toEqual(['st-1', ISSUER]);
    stage.app.clock.forward(60_000);
    const late = await stage.post('/oauth/token', codeForm(clientId, answer.get('code')!));
    expect([late.status, late.json()['error']]).toEqual([400, 'invalid_grant']);
  });

  it('needs a key that may change things', async () => {
    await using stage = await oauthStage();
    const made = await stage.app.http.inject({
      method: 'POST',
      url: '/api.CreateKey',
      headers: { authorization: `Bearer ${OPERATOR_KEY}` },
      payload: { name: 'reader', scope: 'read' },
    });
    const session = await stage.signIn(made.json<{ key: string }>().key);
    const client = await stage.register();
    expect((await stage.ask(session, stage.request(String(client['client_id'])))).status).toBe(403);
  });

  it('shows the page who asks, for which account and for what', async () => {
    await using stage = await oauthStage();
    const client = await stage.register({
      client_name: `  Evil \u202e<b>Claude</b>\u0000\n ${'x'.repeat(200)}`,
      redirect_uris: [CALLBACK, 'http://localhost/callback'],
    });
    const session = await stage.signIn();
    const asked = (await stage.ask(session, stage.request(String(client['client_id'])))).json();
    expect(asked).toMatchObject({
      account: 'default',
      client_host: null,
      redirect_host: 'client.example',
      is_this_computer: false,
      scopes: ['read', 'full', 'events'],
    });
    const name = String(asked['client_name']);
    expect(name).toHaveLength(100);
    expect(name).toMatch(/^Evil <b>Claude<\/b> x+$/);
    const local = { redirect_uri: 'http://localhost:3118/callback' };
    expect((await stage.ask(session, stage.request(String(client['client_id']), local))).json()).toMatchObject({
      redirect_host: 'localhost:3118',
      is_this_computer: true,
    });
  });
});

describe('refresh tokens', () => {
  const refresh = async (
    stage: Awaited<ReturnType<typeof oauthStage>>,
    of: { clientId: string; refresh_token: string },
  ) => {
    const answer = await stage.post('/oauth/token', refreshForm(of));
    return { status: answer.status, ...(answer.json() as Tokens & { error?: string }) };
  };

  it('are replaced at each use, and the old access token works on until it ends', async () => {
    await using stage = await oauthStage();
    const first = await stage.connect();
    const second = await refresh(stage, first);
    expect(second.status).toBe(200);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect([await works(stage, first.access_token), await works(stage, second.access_token)]).toEqual([true, true]);
    stage.app.clock.forward(60 * 60_000);
    expect([await works(stage, first.access_token), await works(stage, second.access_token)]).toEqual([false, false]);
    const third = await refresh(stage, { ...first, refresh_token: second.refresh_token });
    expect(await works(stage, third.access_token)).toBe(true);
  });

  it('may be used again within a minute: ten requests at once all get the same next one', async () => {
    await using stage = await oauthStage();
    const first = await stage.connect();
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(stage, first)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(new Set(answers.map(({ refresh_token }) => refresh_token)).size).toBe(1);
    expect(new Set(answers.map(({ access_token }) => access_token)).size).toBe(10);
    const next = await refresh(stage, { ...first, refresh_token: answers[0]!.refresh_token });
    expect(next.status).toBe(200);
  });

  it('end after 30 days without use, and after a year in any case', async () => {
    await using stage = await oauthStage();
    const idle = await stage.connect();
    stage.app.clock.forward(30 * 24 * 60 * 60_000);
    // The registration outlives the token by a day: the answer is about the token.
    expect(await refresh(stage, idle)).toMatchObject({ status: 400, error: 'invalid_grant' });
    let busy = await stage.connect();
    for (let month = 0; month < 12; month++) {
      stage.app.clock.forward(29 * 24 * 60 * 60_000);
      busy = { ...busy, ...(await refresh(stage, busy)) };
    }
    stage.app.clock.forward(20 * 24 * 60 * 60_000);
    expect(await refresh(stage, busy)).toMatchObject({ status: 400, error: 'invalid_grant' });
  });

  it('give less when less is asked for, and never more', async () => {
    await using stage = await oauthStage();
    const first = await stage.connect({ scopes: ['read', 'events'] });
    const less = await stage.post('/oauth/token', { ...refreshForm(first), scope: 'read' });
    expect(less.json()['scope']).toBe('read');
    const more = await stage.post('/oauth/token', { ...refreshForm(first), scope: 'read full' });
    expect([more.status, more.json()['error']]).toEqual([400, 'invalid_scope']);
  });
});

describe('the end of a grant', () => {
  it('comes with its refresh token; an access token ends alone; unknown ones are fine', async () => {
    await using stage = await oauthStage();
    const { clientId, access_token, refresh_token } = await stage.connect();
    const revoke = (token: string) => stage.post('/oauth/revoke', { client_id: clientId, token });
    expect((await revoke('anything')).status).toBe(200);
    expect((await revoke(access_token)).status).toBe(200);
    expect(await works(stage, access_token)).toBe(false);
    const next = await stage.post('/oauth/token', refreshForm({ clientId, refresh_token }));
    const later = next.json<Tokens>();
    expect(await works(stage, later.access_token)).toBe(true);
    const other = await stage.register();
    await stage.post('/oauth/revoke', { client_id: String(other['client_id']), token: later.refresh_token });
    expect(await works(stage, later.access_token)).toBe(true);
    await revoke(later.refresh_token);
    expect(await works(stage, later.access_token)).toBe(false);
  });

  it('and its beginning are in the audit log, with who brought them about and without a secret', async () => {
    await using stage = await oauthStage();
    const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
    const log = async () =>
      (await stage.app.http.inject({ url: '/api.ListChanges?kind=grant', headers })).json<{
        changes: { by: { kind: string }; what: string; id: string; before?: object; after?: object }[];
      }>().changes;
    const first = await stage.connect();
    expect(await log()).toMatchObject([
      { by: { kind: 'session' }, what: 'grant.created', after: { scopes: expect.arrayContaining(['read']) } },
    ]);
    await stage.post('/oauth/revoke', { client_id: first.clientId, token: first.refresh_token });
    await stage.connect();
    const payload = { grant_id: (await log())[0]!.id };
    await stage.app.http.inject({ method: 'POST', url: '/api.RevokeGrant', headers, payload });
    const changes = await log();
    expect(changes.map(({ what, by }) => `${what} ${by.kind}`)).toEqual([
      'grant.deleted key',
      'grant.created session',
      'grant.deleted grant',
      'grant.created session',
    ]);
    for (const secret of [first.access_token, first.refresh_token])
      expect(JSON.stringify(changes)).not.toContain(secret);
  });

  it('comes at once when a person disconnects the agent, and it is no longer listed', async () => {
    await using stage = await oauthStage();
    const { access_token, clientId, refresh_token } = await stage.connect();
    const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
    const list = async () =>
      (await stage.app.http.inject({ url: '/api.ListGrants', headers })).json<{ grants: { id: string }[] }>();
    const { grants } = await list();
    expect(grants).toMatchObject([
      { client_name: 'Agent', client_host: null, redirect_host: 'client.example', rule_ids: null },
    ]);
    expect(await works(stage, access_token)).toBe(true);
    const payload = { grant_id: grants[0]!.id };
    const stranger = { authorization: `Bearer ${await stage.app.newAccount('stranger')}` };
    const foreign = await stage.app.http.inject({
      method: 'POST',
      url: '/api.RevokeGrant',
      headers: stranger,
      payload,
    });
    expect(foreign.statusCode).toBe(404);
    await stage.app.http.inject({ method: 'POST', url: '/api.RevokeGrant', headers, payload });
    expect(await works(stage, access_token)).toBe(false);
    expect((await stage.post('/oauth/token', refreshForm({ clientId, refresh_token }))).json()['error']).toBe(
      'invalid_grant',
    );
    expect((await list()).grants).toEqual([]);
  });
});
