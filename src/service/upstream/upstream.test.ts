import { afterEach, describe, expect, it } from 'vitest';
import { type FakeClock, fakeClock } from '../../../test/fake-clock.ts';
import { type ScriptedPlatform, scriptedPlatform } from '../../../test/scripted-platform.ts';
import { openService, type TestOptions, type TestService } from '../../../test/service.ts';
import { localPlatform } from '../../platforms/local/local.ts';
import type { StreamCounter } from '../../platforms/platform.ts';
import { StoreError } from '../../store/error.ts';
import { openSqlite } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { noMetrics } from '../context.ts';
import type { Caller } from '../operation.ts';

const MINUTE = 60_000;

interface Stand {
  readonly clock: FakeClock;
  readonly x: ScriptedPlatform;
  readonly store: Store;
  readonly test: TestService;
  readonly caller: Caller;
  readonly counted: StreamCounter[];
  rule(value: string): Promise<string>;
  posts(): Promise<string[]>;
  gaps(): Promise<{ from: string; to: string | null; cause: string; recovered: boolean }[]>;
}

let opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened) await one[Symbol.asyncDispose]();
  opened = [];
});

async function stand(options: TestOptions & { clock?: FakeClock; x?: ScriptedPlatform } = {}): Promise<Stand> {
  const clock = options.clock ?? fakeClock();
  const x = options.x ?? scriptedPlatform('x', () => clock.now());
  const store = options.store ?? (await openSqlite(':memory:', { clock }));
  const counted: StreamCounter[] = [];
  const test = await openService({
    ...options,
    clock,
    store,
    platforms: { x, firehose: localPlatform('firehose') },
    metrics: { ...noMetrics, stream: (_, counter) => void counted.push(counter) },
  });
  opened.push(test);
  const caller = await test.caller('default', { xRules: 1_000 });
  await clock.pass(0);
  return {
    clock,
    x,
    store,
    test,
    caller,
    counted,
    async rule(value) {
      const input = { name: value, intent: '', platforms: ['x'], overrides: { x: value } };
      let id: string | undefined;
      const create = async () => {
        id = (await test.call(caller, 'createRule', input)).rule_id;
      };
      const creating = create();
      // Where slots are few, one must be free first.
      for (let seconds = 0; seconds < 60 && id === undefined; seconds++) await clock.pass(seconds && 1_000);
      await creating;
      return id!;
    },
    async posts() {
      await clock.pass(0);
      const { matches } = await test.call(caller, 'listMatches', { limit: 1_000 });
      return matches.map(({ platform_post_id }) => platform_post_id);
    },
    async gaps() {
      await clock.pass(0);
      return (await test.call(caller, 'status')).platforms.x!.gaps;
    },
  };
}

