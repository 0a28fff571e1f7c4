import { describe, expect, it } from 'vitest';
import { grantFor, pairOf } from '../../../test/conformance/store/grants.ts';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';
import type { Sent } from '../../delivery/webhooks/outcome.ts';
import { positionAt, timeOf } from '../../store/order.ts';
import type { Caller } from '../access/caller.ts';
import { MAX_ACCOUNT_SUBSCRIPTIONS, MAX_AGENT_SUBSCRIPTIONS, MAX_CHALLENGES } from '../limits.ts';
import { subscribeToMatches, unsubscribeFromMatches } from './matches-subscription.ts';
import { subscribe, unsubscribe } from './subscribe.ts';
import { canonicalJson, expiryOf, subscriptionIdOf } from './subscription-terms.ts';
import type { SubscriptionRequest } from './subscription-wish.ts';
import { receiverProblem } from './verify-receiver.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const RULE = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
const secretOf = (bytes: number, of = 7) => `whsec_${Buffer.alloc(bytes, of).toString('base64')}`;
const SECRET = secretOf(32);
const UNREACHED: Sent = {
  statusCode: undefined,
  error: 'refused',
  response: '',
  overloaded: false,
  retryAfter: undefined,
};

/** A service whose receivers answer every challenge unless the test says otherwise. */
async function stage() {
  const clock = fakeClock();
  const sent: { url: string; body: string; headers: unknown }[] = [];
  const receiver = {
    answer: (challenge: string): Partial<Sent> => ({ response: JSON.stringify({ challenge }) }),
    matches: {} as Partial<Sent>,
  };
  const test = await openService({
    clock,
    delivery: {
      send: async ({ url, body, headers }) => {
        sent.push({ url, body, headers });
        const read = JSON.parse(body) as { type?: string; challenge?: string };
        if (read.type !== 'verification')
          return { ...UNREACHED, statusCode: 200, error: undefined, ...receiver.matches };
        return { ...UNREACHED, statusCode: 200, error: undefined, ...receiver.answer(read.challenge!) };
      },
    },
  });
  const alice = await test.caller('alice');
  const { rule_id } = await test.call(alice, 'createRule', RULE);
  const ask = (change: Partial<SubscriptionRequest> = {}, who: Caller = alice, signal = new AbortController().signal) =>
    subscribe(
      test.service.context,
      who,
      {
        name: 'match.created',
        arguments: { rule_id },
        url: 'https://agent.example/in',
        secret: SECRET,
        cursor: undefined,
        maxAgeMs: undefined,
        ttlMs: undefined,
        ...change,
      },
      signal,
    );
  const stored = () => test.store.subscriptions(alice.account.id);
  const listed = async () => (await test.call(alice, 'listSubscriptions')).subscriptions;
  const push = async (...texts: string[]) => {
    const pushed = test.post(alice, ...texts);
    await clock.pass(25);
    await pushed;
  };
  const proofs = () => sent.filter(({ body }) => body.includes('verification'));
  return Object.assign(test, { clock, alice, rule_id, ask, stored, listed, push, sent, proofs, receiver });
}

