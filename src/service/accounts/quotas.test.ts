import { describe, expect, it } from 'vitest';
import { type FakeClock, fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService, type TestOptions } from '../../../test/stages/service.ts';
import { openSqlite } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { createLastingNotices } from '../outlets/notify.ts';

const RULE = { platforms: ['x'], overrides: { x: 'storm' }, name: 'Storms', intent: '' };

async function stage(options: TestOptions & { readonly clock?: FakeClock } = {}) {
  const clock = options.clock ?? fakeClock('2026-11-15T23:50:00.000Z');
  const test = await openService({ ...options, clock });
  const [operator, alice] = [await test.caller('default'), await test.caller('alice')];
  const feed = await test.caller('default', { scope: 'ingest' });
  await test.call(alice, 'createRule', RULE);
  const { quotas, coverage } = test.service.context;
  let posted = 0;
  /** By the feed of everybody, or by the account for itself. */
  const post = async (who = feed, text = 'storm') => {
    const lines = JSON.stringify({ data: { id: String(++posted), text } });
    const answer = test.call(who, 'pushEvents', { platform: 'x', lines });
    await Promise.all([answer.catch(() => {}), clock.pass(1_000)]);
    await quotas.idle();
    return answer;
  };
  const reasons = async () => (await coverage.of({ accountId: alice.account.id, platforms: ['x'] })).reasons;
  const gaps = async () =>
    (await test.store.gaps({ platform: 'x', accountId: alice.account.id, limit: 9 })).map(({ cause, to }) => ({
      cause,
      isOpen: to === undefined,
    }));
  const found = async () => (await test.everyMatch(alice)).length;
  return Object.assign(test, { clock, operator, alice, feed, post, reasons, gaps, found, quotas });
}

describe('the owner of an account', () => {
  const told = async (test: Awaited<ReturnType<typeof stage>>) => {
    const { deliveries } = await test.store.deliveries({ accountId: test.alice.account.id, limit: 20 });
    const bodies = await Promise.all(deliveries.toReversed().map(({ id }) => test.store.pendingBody(id)));
    return bodies.map((body) => (JSON.parse(body!) as { event: { type: string; about: object } }).event);
  };
  /** A paused webhook keeps what it is told. */
  const hook = async (test: Awaited<ReturnType<typeof stage>>) => {
    const input = { url: 'https://a.example/', events: ['operational'] };
    const { webhook_id } = await test.call(test.alice, 'createWebhook', input);
    await test.call(test.alice, 'updateWebhook', { webhook_id, paused: true });
  };
  const looked = async (test: Awaited<ReturnType<typeof stage>>, milliseconds = 6_000) => {
    await test.clock.pass(milliseconds);
    await test.quotas.idle();
  };
  const about = { limit: 'matches_per_day' };

  it('is told once that a limit is near, once that it is reached, and once that there is room again', async () => {
    await using test = await stage({ limits: { matchesPerDay: 5 } });
    await hook(test);
    for (let post = 0; post < 3; post++) await test.post();
    await looked(test);
    expect(await told(test)).toEqual([]);
    await test.post();
    await looked(test);
    await looked(test);
    expect(await told(test)).toMatchObject([{ type: 'limit_near', about, message: expect.stringContaining('4 of 5') }]);
    for (let post = 0; post < 3; post++) await test.post();
    await looked(test);
    await looked(test, 11 * 60_000);
    await looked(test);
    expect(await told(test)).toMatchObject([
      { type: 'limit_near', about },
      { type: 'limit_reached', about, message: expect.stringContaining('5 of 5 matches a day') },
      { type: 'limit_cleared', about },
    ]);
  });

  it('is told of the end after a restart, and not again of the beginning', async () => {
    await using test = await stage({ limits: { matchesPerDay: 5 } });
    await hook(test);
    for (let post = 0; post < 4; post++) await test.post();
    await looked(test);
    const again = createLastingNotices({ store: test.store, notify: test.service.context.notify });
    await again.open();
    const now = test.clock.now();
    const cause = 'limit_near:matches_per_day';
    expect(again.accounts('limit_near:')).toEqual([test.alice.account.id]);
    const notice = { type: 'limit_near', subject: about, message: 'again' } as const;
    await again.begin(test.alice.account.id, cause, now, notice);
    expect(await told(test)).toHaveLength(1);
    const end = { type: 'limit_cleared', subject: about, message: 'over' } as const;
    await again.end(test.alice.account.id, cause, now, end);
    await again.end(test.alice.account.id, cause, now, end);
    expect(await told(test)).toMatchObject([{ type: 'limit_near' }, { type: 'limit_cleared', message: 'over' }]);
    expect(await test.store.openNotices()).toEqual([]);
  });
});

