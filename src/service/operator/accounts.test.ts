import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { registrationStage } from '../../../test/stages/registration-stage.ts';
import { openService, type TestOptions } from '../../../test/stages/service.ts';
import { ACCOUNT_LIMIT_CODES } from '../../domain/account.ts';
import { authenticate } from '../access/keys.ts';
import { limitOf } from '../limits.ts';
import { waitForMatches } from '../matches/wait-for-matches.ts';

const RULE = { platforms: ['x'], overrides: { x: 'storm' }, name: 'Storms', intent: '' };

async function stage(options: TestOptions = {}) {
  const test = await openService(options);
  const [operator, alice, bob] = [await test.caller('default'), await test.caller('alice'), await test.caller('bob')];
  const feed = await test.caller('default', { scope: 'ingest' });
  for (const who of [alice, bob]) await test.call(who, 'createRule', RULE);
  const suspend = (account_id = 'alice') => test.call(operator, 'suspendAccount', { account_id, reason: 'noise' });
  const resume = (account_id = 'alice') => test.call(operator, 'resumeAccount', { account_id });
  const found = async (who: typeof alice) => (await test.everyMatch(who)).length;
  return Object.assign(test, { operator, alice, bob, feed, suspend, resume, found });
}

describe('a suspended account', () => {
  it('gets no matches until it is resumed, which its coverage tells as a gap, and keeps what it has', async () => {
    await using test = await stage();
    const { alice, bob, feed, store } = test;
    await test.post(feed, 'storm 1');
    expect(await test.suspend()).toMatchObject({ name: 'alice', suspended: { reason: 'noise' } });
    await test.post(feed, 'storm 2');
    expect([await test.found(alice), await test.found(bob)]).toEqual([1, 2]);
    const gaps = () => store.gaps({ platform: 'x', accountId: alice.account.id, limit: 9 });
    expect(await gaps()).toMatchObject([{ cause: 'account_suspended', to: undefined }]);
    const coverage = await test.service.context.coverage.of({ accountId: alice.account.id, platforms: ['x'] });
    expect(coverage.reasons).toEqual(expect.arrayContaining(['account_suspended', 'gap']));
    expect(await test.resume()).toMatchObject({ suspended: null });
    await test.service.context.suspensions.settled();
    await test.post(feed, 'storm 3');
    expect([await test.found(alice), await test.found(bob)]).toEqual([2, 3]);
    expect(await gaps()).toMatchObject([{ cause: 'account_suspended', to: expect.any(Date), recovered: false }]);
    expect((await test.call(alice, 'listRules')).rules).toHaveLength(1);
  });

  it('is refused with one error, whatever it comes with', async () => {
    await using test = await stage();
    const { context } = test.service;
    const { key: secret } = await test.call(test.alice, 'createKey', { name: 'other' });
    await test.suspend();
    await expect(authenticate(context, secret)).rejects.toMatchObject({
      code: 'permission_denied',
      message: expect.stringContaining('noise'),
      details: { reason: 'account_suspended' },
    });
    await test.resume();
    expect((await authenticate(context, secret)).account.name).toBe('alice');
  });

  it('is told a reason whose characters can all be seen', async () => {
    await using test = await stage();
    const suspend = (reason: string) => test.call(test.operator, 'suspendAccount', { account_id: 'alice', reason });
    await expect(suspend('no\u202eise')).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { issues: [{ path: 'reason', message: expect.stringContaining('U+202E') }] },
    });
    expect(await suspend('噪音 🙉'.repeat(100))).toMatchObject({ suspended: { reason: '噪音 🙉'.repeat(100) } });
  });

  it('ends streams and waiting requests with the reason', async () => {
    await using test = await stage();
    const { context } = test.service;
    const { account, key } = test.alice;
    const { promise: ended, resolve } = Promise.withResolvers<string>();
    const outlet = { write: () => true, queued: 0, end: (bytes: Uint8Array) => resolve(String(bytes)), destroy() {} };
    context.live.subscribe({ accountId: account.id, keyId: key.id, after: 0, outlet });
    const waiting = waitForMatches(
      context,
      test.alice,
      { limit: 1, milliseconds: 60_000 },
      new AbortController().signal,
    );
    const refused = waiting.catch((error: unknown) => error);
    while (context.matchSignals.countOf(account.id) === 0) await Promise.resolve();
    await test.suspend();
    expect(await ended).toContain('"reason":"account_suspended"');
    expect(await refused).toMatchObject({ details: { reason: 'account_suspended' } });
  });

  it('stays so after a restart, and one that was resumed before the gap ended is awake then', async () => {
    await using test = await stage();
    const { store, alice, feed } = test;
    await test.suspend();
    await test.suspend('bob');
    await test.service.close();
    await store.resumeAccount(test.bob.account.id);
    await using again = await openService({ store });
    const { suspensions } = again.service.context;
    await suspensions.follow();
    await suspensions.settled();
    await again.post(feed, 'storm after');
    expect((await store.matches({ accountId: alice.account.id, limit: 9 })).matches).toHaveLength(0);
    expect((await store.matches({ accountId: test.bob.account.id, limit: 9 })).matches).toHaveLength(1);
    const [gap] = await store.gaps({ platform: 'x', accountId: test.bob.account.id, limit: 9 });
    expect(gap?.to).toBeInstanceOf(Date);
  });

  it('is noted in its audit log once, with who and why, however often it is asked for at once', async () => {
    await using test = await stage();
    await Promise.all([test.suspend(), test.suspend(), test.suspend()]);
    await Promise.all([test.resume(), test.resume()]);
    const { changes } = await test.call(test.alice, 'listChanges', { kind: 'account' });
    const by = { kind: 'operator', key_id: test.operator.key.id };
    expect(changes).toMatchObject([
      { by, what: 'account.changed', before: { suspended: 'noise' }, after: { suspended: null } },
      { by, what: 'account.changed', before: { suspended: null }, after: { suspended: 'noise' } },
    ]);
  });

  it('is found by a running process within seconds when another one suspends it', async () => {
    const clock = fakeClock();
    await using test = await stage({ clock });
    await test.store.suspendAccount(test.alice.account.id, { at: clock.now(), reason: '' });
    await clock.pass(5_000);
    expect(test.service.context.suspensions.isSuspended(test.alice.account.id)).toBe(true);
  });

  it('cannot be the operator’s own, and only the operator suspends', async () => {
    await using test = await stage();
    await expect(test.suspend('default')).rejects.toMatchObject({ code: 'failed_precondition' });
    await expect(test.suspend('nobody')).rejects.toMatchObject({ code: 'not_found' });
    for (const name of ['suspendAccount', 'resumeAccount', 'listUsage'] as const)
      await expect(test.call(test.bob, name, { account_id: 'alice' })).rejects.toMatchObject({
        code: 'permission_denied',
      });
  });
});