describe('subscribe', () => {
  it('makes a webhook of the agent after its receiver proved itself, and lists it', async () => {
    await using test = await stage();
    const answer = await test.ask({ url: 'https://agent.example/in?who=7' });
    const args = canonicalJson({ rule_id: test.rule_id });
    const id = subscriptionIdOf({
      ownerId: test.alice.key.id,
      url: 'https://agent.example/in?who=7',
      event: 'match.created',
      arguments: args,
    });
    const end = new Date(test.clock.now().getTime() + DAY);
    expect(answer).toEqual({
      id,
      refreshBefore: end,
      cursor: expect.any(String),
      truncated: false,
      health: undefined,
    });
    const [webhook] = await test.stored();
    expect(webhook).toMatchObject({
      description: 'test',
      ruleIds: [test.rule_id],
      platforms: undefined,
      events: ['match'],
      format: 'mcp',
      status: 'active',
      reason: undefined,
      subscription: { id, ownerId: test.alice.key.id, event: 'match.created', arguments: args, isBrief: false },
    });
    expect(test.service.context.seal.unseal(webhook!.secrets.current)).toBe(SECRET);
    const now = test.clock.now().toISOString();
    expect(await test.listed()).toEqual([
      {
        id,
        webhook_id: webhook!.id,
        agent: 'test',
        owner_id: test.alice.key.id,
        event: 'match.created',
        arguments: { rule_id: test.rule_id },
        url: 'https://agent.example/***',
        status: 'active',
        reason: null,
        failing_since: null,
        created_at: now,
        refreshed_at: now,
        expires_at: end.toISOString(),
      },
    ]);
    expect((await test.call(test.alice, 'listWebhooks')).webhooks).toEqual([]);
    const hidden = test.call(test.alice, 'deleteWebhook', { webhook_id: webhook!.id });
    await expect(hidden).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is in the audit log when it begins, gets another secret and ends, without the secret parts of its address', async () => {
    await using test = await stage();
    const url = 'https://agent.example/in/T0KEN?who=7';
    const { id } = await test.ask({ url });
    await test.ask({ url });
    await test.ask({ url, secret: secretOf(32, 8) });
    for (let time = 0; time < 2; time++)
      await unsubscribe(test.service.context, test.alice, {
        name: 'match.created',
        arguments: { rule_id: test.rule_id },
        url,
      });
    const { changes } = await test.call(test.alice, 'listChanges', { kind: 'subscription' });
    const fields = { event: 'match.created', arguments: { rule_id: test.rule_id }, url: 'https://agent.example/***' };
    expect(changes.map(({ what, before, after }) => ({ what, before, after }))).toEqual([
      { what: 'subscription.deleted', before: fields },
      { what: 'subscription.changed', before: { secret: null }, after: { secret: 'rotated' } },
      { what: 'subscription.created', after: fields },
    ]);
    for (const change of changes)
      expect(change).toMatchObject({ id, by: { kind: 'key', key_id: test.alice.key.id, key_name: 'test' } });
    expect(JSON.stringify(changes)).not.toContain('T0KEN');
  });

  it('is in the audit log when an agent asks instead: once, until it ends', async () => {
    await using test = await stage();
    const { context } = test.service;
    const told = { by: 'resource', event: 'match.created', ruleId: test.rule_id } as const;
    await subscribeToMatches(context, test.alice, told);
    await subscribeToMatches(context, test.alice, told);
    await unsubscribeFromMatches(context, test.alice, told);
    const { changes } = await test.call(test.alice, 'listChanges', { kind: 'subscription' });
    expect(changes.map(({ what }) => what)).toEqual(['subscription.deleted', 'subscription.created']);
    expect(changes[0]!.before).toMatchObject({ url: 'wake:resource' });
  });

  it('catches up although the request that began it failed half-way', async () => {
    await using test = await stage();
    const cursor = test.service.context.cursors.writePlace(test.alice.account.id, 'event', await test.store.latest());
    await test.push('storm', 'another storm');
    const { replay } = test.store;
    Object.assign(test.store, {
      replay: async () => {
        Object.assign(test.store, { replay });
        throw new Error('The store is away.');
      },
    });
    await expect(test.ask({ cursor })).rejects.toThrow('away');
    await test.ask({ cursor });
    await test.clock.pass(1_000);
    expect(test.sent.filter(({ body }) => body.includes('match.created'))).toHaveLength(2);
  });

  it('is the same subscription when it is asked for again, without another proof for a day', async () => {
    await using test = await stage();
    const first = await test.ask();
    test.clock.jump(DAY - MINUTE);
    const again = await test.ask();
    expect([again.id, test.proofs().length]).toEqual([first.id, 1]);
    expect(again.refreshBefore.getTime() - first.refreshBefore.getTime()).toBe(DAY - MINUTE);
    expect(again.health).toEqual({ lastDeliveryAt: undefined, lastError: undefined, failedSince: undefined });
    await test.clock.pass(MINUTE);
    await test.ask();
    expect([test.proofs().length, (await test.stored()).length]).toEqual([2, 1]);
    await test.ask({ url: 'https://agent.example/other' });
    expect([test.proofs().length, (await test.stored()).length]).toEqual([3, 2]);
  });

  it('keeps the secret before for a quarter of an hour when a refresh has another', async () => {
    await using test = await stage();
    await test.ask();
    const [before] = await test.stored();
    await test.ask();
    expect((await test.stored())[0]!.secrets).toEqual(before!.secrets);
    await test.ask({ secret: secretOf(32, 8) });
    const { secrets } = (await test.stored())[0]!;
    const { seal } = test.service.context;
    expect([seal.unseal(secrets.current), seal.unseal(secrets.previous!)]).toEqual([secretOf(32, 8), SECRET]);
    expect(secrets.previousUntil).toEqual(new Date(test.clock.now().getTime() + 15 * MINUTE));
  });

  it.each([
    [undefined, DAY],
    [null, DAY],
    [DAY + 1, DAY],
    [6 * MINUTE, 6 * MINUTE],
    [1, 5 * MINUTE],
  ])('for %s ms lasts %s ms', async (ttlMs, lasts) => {
    await using test = await stage();
    const { refreshBefore } = await test.ask({ ttlMs });
    expect(refreshBefore.getTime() - test.clock.now().getTime()).toBe(lasts);
  });

  it('never outlasts its key', async () => {
    await using test = await stage();
    const expiresAt = new Date(test.clock.now().getTime() + MINUTE);
    const who = { ...test.alice, key: { ...test.alice.key, expiresAt } };
    expect((await test.ask({}, who)).refreshBefore).toEqual(expiresAt);
  });

  it('of an agent lasts as long as what it was allowed, and no longer', async () => {
    await using test = await stage();
    const now = test.clock.now();
    const endsAt = new Date(now.getTime() + 7 * MINUTE);
    const allowed = grantFor(test.alice.account.id, { id: 'grant_1', createdAt: now, endsAt });
    await test.store.addGrant(allowed, { digest: 'code', challenge: '' });
    await test.store.redeemCode('code', { ...pairOf('grant_1', 'a'), endsAt }, now);
    const grant = { scopes: ['read' as const, 'events' as const], ruleIds: undefined, tokenDigest: '' };
    const withKey = (id: string) => ({
      ...test.alice,
      grant,
      key: { ...test.alice.key, id, expiresAt: new Date(now.getTime() + MINUTE) },
    });
    expect(await expiryOf(test.service.context, withKey('grant_1'), undefined)).toEqual(endsAt);
    const later = new Date(now.getTime() + DAY);
    expect(await expiryOf(test.service.context, withKey('grant_2'), undefined)).toEqual(later);
  });

  it('stays brief when it is refreshed, and goes on from where it was', async () => {
    await using test = await stage();
    await test.ask();
    const [before] = await test.stored();
    const brief = { ...before!, subscription: { ...before!.subscription!, isBrief: true } };
    await test.store.saveSubscription(brief, { ofAccount: 9, ofOwner: 9, ended: 9 });
    await test.clock.pass(MINUTE);
    await test.ask();
    const [after] = await test.stored();
    expect(after!.subscription).toMatchObject({ isBrief: true, start: before!.subscription!.start });
    expect(after!.subscription!.refreshedAt).toEqual(test.clock.now());
  });

  it('tells its agent at a refresh when a delivery came through last, and what is wrong with its receiver since', async () => {
    await using test = await stage();
    await test.ask();
    await test.push('a storm');
    await test.clock.pass(MINUTE);
    const deliveredAt = (await test.ask()).health!.lastDeliveryAt!;
    expect(deliveredAt.getTime()).toBeGreaterThan(0);
    test.receiver.matches = { statusCode: 503, error: 'The receiver answered 503.' };
    await test.push('another storm');
    await test.clock.pass(MINUTE);
    const { health } = await test.ask();
    expect(health).toMatchObject({ lastDeliveryAt: deliveredAt, lastError: 'http_5xx' });
    expect(health!.failedSince!.getTime()).toBeGreaterThan(deliveredAt.getTime());
    expect((await test.ask()).health!.failedSince).toBeUndefined();
  });

  it('is sent at a refresh what was given up while its agent was away, and nothing that was acknowledged', async () => {
    await using test = await stage();
    await test.ask();
    test.receiver.matches = { statusCode: 503, error: 'The receiver answered 503.' };
    await test.push('a storm');
    await test.clock.pass(2_000);
    await test.push('another storm');
    await test.clock.pass(60 * MINUTE);
    const states = async () => (await test.call(test.alice, 'listWakes')).wakes.map(({ state }) => state);
    expect(await states()).toEqual(['expired', 'expired']);
    const [newer, older] = (await test.call(test.alice, 'listWakes')).wakes;
    await test.call(test.alice, 'acknowledgeWake', { wake_id: newer!.id });
    test.receiver.matches = {};
    const before = test.sent.length;
    await test.ask();
    await test.clock.pass(MINUTE);
    const events = test.sent.slice(before).map(({ body }) => (JSON.parse(body) as { eventId: string }).eventId);
    expect(events).toEqual([older!.id]);
    expect(await states()).toEqual(['acknowledged', 'offered']);
  });

  it('keeps its wake contract, its platform and what it is told of', async () => {
    await using test = await stage();
    await test.ask({ arguments: { rule_id: test.rule_id, wake: { per: 'story', at_most: '3/day' } } });
    await test.ask({ name: 'alert.raised', arguments: { platform: 'x' } });
    await test.ask({ name: 'gap.opened', arguments: {} });
    expect(await test.stored()).toMatchObject([
      { events: ['match'], wake: { per: 'story', atMost: { count: 3, window: 'day' } } },
      { events: [], platforms: ['x'], ruleIds: undefined },
      { events: [], platforms: undefined, ruleIds: undefined },
    ]);
  });
});