describe('matches a day', () => {
  it('let the rules of an account rest until the next day, and its coverage says so', async () => {
    await using test = await stage({ limits: { matchesPerDay: 2 } });
    for (let post = 0; post < 4; post++) await test.post();
    expect(await test.found()).toBe(2);
    expect(await test.reasons()).toEqual(expect.arrayContaining(['matches_per_day', 'gap']));
    await expect(test.post(test.alice)).rejects.toMatchObject({
      code: 'resource_exhausted',
      details: { limit_code: 'matches_per_day', limit: 2, used: 2 },
      retryAfter: expect.any(Number),
    });
    expect((await test.call(test.alice, 'status')).limits).toContainEqual({
      code: 'matches_per_day',
      limit: 2,
      used: 2,
    });
    await test.clock.pass(11 * 60_000);
    await test.quotas.idle();
    expect(await test.gaps()).toEqual([{ cause: 'matches_per_day', isOpen: false }]);
    expect((await test.post()).matches).toBe(1);
    expect((await test.post(test.alice)).matches).toBe(1);
  });

  it('go on resting after a restart, before anything is matched', async () => {
    await using test = await stage({ limits: { matchesPerDay: 1 } });
    await test.post();
    await test.service.close();
    await using again = await openService({ clock: test.clock, store: test.store, limits: { matchesPerDay: 1 } });
    expect(() => again.service.context.quotas.refuseResting(test.alice.account.id)).toThrow('1 a day');
  });

  it('are matched again when the limit of the account is raised or lifted', async () => {
    await using test = await stage({ limits: { matchesPerDay: 1 } });
    await test.post();
    await test.post();
    await test.call(test.operator, 'setAccountLimits', { account_id: 'alice', limits: { matches_per_day: 'off' } });
    await test.clock.pass(5_000);
    await test.quotas.idle();
    for (let post = 0; post < 3; post++) await test.post();
    expect([await test.found(), await test.gaps()]).toEqual([4, [{ cause: 'matches_per_day', isOpen: false }]]);
  });
});

it('a gap that the store did not take the end of ends at the next look', async () => {
  const clock = fakeClock('2026-11-15T12:00:00.000Z');
  const store = await openSqlite(':memory:', { clock });
  let failures = 0;
  const noteGaps: Store['noteGaps'] = async (gaps) => {
    if (failures-- > 0) throw new Error('The disk is full.');
    return store.noteGaps(gaps);
  };
  const failing = new Proxy(store, { get: (of, name: keyof Store) => (name === 'noteGaps' ? noteGaps : of[name]) });
  await using test = await stage({ clock, store: failing, limits: { matchesPerDay: 1 } });
  await test.post();
  const lift = { account_id: 'alice', limits: { matches_per_day: 'off' } };
  await test.call(test.operator, 'setAccountLimits', lift);
  failures = 1;
  await clock.pass(5_000);
  await test.quotas.idle();
  // Its rules are matched again, whatever the store says.
  expect([failures, await test.gaps(), (await test.post()).matches]).toEqual([
    0,
    [{ cause: 'matches_per_day', isOpen: true }],
    1,
  ]);
  await clock.pass(5_000);
  await test.quotas.idle();
  expect(await test.gaps()).toEqual([{ cause: 'matches_per_day', isOpen: false }]);
  expect(test.logged.filter((line) => line.includes('has reached a limit'))).toHaveLength(1);
});

describe('the room of matches', () => {
  it('lets the rules rest when it is used up, until matches have gone', async () => {
    await using test = await stage();
    await test.call(test.operator, 'setAccountLimits', { account_id: 'alice', limits: { stored_bytes: 100 } });
    for (let post = 0; post < 6; post++) await test.post();
    const { matches } = await test.call(test.alice, 'listMatches');
    const stored = (await test.store.stored([test.alice.account.id])).get(test.alice.account.id)!;
    expect([matches.length, stored.bytes >= 100, stored.bytes < 200]).toEqual([stored.matches, true, true]);
    await expect(test.post(test.alice)).rejects.toMatchObject({ details: { limit_code: 'stored_bytes', limit: 100 } });
    expect(await test.reasons()).toEqual(expect.arrayContaining(['stored_bytes', 'gap']));
    for (const { platform_post_id } of matches.slice(1))
      await test.call(test.alice, 'deleteMatches', { platform: 'x', platform_post_id });
    await test.clock.pass(5_000);
    await test.quotas.idle();
    expect((await test.post()).matches).toBe(1);
    expect(await test.gaps()).toEqual([{ cause: 'stored_bytes', isOpen: false }]);
  });
});

it('a look at many accounts is one read of what they used', async () => {
  const clock = fakeClock('2026-11-15T12:00:00.000Z');
  const store = await openSqlite(':memory:', { clock });
  const reads: string[] = [];
  const counted: Store = new Proxy(store, {
    get(of, name: keyof Store) {
      if (name === 'stored' || name === 'matchCounts') reads.push(name);
      return of[name];
    },
  });
  await using test = await openService({ clock, store: counted, limits: { matchesPerDay: 10 } });
  const feed = await test.caller('default', { scope: 'ingest' });
  for (let account = 0; account < 20; account++) await test.call(await test.caller(`a${account}`), 'createRule', RULE);
  reads.length = 0;
  const pushed = test.call(feed, 'pushEvents', { platform: 'x', lines: '{"data":{"id":"1","text":"storm"}}' });
  await clock.pass(1_000);
  await test.service.context.quotas.idle();
  expect([(await pushed).matches, reads]).toEqual([20, ['stored']]);
  await clock.pass(5_000);
  await test.service.context.quotas.idle();
  expect(reads).toEqual(['stored', 'stored']);
});