describe('an upstream', () => {
  it('holds no rule of a suspended account, and all of them again when it is resumed', async () => {
    await using test = await registrationStage();
    const { clock, store, alice, x } = test;
    await test.create('storm');
    await test.create('hail');
    const { suspensions } = test.service.context;
    await store.suspendAccount(alice.account.id, { at: clock.now(), reason: '' });
    await clock.pass(5_000);
    await clock.pass(60_000);
    expect([...x.rules.keys()]).toEqual([]);
    await store.resumeAccount(alice.account.id);
    await clock.pass(60_000);
    await suspensions.settled();
    expect(test.covered().toSorted()).toEqual(['hail', 'storm']);
    const [gap] = await store.gaps({ platform: 'x', accountId: alice.account.id, limit: 1 });
    expect(gap).toMatchObject({ cause: 'account_suspended', to: expect.any(Date) });
  });
});

describe('the limits of one account', () => {
  it('are set and lifted one by one, shown in Status, and noted in the audit log', async () => {
    await using test = await stage({ limits: { firehoseRules: 50, waits: 9 } });
    const limits = async (who: typeof test.alice) => {
      const fresh = { ...who, account: (await test.store.account(who.account.id))! };
      const listed = (await test.call(fresh, 'status')).limits;
      return ['firehose_rules', 'waits'].map((code) => listed.find((one) => one.code === code)?.limit);
    };
    const set = (change: object) =>
      test.call(test.operator, 'setAccountLimits', { account_id: 'alice', limits: change });
    expect(await set({ firehose_rules: 7, waits: 'off' })).toMatchObject({
      limits: { firehose_rules: 7, waits: null },
    });
    expect([await limits(test.alice), await limits(test.bob)]).toEqual([
      [7, null],
      [50, 9],
    ]);
    expect(await set({ firehose_rules: 'usual' })).toMatchObject({ limits: { waits: null } });
    expect(await limits(test.alice)).toEqual([50, null]);
    const { changes } = await test.call(test.alice, 'listChanges', { kind: 'account', limit: 1 });
    expect(changes).toMatchObject([
      { before: { limits: { firehose_rules: 7, waits: null } }, after: { limits: { waits: null } } },
    ]);
    for (const wrong of [{ waits: 0 }, { waits: -1 }, { waits: 'none' }, { rules: 1 }])
      await expect(set(wrong)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('never change those of another account', async () => {
    await using test = await stage();
    const codes = fc.constantFrom(...ACCOUNT_LIMIT_CODES);
    const value = fc.oneof(fc.integer({ min: 1 }), fc.constantFrom('off', 'usual'));
    const usual = { requestsPerKey: 600, waits: 5, storedBytes: 1_000 };
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('alice', 'bob'), fc.dictionary(codes, value), async (name, limits) => {
        const other = name === 'alice' ? 'bob' : 'alice';
        const all = async () => {
          const account = (await test.store.account(other))!;
          return ACCOUNT_LIMIT_CODES.map((code) => limitOf(usual, account, code));
        };
        const before = await all();
        await test.call(test.operator, 'setAccountLimits', { account_id: name, limits });
        expect(await all()).toEqual(before);
      }),
      { numRuns: 40 },
    );
  });
});