describe('a subscription is refused', () => {
  it('to a key that reads, and to a grant without events', async () => {
    await using test = await stage();
    const reader = await test.caller('alice', { scope: 'read' });
    const grant = { scopes: ['read' as const], ruleIds: undefined, tokenDigest: '' };
    for (const who of [reader, { ...test.alice, grant }]) {
      await expect(test.ask({}, who)).rejects.toMatchObject({ code: 'permission_denied' });
      const leave = { name: 'match.created', arguments: {}, url: 'https://agent.example/in' };
      await expect(unsubscribe(test.service.context, who, leave)).rejects.toMatchObject({ code: 'permission_denied' });
    }
  });

  it('for an event that is not there, a rule that is not seen, and arguments that are wrong', async () => {
    await using test = await stage();
    const unknown = test.ask({ name: 'match.gone' });
    await expect(unknown).rejects.toMatchObject({ code: 'not_found', details: { kind: 'event' } });
    const bob = await test.caller('bob');
    await expect(test.ask({}, bob)).rejects.toMatchObject({ code: 'permission_denied' });
    await expect(test.ask({ arguments: {} })).rejects.toMatchObject({ details: { issues: [{ path: 'rule_id' }] } });
    await expect(test.ask({ arguments: { rule_id: test.rule_id, colour: 'red' } })).rejects.toMatchObject({
      details: { issues: [{ path: 'colour' }] },
    });
    expect([await test.stored(), test.sent]).toEqual([[], []]);
  });

  it.each(['nothing', 'https://agent.example/#part', 'http://agent.example/', 'https://10.0.0.1/'])(
    'for the address %s',
    async (url) => {
      await using test = await stage();
      const issues = [{ path: 'delivery.url', message: expect.stringMatching(/\w/) }];
      await expect(test.ask({ url })).rejects.toMatchObject({ code: 'invalid_argument', details: { issues } });
    },
  );

  it.each([
    [secretOf(23), false],
    [secretOf(24), true],
    [secretOf(64), true],
    [secretOf(65), false],
    [Buffer.alloc(32).toString('base64'), false],
    [`whsec_${'a'.repeat(41)}=`, false],
  ])('or not for its secret: %s is right: %s', async (secret, isRight) => {
    await using test = await stage();
    const issues = [{ path: 'delivery.secret' }];
    const outcome = await test.ask({ secret }).catch((error: unknown) => error);
    const right = { id: expect.stringMatching(/^sub_[0-9a-f]{32}$/) as string };
    expect(outcome).toMatchObject(isRight ? right : { details: { issues } });
  });

  it.each<[string, (challenge: string) => Partial<Sent>, string]>([
    ['another challenge', () => ({ response: '{"challenge":"x"}' }), 'challenge_failed'],
    ['a longer challenge', (challenge) => ({ response: `{"challenge":"${challenge}x"}` }), 'challenge_failed'],
    ['a list', (challenge) => ({ response: JSON.stringify([challenge]) }), 'challenge_failed'],
    ['null', () => ({ response: 'null' }), 'challenge_failed'],
    ['no text', () => ({ response: '{"challenge":{"toString":null}}' }), 'challenge_failed'],
    ['no JSON', (challenge) => ({ response: challenge }), 'challenge_failed'],
    ['404', () => ({ statusCode: 404, error: 'no' }), 'http_4xx'],
    ['nothing', () => UNREACHED, 'connection_refused'],
  ])('when its receiver answers %s', async (_, answer, receiver) => {
    await using test = await stage();
    test.receiver.answer = answer;
    await expect(test.ask()).rejects.toMatchObject({ code: 'failed_precondition', details: { receiver } });
    expect(await test.stored()).toEqual([]);
  });

  it('when its receiver takes longer than eight seconds', async () => {
    await using test = await stage();
    const aborted: number[] = [];
    Object.assign(test.service.context, {
      send: ({ signal }: { signal: AbortSignal }) =>
        new Promise<Sent>((resolve) =>
          signal.addEventListener('abort', () => {
            aborted.push(test.clock.now().getTime());
            resolve({ ...UNREACHED, code: 'ABORT_ERR' });
          }),
        ),
    });
    const began = test.clock.now().getTime();
    const asked = test.ask().catch((error: unknown) => error);
    await test.clock.pass(8_000);
    expect(await asked).toMatchObject({ details: { receiver: 'timeout' } });
    expect(aborted).toEqual([began + 8_000]);
  });

  it('when a host was asked too often within a minute', async () => {
    await using test = await stage();
    test.receiver.answer = () => ({ response: '' });
    const tries = Array.from({ length: MAX_CHALLENGES }, (_, at) => test.ask({ url: `https://agent.example/${at}` }));
    for (const { status } of await Promise.allSettled(tries)) expect(status).toBe('rejected');
    await expect(test.ask()).rejects.toMatchObject({
      details: { limit_code: 'challenges', max: MAX_CHALLENGES },
      retryAfter: 60,
    });
    await expect(test.ask({ url: 'https://other.example/' })).rejects.toMatchObject({ code: 'failed_precondition' });
  });

  it.each([
    ['owner', 'subscriptions_per_agent', MAX_AGENT_SUBSCRIPTIONS, /^This agent has 100 /],
    ['account', 'subscriptions', MAX_ACCOUNT_SUBSCRIPTIONS, /^The account has 400 /],
  ])('beyond the limit of its %s', async (reached, limit_code, max, message) => {
    await using test = await stage();
    const limits: unknown[] = [];
    Object.assign(test.store, {
      saveSubscription: async (_: unknown, given: unknown) => {
        limits.push(given);
        return reached;
      },
    });
    const expected = { details: { limit_code, max }, message: expect.stringMatching(message) };
    await expect(test.ask()).rejects.toMatchObject(expected);
    expect(limits).toEqual([{ ofAccount: MAX_ACCOUNT_SUBSCRIPTIONS, ofOwner: MAX_AGENT_SUBSCRIPTIONS, ended: 400 }]);
  });

  it('without a word about its receiver when the server stops while that is asked', async () => {
    await using test = await stage();
    const stopping = new AbortController();
    test.receiver.answer = () => {
      stopping.abort();
      return { ...UNREACHED, code: 'ABORT_ERR' };
    };
    await expect(test.ask({}, test.alice, stopping.signal)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await test.stored()).toEqual([]);
  });

  it('when its key was revoked while the receiver was asked', async () => {
    await using test = await stage();
    const other = await test.caller('alice');
    const { answer } = test.receiver;
    test.receiver.answer = (challenge) => {
      revoked = test.call(other, 'revokeKey', { key_id: test.alice.key.id });
      return answer(challenge);
    };
    let revoked: Promise<unknown> = Promise.resolve();
    await expect(test.ask()).rejects.toMatchObject({ code: 'unauthenticated' });
    await revoked;
    const [ended] = (await test.call(other, 'listSubscriptions')).subscriptions;
    expect(ended).toMatchObject({ status: 'ended', agent: null, reason: expect.stringContaining('ended') });
  });
});