describe('an upstream', () => {
  it('stores what the upstream says matched, with highlights of our own', async () => {
    const { x, rule, posts, test, caller } = await stand();
    const id = await rule('storm');
    x.arrive('1', 'a storm is near', [x.idOf('storm')]);
    expect(await posts()).toEqual(['1']);
    const { matches } = await test.call(caller, 'listMatches');
    expect(matches[0]).toMatchObject({ rule_id: id, highlights: [{ field: 'data.text', start: 2, end: 7 }] });
  });

  it('gives a shared registration to every rule that holds its text', async () => {
    const { x, rule, posts } = await stand();
    await rule('storm');
    await rule('storm');
    expect(x.values).toEqual(['storm']);
    x.arrive('1', 'storm', [x.idOf('storm')]);
    expect(await posts()).toEqual(['1', '1']);
  });

  it('lets the upstream decide, and counts where the engine disagrees', async () => {
    const { x, rule, posts, test, caller } = await stand();
    const storm = await rule('storm');
    const sea = await rule('sea');
    x.arrive('1', 'a storm at sea', [x.idOf('storm'), x.idOf('sea')]);
    x.arrive('2', 'a calm', [x.idOf('storm')]);
    x.arrive('3', 'a storm at sea', [x.idOf('storm')]);
    expect(await posts()).toHaveLength(4);
    const agreement = async (rule_id: string) =>
      (await test.call(caller, 'getRule', { rule_id })).platforms.x!.engine_agreement;
    expect(await agreement(storm)).toEqual({ agreed: 2, upstream_only: 1, engine_only: 0 });
    expect(await agreement(sea)).toEqual({ agreed: 1, upstream_only: 0, engine_only: 1 });
    expect(test.logged).toContain('warn the upstream and the engine disagree on a rule');
  });

  it('compares nothing that only the upstream can judge', async () => {
    const { x, rule, posts, test, caller } = await stand();
    const id = await rule('storm sample:1');
    x.arrive('1', 'a storm', [x.idOf('storm sample:1')]);
    expect(await posts()).toEqual(['1']);
    const { platforms } = await test.call(caller, 'getRule', { rule_id: id });
    expect(platforms.x!.engine_agreement).toEqual({ agreed: 0, upstream_only: 0, engine_only: 0 });
  });

  it('stores a post once, however often it comes, and counts the repeats', async () => {
    const { x, rule, posts, counted } = await stand();
    await rule('storm');
    for (let copy = 0; copy < 50; copy++) x.arrive('1', 'storm', [x.idOf('storm')]);
    expect(await posts()).toEqual(['1']);
    x.arrive('1', 'storm', [x.idOf('storm')]);
    expect(await posts()).toEqual(['1']);
    expect(counted.filter((counter) => counter === 'dup')).toHaveLength(50);
  });

  it('links an edited post to the match of its earlier version', async () => {
    const { x, rule, posts, test, caller, clock } = await stand();
    await rule('storm');
    x.arrive('1', 'storm', [x.idOf('storm')]);
    await clock.pass(1_000);
    const payload = { data: { id: '2', text: 'storm!', edit_history_tweet_ids: ['1', '2'] } };
    x.push({ kind: 'arrival', postId: '2', payload, cursor: '2', verdicts: [x.idOf('storm')], at: clock.now() });
    expect(await posts()).toEqual(['2', '1']);
    const { matches } = await test.call(caller, 'listMatches');
    expect(matches[0]!.edit_of).toBe(matches[1]!.id);
  });

  it('holds an arrival for a registration that is not known yet, and keeps the cursor before it', async () => {
    const { x, rule, posts, store, clock, counted } = await stand();
    await rule('sea');
    x.arrive('1', 'sea', [x.idOf('sea')]);
    x.arrive('2', 'storm', ['upstream-2']);
    x.arrive('3', 'sea', [x.idOf('sea')]);
    expect(await posts()).toEqual(expect.arrayContaining(['1', '3']));
    expect(await store.cursor('x')).toBe('1');
    await rule('storm');
    await clock.pass(1_000);
    expect((await posts()).toSorted()).toEqual(['1', '2', '3']);
    expect(await store.cursor('x')).toBe('3');
    expect(counted).not.toContain('orphan');
  });

  it('gives up on an arrival that nobody claims within a minute', async () => {
    const { x, rule, posts, store, clock, counted } = await stand();
    await rule('sea');
    x.arrive('1', 'storm', ['foreign']);
    x.arrive('2', 'sea', ['foreign', x.idOf('sea')]);
    await clock.pass(59_000);
    expect(counted).not.toContain('orphan');
    expect(await posts()).toEqual(['2']);
    expect(await store.cursor('x')).toBeUndefined();
    await clock.pass(2_000);
    expect(counted.filter((counter) => counter === 'orphan')).toHaveLength(2);
    expect(await store.cursor('x')).toBe('2');
  });

  it('drops what comes for a rule that was deleted', async () => {
    const { x, rule, posts, store, test, caller, counted } = await stand();
    await rule('sea');
    const gone = await rule('storm');
    const id = x.idOf('storm');
    await test.call(caller, 'deleteRule', { rule_id: gone });
    x.arrive('1', 'storm', [id]);
    expect(await posts()).toEqual([]);
    expect(counted).toContain('late');
    expect(await store.cursor('x')).toBe('1');
  });

  it('lets the engine decide among the rules of a pack', async () => {
    const clock = fakeClock();
    const x = scriptedPlatform('x', () => clock.now(), 6);
    const { rule, posts, test, caller } = await stand({ clock, x });
    const ids: string[] = [];
    for (const word of ['ash', 'bay', 'cod', 'dew', 'elm', 'fig', 'gum', 'hay']) ids.push(await rule(word));
    expect(x.values.length).toBeLessThanOrEqual(6);
    const pack = x.values.find((value) => value.includes('ash') && value.includes('bay'))!;
    x.arrive('1', 'the bay', [x.idOf(pack)]);
    x.arrive('2', 'ash over the bay, and hay', [x.idOf(pack)]);
    await posts();
    const { matches } = await test.call(caller, 'listMatches', { limit: 1_000 });
    const names = matches.map(({ platform_post_id, rule_name }) => `${platform_post_id} ${rule_name}`).toSorted();
    const hay = pack.includes('hay') ? ['2 hay'] : [];
    expect(names).toEqual(['1 bay', '2 ash', '2 bay', ...hay]);
    expect(ids).toHaveLength(8);
  });

  it('keeps a broken record aside, and goes on after it', async () => {
    const { x, rule, store, clock, test, caller } = await stand();
    await rule('storm');
    x.push({ kind: 'broken', cursor: 'b', reason: 'not JSON', sample: 'x'.repeat(10_000) });
    x.push({ kind: 'arrival', postId: '1', payload: { nothing: 1 }, cursor: 'c', verdicts: ['any'], at: clock.now() });
    await clock.pass(0);
    expect(await store.cursor('x')).toBe('c');
    const broken = await store.broken('x', 10);
    expect(broken.map(({ sample }) => sample.length)).toEqual([13, 4_096]);
    expect((await test.call(caller, 'status')).platforms.x!.last_event_at).not.toBeNull();
  });
});

