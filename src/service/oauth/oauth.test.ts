import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';
import type { GrantScope } from '../../domain/account.ts';
import { authenticateToken } from '../access/grants.ts';
import { MAX_GRANTS } from '../limits.ts';
import { createOAuth } from './oauth.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const RESOURCE = 'https://sluice.example/mcp';
const CALLBACK = 'http://127.0.0.1/callback';
const VERIFIER = 'v'.repeat(43);
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

interface Chosen {
  readonly scopes?: readonly GrantScope[];
  readonly ruleIds?: readonly string[];
  readonly allow?: boolean;
}

/** OAuth of a service, with a person of the account alice and a program that registered. */
async function stage(publicUrl: string | undefined = 'https://sluice.example/') {
  const clock = fakeClock();
  const test = await openService({ clock });
  const alice = await test.caller('alice');
  const revoked: string[] = [];
  const warned: string[] = [];
  const oauth = createOAuth({
    store: test.store,
    clock,
    log: { info: () => {}, warn: (_, message) => void warned.push(message), error: () => {} },
    egress: {
      allowPrivate: false,
      ownAddresses: () => [],
      resolve: (_, __, callback) => callback(new Error('no names'), []),
    },
    secret: Buffer.alloc(32, 1),
    publicUrl,
    registration: true,
    onRevoked: (accountId) => void revoked.push(accountId),
  });
  const ends = oauth.endpoints!;
  const register = async (more: object = {}) =>
    (await ends.register({ redirect_uris: [CALLBACK], client_name: 'Agent', ...more })) as Record<string, string>;
  const { client_id = '' } = await register();
  const decider = { caller: alice, session: 'session of alice' };
  const rawOf = (change: Record<string, string | undefined> = {}) =>
    new URLSearchParams(
      Object.entries({
        client_id,
        redirect_uri: CALLBACK,
        response_type: 'code',
        code_challenge_method: 'S256',
        code_challenge: challengeOf(VERIFIER),
        scope: 'read full events',
        state: 'st',
        ...change,
      }).filter((pair): pair is [string, string] => pair[1] !== undefined),
    ).toString();
  const allow = async ({ scopes = ['read', 'full'], ruleIds, allow: isAllowed = true }: Chosen = {}, raw = rawOf()) => {
    const view = await ends.ask(decider, raw);
    if (!('token' in view)) throw new Error(JSON.stringify(view));
    const decision = { token: view.token, allow: isAllowed, scopes, ruleIds };
    return new URL((await ends.decide(decider, raw, decision)).redirect);
  };
  const codeOf = async (chosen?: Chosen) => (await allow(chosen)).searchParams.get('code')!;
  const form = (fields: Record<string, string>) => new Map(Object.entries({ client_id, ...fields }));
  const redeem = (code: string, change: Record<string, string> = {}) =>
    ends.exchange(
      form({
        grant_type: 'authorization_code',
        code,
        redirect_uri: CALLBACK,
        code_verifier: VERIFIER,
        resource: RESOURCE,
        ...change,
      }),
      undefined,
    );
  const refresh = (refresh_token: string, change: Record<string, string> = {}) =>
    ends.exchange(form({ grant_type: 'refresh_token', refresh_token, ...change }), undefined);
  const connect = async (chosen?: Chosen) => redeem(await codeOf(chosen));
  const callerBy = (token: string, resource = RESOURCE) => authenticateToken(test.service.context, token, resource);
  const grants = () => test.store.grants(alice.account.id, clock.now());
  const parts = { clock, alice, oauth, ends, decider, client_id, revoked, warned };
  return Object.assign(test, parts, {
    register,
    rawOf,
    allow,
    codeOf,
    form,
    redeem,
    refresh,
    connect,
    callerBy,
    grants,
  });
}

const INVALID = { name: 'OAuthError', code: 'invalid_grant', status: 400 };