describe('a cursor of a subscription', () => {
  it('begins with what was matched after it, and is cut to an age', async () => {
    await using test = await stage();
    const { cursors } = test.service.context;
    const before = cursors.writePlace(test.alice.account.id, 'event', await test.store.latest());
    await test.push('a storm', 'another storm');
    const later = await test.ask({ cursor: before });
    expect(later.truncated).toBe(false);
    const [webhook] = await test.stored();
    expect(cursors.read(test.alice.account.id, 'event', 'cursor', before)).toBe(webhook!.subscription!.start);
    await test.clock.pass(10 * MINUTE);
    const cut = await test.ask({ cursor: before, maxAgeMs: MINUTE, url: 'https://agent.example/2' });
    expect(cut.truncated).toBe(true);
    const start = (await test.stored())[1]!.subscription!.start;
    expect(start).toBe(positionAt(test.clock.now().getTime() - MINUTE));
    const now = await test.ask({ cursor: null, url: 'https://agent.example/3' });
    expect(now.truncated).toBe(false);
    expect((await test.stored())[2]!.subscription!.start).toBe(await test.store.latest());
  });

  it('of another account is refused', async () => {
    await using test = await stage();
    const theirs = test.service.context.cursors.writePlace('acct_other', 'event', 1);
    await expect(test.ask({ cursor: theirs })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('of notices begins with the time', async () => {
    await using test = await stage();
    await test.clock.pass(MINUTE);
    await test.ask({ name: 'gap.opened', arguments: {} });
    expect(timeOf((await test.stored())[0]!.subscription!.start)).toBe(test.clock.now().getTime());
  });
});

describe('a subscription ends', () => {
  it('when it is not refreshed, and begins anew after that', async () => {
    await using test = await stage();
    await test.ask({ ttlMs: 5 * MINUTE });
    await test.clock.pass(5 * MINUTE);
    expect(await test.listed()).toMatchObject([{ status: 'ended', reason: expect.stringContaining('not refreshed') }]);
    const { health, truncated } = await test.ask();
    expect([truncated, health?.lastError]).toEqual([false, undefined]);
    expect(await test.listed()).toMatchObject([{ status: 'active', reason: null }]);
  });

  it('when the agent leaves, whatever the order of its arguments, and leaving twice is no error', async () => {
    await using test = await stage();
    const wake = { per: 'story', at_most: '3/day' };
    await test.ask({ arguments: { rule_id: test.rule_id, wake } });
    const leave = (args: unknown, url = 'https://agent.example/in') =>
      unsubscribe(test.service.context, test.alice, { name: 'match.created', arguments: args, url });
    await leave({ rule_id: test.rule_id });
    await leave({ rule_id: test.rule_id, wake }, 'no address');
    expect(await test.listed()).toMatchObject([{ status: 'active' }]);
    for (let times = 0; times < 2; times++)
      await leave({ wake: { at_most: '3/day', per: 'story' }, rule_id: test.rule_id });
    expect(await test.listed()).toMatchObject([{ status: 'ended', reason: 'The agent unsubscribed.' }]);
  });

  it('when a person ends it, who must have the account that it is of', async () => {
    await using test = await stage();
    const { id: subscription_id } = await test.ask();
    const bob = await test.caller('bob');
    const theirs = test.call(bob, 'endSubscription', { subscription_id });
    await expect(theirs).rejects.toMatchObject({ code: 'not_found' });
    await test.call(test.alice, 'endSubscription', { subscription_id });
    expect(await test.listed()).toMatchObject([{ status: 'ended', reason: 'A person ended it.' }]);
  });
});

describe('canonical JSON', () => {
  it('has its keys in order at every depth, and its lists as they are', () => {
    const value = { b: [{ z: 1, a: null }, 'x'], a: { d: true, c: 1.5 } };
    expect(canonicalJson(value)).toBe('{"a":{"c":1.5,"d":true},"b":[{"a":null,"z":1},"x"]}');
  });
});

describe('the problem of a receiver', () => {
  it.each<[Partial<Sent>, string | undefined]>([
    [{ error: undefined, statusCode: 200 }, undefined],
    [{ statusCode: 399 }, 'challenge_failed'],
    [{ statusCode: 400 }, 'http_4xx'],
    [{ statusCode: 499 }, 'http_4xx'],
    [{ statusCode: 500 }, 'http_5xx'],
    [{ overloaded: true }, 'timeout'],
    [{ code: 'ABORT_ERR' }, 'timeout'],
    [{ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, 'tls_error'],
    [{ code: 'SELF_SIGNED_CERT_IN_CHAIN' }, 'tls_error'],
    [{ code: 'ECONNREFUSED' }, 'connection_refused'],
    [{}, 'connection_refused'],
  ])('after %j is %s', (change, problem) => {
    expect(receiverProblem({ ...UNREACHED, ...change })).toBe(problem);
  });
});