describe('coverage of an upstream', () => {
  it('moves with marks and arrivals, and shows in lists and in Status', async () => {
    const { x, rule, store, clock, test, caller } = await stand();
    expect((await test.call(caller, 'listMatches')).coverage.complete_through).toBe(clock.now().toISOString());
    await rule('storm');
    expect((await test.call(caller, 'listMatches')).coverage).toEqual({ complete_through: null, gaps: [] });
    const at = clock.now();
    x.push({ kind: 'state', state: 'live' }, { kind: 'mark', cursor: 'm', at });
    await clock.pass(7_000);
    expect(await store.cursor('x')).toBe('m');
    expect((await test.call(caller, 'listMatches')).coverage.complete_through).toBe(at.toISOString());
    const { x: status } = (await test.call(caller, 'status')).platforms;
    expect(status).toMatchObject({
      shape: 'upstream',
      state: 'live',
      registered: 1,
      lag_seconds: 7,
      complete_through: at.toISOString(),
    });
    expect((await test.call(caller, 'listMatches', { platform: 'firehose' })).coverage.complete_through).toBe(
      clock.now().toISOString(),
    );
  });

  it('keeps gaps on record: open, then closed, in lists of the time they overlap', async () => {
    const { x, rule, gaps, clock, test, caller } = await stand();
    await rule('storm');
    const from = clock.now();
    x.push({ kind: 'gap', gap: { from, to: undefined, cause: 'stall', recovered: false } });
    expect(await gaps()).toEqual([{ from: from.toISOString(), to: null, cause: 'stall', recovered: false }]);
    await clock.pass(MINUTE);
    const to = clock.now();
    x.push({ kind: 'gap', gap: { from, to, cause: 'stall', recovered: true } });
    const closed = { from: from.toISOString(), to: to.toISOString(), cause: 'stall', recovered: true };
    expect(await gaps()).toEqual([closed]);
    const listed = async (input: object) => (await test.call(caller, 'listMatches', input)).coverage.gaps;
    expect(await listed({})).toEqual([{ platform: 'x', ...closed }]);
    expect(await listed({ platform: 'firehose' })).toEqual([]);
    expect(await listed({ since: new Date(to.getTime() + 1).toISOString() })).toEqual([]);
    expect(await listed({ until: from.toISOString() })).toEqual([]);
  });

  it('tells live subscribers of a gap, once it is on record', async () => {
    const { x, rule, clock, test, caller, store } = await stand();
    await rule('storm');
    let heard = '';
    const outlet = {
      queued: 0,
      write(bytes: Uint8Array) {
        heard += Buffer.from(bytes).toString('utf8');
        return true;
      },
      end() {},
      destroy() {},
    };
    const after = await store.latest();
    test.service.context.live.subscribe({ accountId: caller.account.id, keyId: caller.key.id, after, outlet });
    await clock.pass(0);
    const gap = { from: clock.now(), to: undefined, cause: 'stall', recovered: false };
    x.push({ kind: 'gap', gap });
    await clock.pass(0);
    expect(heard).toContain(`event: gap\n`);
    expect(heard).toContain('"cause":"stall"');
  });

  it('closes what an earlier run left open, and claims no recovery', async () => {
    const clock = fakeClock();
    const store = await openSqlite(':memory:', { clock });
    const first = await stand({ clock, store });
    await first.rule('storm');
    const from = clock.now();
    first.x.push({ kind: 'gap', gap: { from, to: undefined, cause: 'away', recovered: false } });
    await clock.pass(1_000);
    await first.test.service.close();
    const { x, gaps } = await stand({ clock, store, x: first.x });
    x.push({ kind: 'state', state: 'live' });
    await clock.pass(0);
    const live = clock.now();
    x.push({ kind: 'mark', cursor: 'm', at: live });
    expect(await gaps()).toMatchObject([{ to: null }]);
    await clock.pass(MINUTE);
    x.push({ kind: 'mark', cursor: 'n', at: clock.now() });
    expect(await gaps()).toEqual([
      { from: from.toISOString(), to: live.toISOString(), cause: 'away', recovered: false },
    ]);
  });
});