describe('a person who is asked', () => {
  it('sees who asks, for what and until when', async () => {
    await using test = await stage();
    const view = await test.ends.ask(test.decider, test.rawOf());
    expect(view).toEqual({
      account: 'alice',
      client: { name: 'Agent', host: undefined },
      redirect: { host: '127.0.0.1', isThisComputer: true },
      scopes: ['read', 'full', 'events'],
      expiresAt: new Date(test.clock.now().getTime() + 365 * DAY),
      token: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it('sends the browser back with a code, the state and who answered', async () => {
    await using test = await stage();
    const back = await test.allow();
    expect(`${back.origin}${back.pathname}`).toBe(CALLBACK);
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.stringMatching(/^slo_[\w-]{43}$/),
      state: 'st',
      iss: 'https://sluice.example',
    });
    expect((await test.call(test.alice, 'listChanges', { kind: 'grant' })).changes).toMatchObject([
      { what: 'grant.created', by: { kind: 'session' }, after: { client_name: 'Agent', scopes: ['read', 'full'] } },
    ]);
  });

  it('says no, and the program is told so', async () => {
    await using test = await stage();
    const { searchParams } = await test.allow({ allow: false });
    expect([searchParams.get('error'), searchParams.get('code')]).toEqual(['access_denied', null]);
    expect(await test.grants()).toEqual([]);
  });

  it('may decide once, in the same session, on the same request, within ten minutes', async () => {
    await using test = await stage();
    const raw = test.rawOf();
    const ask = async () => {
      const view = await test.ends.ask(test.decider, raw);
      return 'token' in view
        ? { token: view.token, allow: true, scopes: ['read' as const], ruleIds: undefined }
        : never();
    };
    const late = { code: 'failed_precondition', message: expect.stringContaining('no longer valid') };
    const decision = await ask();
    await expect(test.ends.decide({ ...test.decider, session: 'other' }, raw, decision)).rejects.toMatchObject(late);
    await expect(test.ends.decide(test.decider, `${raw}&x=1`, decision)).rejects.toMatchObject(late);
    await test.ends.decide(test.decider, raw, decision);
    await expect(test.ends.decide(test.decider, raw, decision)).rejects.toMatchObject(late);
    const soon = await ask();
    await test.clock.pass(10 * MINUTE - 1);
    await test.ends.decide(test.decider, raw, soon);
    const slow = await ask();
    await test.clock.pass(10 * MINUTE);
    await expect(test.ends.decide(test.decider, raw, slow)).rejects.toMatchObject(late);
  });

  it('gives no more than was asked for, and at least one thing', async () => {
    await using test = await stage();
    const asked = test.rawOf({ scope: 'events' });
    await test.redeem((await test.allow({ scopes: ['read', 'full', 'events'] }, asked)).searchParams.get('code')!);
    expect((await test.grants()).map(({ scopes }) => scopes)).toEqual([['read', 'events']]);
    await expect(test.allow({ scopes: ['full'] }, asked)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('limits it to rules that are there', async () => {
    await using test = await stage();
    await expect(test.allow({ ruleIds: ['rule_gone'] })).rejects.toMatchObject({ code: 'invalid_argument' });
    const rule = { name: 'n', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    const { rule_id } = await test.call(test.alice, 'createRule', rule);
    await test.connect({ ruleIds: [rule_id] });
    expect((await test.grants()).map(({ ruleIds }) => ruleIds)).toEqual([[rule_id]]);
  });

  it('limits it to each rule once, also where the answer names one twice', async () => {
    await using test = await stage();
    const rule = { name: 'n', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    const { rule_id } = await test.call(test.alice, 'createRule', rule);
    await test.connect({ ruleIds: [rule_id, rule_id] });
    expect((await test.grants()).map(({ ruleIds }) => ruleIds)).toEqual([[rule_id]]);
  });

  it('connects a limited number of programs', async () => {
    await using test = await stage();
    await test.connect();
    const [grant] = await test.grants();
    const others = Array.from({ length: MAX_GRANTS - 2 }, (_, index) => `${index}`);
    for (const digest of others)
      await test.store.addGrant({ ...grant!, id: `grant_${digest}` }, { digest, challenge: '' });
    await test.allow();
    await expect(test.allow()).rejects.toMatchObject({
      details: { limit_code: 'connected_agents', limit: MAX_GRANTS },
    });
  });
});

describe('a request of a program', () => {
  const problems: [string, Record<string, string | undefined>, RegExp][] = [
    ['no client', { client_id: undefined }, /one client_id/],
    ['an empty client', { client_id: '' }, /one client_id/],
    ['an unknown client', { client_id: 'slc_unknown' }, /not registered here/],
    ['no redirect', { redirect_uri: undefined }, /one redirect_uri/],
    ['another redirect', { redirect_uri: 'https://thief.example/' }, /not one of those that Agent has named/],
  ];
  it.each(problems)('with %s goes nowhere', async (_, change, problem) => {
    await using test = await stage();
    const expected = { problem: expect.stringMatching(problem) };
    expect(await test.ends.preview(test.rawOf(change))).toEqual(expected);
    expect(await test.ends.ask(test.decider, test.rawOf(change))).toEqual(expected);
  });

  it.each([['client_id'], ['redirect_uri']])('with two of %s goes nowhere', async (name) => {
    await using test = await stage();
    const twice = `${test.rawOf()}&${name}=x`;
    expect(await test.ends.ask(test.decider, twice)).toEqual({ problem: expect.stringContaining(`one ${name}`) });
  });

  const errors: [string, Record<string, string | undefined>, string][] = [
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['no response type', { response_type: undefined }, 'unsupported_response_type'],
    ['a token', { response_type: 'token' }, 'unsupported_response_type'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['a short challenge', { code_challenge: 'a'.repeat(42) }, 'invalid_request'],
    ['a long challenge', { code_challenge: 'a'.repeat(44) }, 'invalid_request'],
    ['a state that is too long', { state: 's'.repeat(1_025) }, 'invalid_request'],
    ['a scope that cannot be read', { scope: 'read\u0000' }, 'invalid_scope'],
    ['a scope that is too long', { scope: 'r'.repeat(1_001) }, 'invalid_scope'],
  ];
  it.each(errors)('with %s is told so at its address', async (_, change, code) => {
    await using test = await stage();
    const answer = await test.ends.preview(test.rawOf(change));
    const { searchParams } = new URL((answer as { redirect: string }).redirect);
    const state = change['state'] === undefined ? 'st' : null;
    expect([searchParams.get('error'), searchParams.get('state')]).toEqual([code, state]);
    expect([searchParams.get('iss'), searchParams.get('error_description')]).toEqual([
      'https://sluice.example',
      expect.stringMatching(/\.$/),
    ]);
  });

  it.each(['state', 'resource', 'scope', 'code_challenge'])('with two of %s is told so', async (name) => {
    await using test = await stage();
    const twice = `${test.rawOf({ resource: RESOURCE })}&${name}=${encodeURIComponent(RESOURCE)}`;
    const answer = await test.ends.preview(twice);
    expect(answer).toMatchObject({ redirect: expect.stringMatching(/error=invalid_(request|target)/) });
  });

  it('is left to the person when nothing is wrong, also without state, and with a scope of the longest kind', async () => {
    await using test = await stage();
    for (const change of [{}, { state: undefined }, { state: 's'.repeat(1_024) }, { scope: 'r'.repeat(1_000) }])
      expect(await test.ends.preview(test.rawOf(change))).toBeUndefined();
    const view = await test.ends.ask(test.decider, test.rawOf({ scope: 'openid' }));
    expect(view).toMatchObject({ scopes: ['read'] });
    const back = await test.allow({}, test.rawOf({ state: undefined }));
    expect(back.searchParams.has('state')).toBe(false);
  });
});

it('a parameter of a request without a value counts as left out', async () => {
  await using test = await stage();
  const raw = `${test.rawOf({ resource: '', scope: '' })}&resource=&scope=full`;
  expect(await test.ends.ask(test.decider, raw)).toMatchObject({ scopes: ['full'] });
});

describe('a code', () => {
  it('becomes tokens that work for an hour, at our resource alone', async () => {
    await using test = await stage();
    const answer = await test.connect();
    expect(answer).toEqual({
      access_token: expect.stringMatching(/^sla_[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3_600,
      refresh_token: expect.stringMatching(/^slr_[\w-]{65}$/),
      scope: 'read full',
    });
    const agent = await test.callerBy(answer.access_token);
    expect(agent).toMatchObject({ account: { name: 'alice' }, key: { name: 'Agent', scope: 'full' } });
    const unknown = { code: 'unauthenticated' };
    await expect(test.callerBy(answer.access_token, 'https://other.example/mcp')).rejects.toMatchObject(unknown);
    await expect(test.callerBy('sla_x')).rejects.toMatchObject(unknown);
    await test.clock.pass(HOUR);
    await expect(test.callerBy(answer.access_token)).rejects.toMatchObject(unknown);
  });

  it('remembers the last use to the hour, and works where nothing can be written', async () => {
    await using test = await stage();
    const { access_token } = await test.connect();
    const { context } = test.service;
    const touched: unknown[] = [];
    const usedBefore = (milliseconds: number) => ({
      ...context,
      callers: { get: async (_: string, find: () => Promise<never>) => find() } as unknown as typeof context.callers,
      store: {
        ...test.store,
        async accessToken(digest: string, now: Date) {
          const { grant, token } = (await test.store.accessToken(digest, now))!;
          return { grant: { ...grant, lastUsedAt: new Date(now.getTime() - milliseconds) }, token };
        },
        async touchGrant(...use: unknown[]) {
          touched.push(use);
          throw new Error('The disk is full.');
        },
      },
    });
    await authenticateToken(usedBefore(HOUR - 1), access_token, RESOURCE);
    expect(touched).toEqual([]);
    const { key } = await authenticateToken(usedBefore(HOUR), access_token, RESOURCE);
    expect([key.name, touched]).toEqual(['Agent', [[key.id, test.clock.now()]]]);
    await test.clock.pass(0);
    expect(test.logged).toEqual(['warn the last use of a grant could not be stored']);
  });

  it('of a reader makes a reader', async () => {
    await using test = await stage();
    const { access_token, scope } = await test.connect({ scopes: ['read'] });
    expect([(await test.callerBy(access_token)).key.scope, scope]).toEqual(['read', 'read']);
  });

  it('works for a minute', async () => {
    await using test = await stage();
    const [soon, late] = [await test.codeOf(), await test.codeOf()];
    await test.clock.pass(MINUTE - 1);
    await test.redeem(soon);
    await test.clock.pass(1);
    await expect(test.redeem(late)).rejects.toMatchObject(INVALID);
    expect(test.warned).toEqual([]);
  });

  it.each([
    ['another redirect', { redirect_uri: 'http://127.0.0.1:7/callback' }],
    ['another verifier', { code_verifier: 'w'.repeat(43) }],
    ['a verifier that is too short', { code_verifier: 'v'.repeat(42) }],
    ['no code', { code: '' }],
  ])('with %s is refused, and works after that', async (_, change) => {
    await using test = await stage();
    const code = await test.codeOf();
    await expect(test.redeem(code, change)).rejects.toMatchObject(INVALID);
    expect((await test.redeem(code)).token_type).toBe('Bearer');
  });

  it('is exchanged also where the registration of its program cannot be prolonged', async () => {
    await using test = await stage();
    const code = await test.codeOf();
    const keepClient = () => Promise.reject(new Error('The disk is full.'));
    Object.assign(test.store, { keepClient });
    const { access_token, refresh_token } = await test.redeem(code);
    expect((await test.callerBy(access_token)).key.name).toBe('Agent');
    expect((await test.refresh(refresh_token)).token_type).toBe('Bearer');
    expect(test.warned).toEqual(Array(2).fill(expect.stringContaining('could not be kept')));
  });

  it('of another program is refused', async () => {
    await using test = await stage();
    const { client_id } = await test.register();
    await expect(test.redeem(await test.codeOf(), { client_id: client_id! })).rejects.toMatchObject(INVALID);
  });

  it('that is used twice ends its grant, with a note and a warning', async () => {
    await using test = await stage();
    const code = await test.codeOf();
    const { access_token } = await test.redeem(code);
    await expect(test.redeem(code)).rejects.toMatchObject(INVALID);
    await expect(test.callerBy(access_token)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect([test.revoked, test.warned.length, await test.grants()]).toEqual([[test.alice.account.id], 1, []]);
    const [change] = (await test.call(test.alice, 'listChanges', { kind: 'grant' })).changes;
    expect(change).toMatchObject({ what: 'grant.deleted', by: { kind: 'system' }, before: { client_name: 'Agent' } });
  });

  it('of two requests at once is exchanged for one, and the other ends the grant', async () => {
    await using test = await stage();
    const code = await test.codeOf();
    const both = await Promise.allSettled([test.redeem(code), test.redeem(code)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { ...INVALID, message: expect.stringContaining('The code is not valid') },
    });
    expect([await test.grants(), test.warned]).toEqual([[], ['A code was used twice: its grant was revoked.']]);
  });

  it('is exchanged for our resource, in one of two ways', async () => {
    await using test = await stage();
    const code = await test.codeOf();
    const other = test.redeem(code, { resource: 'https://other.example/' });
    await expect(other).rejects.toMatchObject({ code: 'invalid_target' });
    await expect(test.redeem(code, { grant_type: 'password' })).rejects.toMatchObject({
      code: 'unsupported_grant_type',
    });
    const without = test.ends.exchange(test.form({ grant_type: 'authorization_code' }), undefined);
    await expect(without).rejects.toMatchObject(INVALID);
    await expect(test.ends.exchange(test.form({ code }), undefined)).rejects.toMatchObject({ code: 'invalid_request' });
    expect((await test.redeem(code, { resource: 'https://SLUICE.example/mcp/' })).token_type).toBe('Bearer');
  });
});

describe('a refresh token', () => {
  it('becomes the next one, and asking again within a minute gives the same', async () => {
    await using test = await stage();
    const first = await test.connect();
    const second = await test.refresh(first.refresh_token);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    await test.clock.pass(MINUTE - 1);
    const again = await test.refresh(first.refresh_token);
    expect(again.refresh_token).toBe(second.refresh_token);
    expect(again.access_token).not.toBe(second.access_token);
    for (const { access_token } of [first, second, again])
      expect((await test.callerBy(access_token)).key.name).toBe('Agent');
    expect((await test.refresh(second.refresh_token)).scope).toBe('read full');
  });

  it('that was replaced a minute ago ends the grant', async () => {
    await using test = await stage();
    const first = await test.connect();
    const second = await test.refresh(first.refresh_token);
    await test.clock.pass(MINUTE);
    await expect(test.refresh(first.refresh_token)).rejects.toMatchObject(INVALID);
    await expect(test.refresh(second.refresh_token)).rejects.toMatchObject(INVALID);
    expect([await test.grants(), test.warned.length]).toEqual([[], 1]);
  });

  it('of ten requests at once is one', async () => {
    await using test = await stage();
    const { refresh_token } = await test.connect();
    const answers = await Promise.all(Array.from({ length: 10 }, () => test.refresh(refresh_token)));
    expect(new Set(answers.map((one) => one.refresh_token)).size).toBe(1);
  });

  it('lasts thirty days from its last use', async () => {
    await using test = await stage();
    const [kept, left] = [await test.connect(), await test.connect()];
    test.clock.jump(30 * DAY - 1);
    const next = await test.refresh(kept.refresh_token);
    test.clock.jump(1);
    await expect(test.refresh(left.refresh_token)).rejects.toMatchObject(INVALID);
    test.clock.jump(29 * DAY);
    expect((await test.refresh(next.refresh_token)).expires_in).toBe(3_600);
  });

  it('and its access tokens end with the year that the person allowed', async () => {
    await using test = await stage();
    let { refresh_token } = await test.connect();
    for (let days = 0; days < 360; days += 20) {
      test.clock.jump(20 * DAY);
      ({ refresh_token } = await test.refresh(refresh_token));
    }
    test.clock.jump(5 * DAY - 30 * MINUTE);
    const last = await test.refresh(refresh_token);
    expect(last.expires_in).toBe(30 * 60);
    test.clock.jump(30 * MINUTE);
    await expect(test.refresh(last.refresh_token)).rejects.toMatchObject(INVALID);
    await expect(test.callerBy(last.access_token)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('may ask for less, and not for more', async () => {
    await using test = await stage();
    const { refresh_token } = await test.connect({ scopes: ['read', 'full'] });
    for (const scope of ['events', 'read events'])
      await expect(test.refresh(refresh_token, { scope })).rejects.toMatchObject({
        code: 'invalid_scope',
        message: 'The grant has: read full.',
      });
    const less = await test.refresh(refresh_token, { scope: 'read' });
    expect([less.scope, (await test.callerBy(less.access_token)).key.scope]).toEqual(['read', 'read']);
    expect((await test.refresh(less.refresh_token)).scope).toBe('read full');
  });

  it.each(['offline_access', ' ', ''])(
    'that asks for %j, which is no scope of ours, gives all of them',
    async (scope) => {
      await using test = await stage();
      const { refresh_token } = await test.connect({ scopes: ['read', 'full'] });
      expect((await test.refresh(refresh_token, { scope })).scope).toBe('read full');
    },
  );

  it('that is unknown, malformed or of another program is refused', async () => {
    await using test = await stage();
    const { refresh_token } = await test.connect();
    const { client_id } = await test.register();
    const tries = [
      ['', {}],
      [`slr_${'a'.repeat(65)}`, {}],
      [refresh_token, { client_id: client_id! }],
    ] as const;
    for (const [token, change] of tries) await expect(test.refresh(token, change)).rejects.toMatchObject(INVALID);
    expect((await test.refresh(refresh_token)).token_type).toBe('Bearer');
  });
});

describe('the end of a token', () => {
  const end = (test: Awaited<ReturnType<typeof stage>>, token: string, more: Record<string, string> = {}) =>
    test.ends.end(test.form({ token, ...more }), undefined);

  it('is the end of its grant when it is a refresh token', async () => {
    await using test = await stage();
    const { refresh_token, access_token } = await test.connect();
    await end(test, refresh_token);
    expect([await test.grants(), test.revoked]).toEqual([[], [test.alice.account.id]]);
    await expect(test.callerBy(access_token)).rejects.toMatchObject({ code: 'unauthenticated' });
    const [change] = (await test.call(test.alice, 'listChanges', { kind: 'grant' })).changes;
    expect(change).toMatchObject({ what: 'grant.deleted', by: { kind: 'grant', key_name: 'Agent' } });
  });

  it('is its own end when it is an access token', async () => {
    await using test = await stage();
    const { refresh_token, access_token } = await test.connect();
    await end(test, access_token);
    await expect(test.callerBy(access_token)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(test.revoked).toEqual([test.alice.account.id]);
    expect((await test.refresh(refresh_token)).token_type).toBe('Bearer');
  });

  it('changes nothing for an unknown token, one of another program, or one from before', async () => {
    await using test = await stage();
    const { refresh_token, access_token } = await test.connect();
    const { client_id } = await test.register();
    for (const token of [refresh_token, access_token]) await end(test, token, { client_id: client_id! });
    for (const token of ['x', `${refresh_token.slice(0, -1)}_`]) await end(test, token);
    expect([(await test.grants()).length, test.revoked]).toEqual([1, []]);
    await expect(test.ends.end(test.form({}), undefined)).rejects.toMatchObject({ code: 'invalid_request' });
    const second = await test.refresh(refresh_token);
    const third = await test.refresh(second.refresh_token);
    await end(test, refresh_token);
    expect(await test.grants()).toHaveLength(1);
    await end(test, second.refresh_token);
    expect([await test.grants(), third.token_type]).toEqual([[], 'Bearer']);
  });
});

describe('a program that registers', () => {
  it('gets an id, and a secret when it asks for one', async () => {
    await using test = await stage();
    const open = await test.register({ client_name: ' Agent\u202e  of\nmine ' });
    expect(open).toEqual({
      client_id: expect.stringMatching(/^slc_[\w-]{22}$/),
      client_id_issued_at: Math.floor(test.clock.now().getTime() / 1_000),
      client_name: 'Agent ofmine',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
    const secret = await test.register({ token_endpoint_auth_method: 'client_secret_basic', client_name: undefined });
    expect(secret).toMatchObject({
      client_secret: expect.stringMatching(/^sls_[\w-]{43}$/),
      client_secret_expires_at: 0,
      client_name: 'A program without a name',
      token_endpoint_auth_method: 'client_secret_basic',
    });
  });

  it.each([
    [{ redirect_uris: [] }, 'invalid_redirect_uri'],
    [{ redirect_uris: Array.from({ length: 11 }, () => CALLBACK) }, 'invalid_redirect_uri'],
    [{ redirect_uris: [CALLBACK, 'http://thief.example/'] }, 'invalid_redirect_uri'],
    [{ client_name: 'x'.repeat(1_001) }, 'invalid_client_metadata'],
    [{ token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
    [{ grant_types: ['implicit'] }, 'invalid_client_metadata'],
    [{ response_types: ['token'] }, 'invalid_client_metadata'],
  ])('with %j is refused: %s', async (change, code) => {
    await using test = await stage();
    await expect(test.register(change)).rejects.toMatchObject({ name: 'OAuthError', code, status: 400 });
  });

  it('is forgotten after a day without a person, and kept for a month after one allowed it', async () => {
    await using test = await stage();
    const unused = await test.register();
    const { refresh_token } = await test.connect();
    test.clock.jump(DAY);
    expect(await test.ends.preview(test.rawOf({ client_id: unused['client_id'] }))).toHaveProperty('problem');
    test.clock.jump(28 * DAY);
    expect((await test.refresh(refresh_token)).token_type).toBe('Bearer');
  });

  it('is refused while very many wait for a person, and told when to try again', async () => {
    await using test = await stage();
    Object.assign(test.store, { addClient: async () => false });
    await expect(test.register()).rejects.toMatchObject({
      code: 'temporarily_unavailable',
      status: 503,
      retryAfter: 900,
    });
  });

  it('proves itself by its secret, in the header or in the form', async () => {
    await using test = await stage();
    const made = await test.register({ token_endpoint_auth_method: 'client_secret_post' });
    const [id, secret] = [made['client_id']!, made['client_secret']!];
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    const ask = (fields: Record<string, string>, header?: string) =>
      test.ends.exchange(new Map(Object.entries({ grant_type: 'refresh_token', ...fields })), header);
    const refused = { code: 'invalid_client', status: 401 };
    await expect(ask({ client_id: id })).rejects.toMatchObject(refused);
    await expect(ask({ client_id: id, client_secret: `${secret}x` })).rejects.toMatchObject(refused);
    await expect(ask({}, basic(`${id}:wrong`))).rejects.toMatchObject(refused);
    await expect(ask({ client_id: 'other' }, basic(`${id}:${secret}`))).rejects.toMatchObject(refused);
    await expect(ask({}, basic('%:%'))).rejects.toMatchObject(refused);
    await expect(ask({ client_id: id, client_secret: secret }, 'Bearer x')).rejects.toMatchObject(refused);
    await expect(ask({ client_id: 'slc_unknown' })).rejects.toMatchObject(refused);
    await expect(ask({})).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(ask({ client_id: '' })).rejects.toMatchObject({ code: 'invalid_request' });
    for (const wrong of [
      { client_id: id, token: 'x' },
      { client_id: id, client_secret: 'x', token: 'x' },
    ])
      await expect(test.ends.end(new Map(Object.entries(wrong)), undefined)).rejects.toMatchObject(refused);
    await test.ends.end(new Map(Object.entries({ client_id: id, client_secret: secret, token: 'x' })), undefined);
    // It is known; what it asks with is not.
    await expect(ask({ client_id: id, client_secret: secret })).rejects.toMatchObject(INVALID);
    await expect(ask({ client_id: id }, basic(`${id}:${secret}`))).rejects.toMatchObject(INVALID);
    await expect(ask({}, basic(`${id}:${secret}`))).rejects.toMatchObject(INVALID);
  });
});

describe('OAuth', () => {
  it('is off without a public address, and says why', async () => {
    await using test = await openService();
    const { grants, connect_url, off_reason } = await test.call(await test.caller('alice'), 'listGrants');
    expect([grants, connect_url]).toEqual([[], null]);
    expect(off_reason).toContain('SLUICE_PUBLIC_URL is not set');
  });

  it('lists what people allowed, and a person ends it once', async () => {
    await using test = await stage();
    const { access_token } = await test.connect();
    await test.callerBy(access_token);
    const { grants } = await test.call(test.alice, 'listGrants');
    const now = test.clock.now().getTime();
    expect(grants).toEqual([
      {
        id: expect.stringMatching(/^grant_/),
        client_id: test.client_id,
        client_name: 'Agent',
        client_host: null,
        redirect_host: '127.0.0.1',
        scopes: ['read', 'full'],
        rule_ids: null,
        created_at: new Date(now).toISOString(),
        last_used_at: grants[0]!.last_used_at,
        ends_at: new Date(now + 30 * DAY).toISOString(),
        expires_at: new Date(now + 365 * DAY).toISOString(),
      },
    ]);
    const { id: grant_id } = grants[0]!;
    const bob = await test.caller('bob');
    await expect(test.call(bob, 'revokeGrant', { grant_id })).rejects.toMatchObject({ code: 'not_found' });
    await test.call(test.alice, 'revokeGrant', { grant_id });
    await expect(test.callerBy(access_token)).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(test.call(test.alice, 'revokeGrant', { grant_id })).rejects.toMatchObject({ code: 'not_found' });
  });
});

const never = (): never => {
  throw new Error('The request was refused.');
};
