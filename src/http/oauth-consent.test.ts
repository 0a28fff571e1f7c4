/** The two requests of the page that asks a person: what they take, from whom, and what they tell. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ISSUER, type OAuthStage, oauthStage } from '../../test/oauth/stage.ts';
import { OPERATOR_KEY } from '../../test/stages/http-app.ts';

let stage: OAuthStage;
let session: string;
let query: string;
beforeAll(async () => {
  stage = await oauthStage({ rateLimit: 6_000 });
  session = await stage.signIn();
  query = stage.request(String((await stage.register())['client_id']));
});
afterAll(() => stage[Symbol.asyncDispose]());

const left = ({ headers }: { headers: Readonly<Record<string, unknown>> }) =>
  Number(/r=(\d+)/.exec(String(headers['ratelimit']))![1]);

it('the page is told who asks, for which account, for what and until when', async () => {
  const { status, json } = await stage.ask(session, query);
  expect(status).toBe(200);
  expect(json()).toEqual({
    account: expect.any(String),
    client_name: 'Agent',
    client_host: null,
    redirect_host: 'client.example',
    is_this_computer: false,
    scopes: ['read', 'full', 'events'],
    expires_at: expect.stringMatching(/^2\d{3}-.*Z$/),
    token: expect.any(String),
  });
});

it('what cannot be asked is told as it is', async () => {
  const unknown = (await stage.ask(session, stage.request('nobody'))).json();
  expect(unknown).toEqual({ problem: expect.any(String) });
});

describe('a request', () => {
  const asks: [string, (headers?: object) => ReturnType<OAuthStage['ask']>][] = [
    ['to ask', (headers) => stage.ask(session, query, headers)],
    ['to decide', (headers) => stage.decide(session, query, 'token', {}, headers)],
  ];

  it.each(asks)('%s without a session, or beside a key, is nobody’s', async (_, ask) => {
    const key = { authorization: `Bearer ${OPERATOR_KEY}` };
    for (const headers of [
      { cookie: undefined },
      { 'x-sluice-session': undefined },
      key,
      { ...key, cookie: undefined },
    ])
      expect((await ask(headers)).status).toBe(401);
  });

  it.each(asks)('%s comes from our own page and from no other', async (_, ask) => {
    for (const origin of ['https://evil.example', 'null', `${ISSUER}:8443`, undefined]) {
      const { status, json } = await ask({ origin });
      expect([status, json()]).toMatchObject([
        403,
        { code: 'permission_denied', message: `Only the page at ${ISSUER} may ask for this.` },
      ]);
    }
  });

  it('costs ten to ask and one to decide', async () => {
    const before = left(await stage.ask(session, query));
    const after = left(await stage.decide(session, query, 'token'));
    expect(before - after).toBe(1);
    expect(after - left(await stage.ask(session, query))).toBe(10);
  });

  it('needs a key that may change things behind its session', async () => {
    const made = await stage.app.http.inject({
      method: 'POST',
      url: '/api.CreateKey',
      headers: { authorization: `Bearer ${OPERATOR_KEY}` },
      payload: { name: 'r', scope: 'read' },
    });
    const reader = await stage.signIn(made.json<{ key: string }>().key);
    expect((await stage.ask(reader, query)).status).toBe(403);
  });

  it.each<[string, object, string]>([
    ['a token of more than 100 characters', { token: 'a'.repeat(101) }, 'token'],
    ['an answer that is neither', { allow: 'yes' }, 'allow'],
    ['a scope that is none', { scopes: ['all'] }, 'scopes.0'],
    ['more scopes than there are', { scopes: ['read', 'read', 'read', 'read'] }, 'scopes'],
    ['no rule at all', { rule_ids: [] }, 'rule_ids'],
    ['a rule of more than 100 characters', { rule_ids: ['r'.repeat(101)] }, 'rule_ids.0'],
    ['a request of more than 8 KiB', { request: 'r'.repeat(8_193) }, 'request'],
    ['an empty request', { request: '' }, 'request'],
    ['a field that is none', { nonsense: 1 }, 'nonsense'],
  ])('to decide is refused with %s', async (_, change, path) => {
    const { status, json } = await stage.decide(session, query, 'token', change);
    expect([status, json()]).toMatchObject([400, { details: { issues: [{ path }] } }]);
  });

  it('of another type than JSON, or broken, is refused', async () => {
    const plain = await stage.ask(session, query, { 'content-type': 'text/plain' });
    expect(plain.status).toBe(415);
    const list = await stage.app.http.inject({
      method: 'POST',
      url: '/oauth/consent',
      headers: {
        'content-type': 'application/json',
        cookie: `__Host-sluice_session=${session}`,
        'x-sluice-session': '1',
        origin: ISSUER,
      },
      payload: '[]',
    });
    expect([list.statusCode, list.json().message]).toEqual([400, 'The body must be a JSON object.']);
  });
});

describe('a decision', () => {
  it('for some rules gives a grant for these alone', async () => {
    const rule = await stage.app.http.inject({
      method: 'POST',
      url: '/api.CreateRule',
      headers: { authorization: `Bearer ${OPERATOR_KEY}` },
      payload: { name: 'Lava', intent: '', platforms: ['x'], overrides: { x: 'lava' } },
    });
    const { rule_id } = rule.json<{ rule_id: string }>();
    await stage.connect({ scopes: ['read'], rule_ids: [rule_id] });
    const grants = await stage.app.http.inject({
      url: '/api.ListGrants',
      headers: { authorization: `Bearer ${OPERATOR_KEY}` },
    });
    expect(grants.json().grants).toMatchObject([{ scopes: ['read'], rule_ids: [rule_id] }]);
  });

  it('against it tells the client that it was refused', async () => {
    const answer = await stage.consent(session, query, { allow: false });
    expect([answer.get('error'), answer.get('code')]).toEqual(['access_denied', null]);
  });
});