describe('the lease of an upstream', () => {
  it('lets one of two services dial, and the other when the first has stopped', async () => {
    const clock = fakeClock();
    const store = await openSqlite(':memory:', { clock });
    const first = await stand({ clock, store });
    await first.rule('storm');
    const second = await stand({ clock, store });
    await clock.pass(MINUTE);
    expect([first.x.open, second.x.open]).toEqual([1, 0]);
    const { x } = (await second.test.call(second.caller, 'status')).platforms;
    expect(x).toMatchObject({ state: 'connecting', reason: 'another process reads the stream' });
    first.x.arrive('1', 'storm', [first.x.idOf('storm')]);
    expect(await first.posts()).toEqual(['1']);
    await first.test.service.close();
    await clock.pass(6_000);
    expect(second.x.open).toBe(1);
    expect(second.x.begins).toEqual(['1']);
  });

  it('refuses the writes of a holder that another has replaced', async () => {
    const { x, rule, posts, store, clock, test } = await stand();
    await rule('storm');
    x.arrive('1', 'storm', [x.idOf('storm')]);
    expect(await posts()).toEqual(['1']);
    const late = new Date(clock.now().getTime() + MINUTE);
    await store.takeLease({ name: 'x', holder: 'another', now: late, milliseconds: MINUTE });
    x.arrive('2', 'storm', [x.idOf('storm')]);
    expect(await posts()).toEqual(['1']);
    expect(await store.cursor('x')).toBe('1');
    expect(x.open).toBe(0);
    expect(test.logged).toContain('warn another process reads the stream by now; this one stops');
    await clock.pass(3 * MINUTE);
    expect(x.begins).toEqual([undefined, '1']);
  });
});

describe('an upstream and a store that fails', () => {
  it('keeps what it has read until it is durable', async () => {
    const clock = fakeClock();
    const real = await openSqlite(':memory:', { clock });
    let isDown = false;
    const unwritable = async () => {
      throw new StoreError('unwritable', 'The disk is full.');
    };
    const store: Store = {
      ...real,
      commit: (batch) => (isDown ? unwritable() : real.commit(batch)),
      check: () => (isDown ? unwritable() : real.check()),
    };
    const { x, rule, posts, test } = await stand({ clock, store });
    await rule('storm');
    isDown = true;
    for (const id of ['1', '2', '3']) x.arrive(id, 'storm', [x.idOf('storm')]);
    await clock.pass(10_000);
    expect(await posts()).toEqual([]);
    expect(test.service.notReady()).toEqual(['the store cannot be written']);
    expect(x.control.committed()).toBeUndefined();
    isDown = false;
    await clock.pass(2_000);
    expect((await posts()).toSorted()).toEqual(['1', '2', '3']);
    expect(x.begins).toEqual([undefined]);
    expect(x.control.committed()).toBe('3');
  });

  it('stores once what was stored although the answer was lost', async () => {
    const clock = fakeClock();
    const real = await openSqlite(':memory:', { clock });
    let losses = 3;
    const store: Store = {
      ...real,
      async commit(batch) {
        const committed = await real.commit(batch);
        if (batch.events.length > 0 && losses-- > 0) throw new StoreError('unwritable', 'The answer was lost.');
        return committed;
      },
    };
    const { x, rule, posts, test, caller } = await stand({ clock, store });
    const rule_id = await rule('storm');
    for (const id of ['1', '2']) x.arrive(id, 'storm', [x.idOf('storm')]);
    await clock.pass(5_000);
    expect((await posts()).toSorted()).toEqual(['1', '2']);
    const { platforms } = await test.call(caller, 'getRule', { rule_id });
    expect(platforms.x).toMatchObject({ match_count: 2, engine_agreement: { agreed: 2 } });
    expect((await test.call(caller, 'status')).platforms.x!.usage).toMatchObject({ reads: 2, matches: 2 });
    expect(losses).toBeLessThan(0);
  });

  it('starts a stream again that ended by a defect, from what is durable', async () => {
    const { x, rule, posts, clock, test, caller } = await stand();
    await rule('storm');
    x.arrive('1', 'storm', [x.idOf('storm')]);
    expect(await posts()).toEqual(['1']);
    x.fail(new Error('a defect'));
    await clock.pass(0);
    expect((await test.call(caller, 'status')).platforms.x).toMatchObject({ state: 'degraded' });
    await clock.pass(6_000);
    x.arrive('2', 'storm', [x.idOf('storm')]);
    expect(await posts()).toEqual(['2', '1']);
    expect(x.begins).toEqual([undefined, '1']);
  });
});

describe('events of an upstream', () => {
  it('cannot be pushed', async () => {
    const { test, caller } = await stand();
    const push = test.call(caller, 'pushEvents', { platform: 'x', lines: '{}' });
    await expect(push).rejects.toMatchObject({ code: 'failed_precondition' });
  });
});

describe('a budget', () => {
  const prices = { x: 0.5, firehose: 0 };

  it('lets the rules of an account rest when it is used up, until it is raised or the month ends', async () => {
    const { x, rule, posts, store, clock, test, caller } = await stand({
      prices,
      clock: fakeClock('2026-11-30T23:50:00.000Z'),
    });
    await store.changeAccount(caller.account.id, { xBudget: 1 });
    const id = await rule('storm');
    await clock.pass(MINUTE);
    const upstreamId = x.idOf('storm');
    for (const post of ['1', '2']) x.arrive(post, 'storm', [upstreamId]);
    expect(await posts()).toHaveLength(2);
    await clock.pass(1_000);
    expect(x.values).toEqual([]);
    x.arrive('3', 'storm', [upstreamId]);
    expect(await posts()).toHaveLength(2);
    const account = (await store.account(caller.account.id))!;
    const shown = await test.call({ ...caller, account }, 'getRule', { rule_id: id });
    expect(shown.platforms.x).toMatchObject({ status: 'over_budget', error: expect.stringContaining('1.00') });
    const input = { name: 'n', intent: '', platforms: ['x'], overrides: { x: 'sea' } };
    await expect(test.call({ ...caller, account }, 'createRule', input)).rejects.toMatchObject({
      code: 'resource_exhausted',
    });
    expect((await test.call(caller, 'status')).platforms.x!.usage).toMatchObject({
      month: '2026-11',
      reads: 2,
      matches: 2,
      cost: 1,
      rules: [{ rule_id: id, reads: 2, cost: 1 }],
    });

    await store.changeAccount(caller.account.id, { xBudget: 1.5 });
    await clock.pass(MINUTE);
    expect(x.values).toEqual(['storm']);
    x.arrive('4', 'storm', [x.idOf('storm')]);
    expect(await posts()).toHaveLength(3);
    await clock.pass(1_000);
    expect(x.values).toEqual([]);
    await clock.pass(10 * MINUTE);
    expect(x.values).toEqual(['storm']);
    expect((await test.call(caller, 'getRule', { rule_id: id })).platforms.x).toMatchObject({ status: 'active' });
  });
});
