import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { scriptedPlatform } from '../../../test/stages/scripted-platform.ts';
import { upstreamStage } from '../../../test/stages/upstream-stage.ts';
import { StoreError } from '../../store/error.ts';
import { openSqlite } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';

const MINUTE = 60_000;

describe('an upstream', () => {
  it('is in the state that its stream says, for the caller and for coverage', async () => {
    const { x, rule, test, caller, clock } = await upstreamStage();
    const rule_id = await rule('storm');
    const told = async () => {
      await clock.pass(0);
      const { state, reason } = (await test.call(caller, 'status')).platforms.x!;
      const { coverage } = await test.call(caller, 'listMatches', { rule_id });
      return [state, reason, coverage.reasons];
    };
    x.push({ kind: 'state', state: 'live' });
    expect(await told()).toEqual(['live', undefined, ['not_started']]);
    x.push({ kind: 'state', state: 'degraded', reason: 'quota' });
    expect(await told()).toEqual(['degraded', 'quota', ['over_limit']]);
  });

  it('stores what the upstream says matched, with highlights of our own', async () => {
    const { x, rule, posts, test, caller } = await upstreamStage();
    const id = await rule('storm');
    x.arrive('1', 'a storm is near', [x.idOf('storm')]);
    expect(await posts()).toEqual(['1']);
    const { matches } = await test.call(caller, 'listMatches');
    expect(matches[0]).toMatchObject({ rule_id: id, highlights: [{ field: 'data.text', start: 2, end: 7 }] });
  });

  it('gives a shared registration to every rule that holds its text', async () => {
    const { x, rule, posts } = await upstreamStage();
    await rule('storm');
    await rule('storm');
    expect(x.values).toEqual(['storm']);
    x.arrive('1', 'storm', [x.idOf('storm')]);
    expect(await posts()).toEqual(['1', '1']);
  });

  it('lets the upstream decide, and counts where the engine disagrees', async () => {
    const { x, rule, posts, test, caller } = await upstreamStage();
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

  it('keeps a doubt until a comparison has been made, however much comes meanwhile', async () => {
    const { x, rule, posts, test, caller, clock } = await upstreamStage();
    const storm = await rule('storm');
    await rule('sea');
    await clock.pass(MINUTE);
    const at = clock.now();
    const marks = Array.from({ length: 450 }, (_, mark) => ({
      kind: 'mark' as const,
      cursor: `m${mark}`,
      through: at,
    }));
    x.arrive('1', 'a storm at sea', [x.idOf('sea')]);
    x.push(...marks);
    expect(await posts()).toEqual(['1']);
    const { platforms } = await test.call(caller, 'getRule', { rule_id: storm });
    expect(platforms.x).toMatchObject({ match_count: 0, engine_agreement: { engine_only: 1 } });
  });

  it('compares nothing that only the upstream can judge', async () => {
    const { x, rule, posts, test, caller } = await upstreamStage();
    const id = await rule('storm sample:1');
    x.arrive('1', 'a storm', [x.idOf('storm sample:1')]);
    expect(await posts()).toEqual(['1']);
    const { platforms } = await test.call(caller, 'getRule', { rule_id: id });
    expect(platforms.x!.engine_agreement).toEqual({ agreed: 0, upstream_only: 0, engine_only: 0 });
  });

  it('stores a post once, however often it comes, and counts the repeats', async () => {
    const { x, rule, posts, counted } = await upstreamStage();
    await rule('storm');
    for (let copy = 0; copy < 50; copy++) x.arrive('1', 'storm', [x.idOf('storm')]);
    expect(await posts()).toEqual(['1']);
    x.arrive('1', 'storm', [x.idOf('storm')]);
    expect(await posts()).toEqual(['1']);
    expect(counted.filter((counter) => counter === 'dup')).toHaveLength(50);
  });

  it('links an edited post to the match of its earlier version', async () => {
    const { x, rule, posts, test, caller, clock } = await upstreamStage();
    await rule('storm');
    x.arrive('1', 'storm', [x.idOf('storm')]);
    await clock.pass(1_000);
    const payload = { data: { id: '2', text: 'storm!', edit_history_tweet_ids: ['1', '2'] } };
    const at = clock.now();
    x.push({ kind: 'arrival', postId: '2', payload, cursor: '2', verdicts: [x.idOf('storm')], at, through: at });
    expect(await posts()).toEqual(['2', '1']);
    const { matches } = await test.call(caller, 'listMatches');
    expect(matches[0]!.edit_of).toBe(matches[1]!.id);
  });

  it('holds an arrival for a registration that is not known yet, and keeps the cursor before it', async () => {
    const { x, rule, posts, store, clock, counted } = await upstreamStage();
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

  it('counts each rule of an arrival once, although the arrival is judged in two parts', async () => {
    const { x, rule, posts, clock, test, caller } = await upstreamStage();
    const [storm, gale] = [await rule('storm'), await rule('gale')];
    x.arrive('1', 'storm and gale and hail', [x.idOf('storm'), 'upstream-3']);
    expect(await posts()).toEqual(['1']);
    const hail = await rule('hail');
    await clock.pass(1_000);
    expect(await posts()).toEqual(['1', '1']);
    const agreement = async (rule_id: string) =>
      (await test.call(caller, 'getRule', { rule_id })).platforms.x!.engine_agreement;
    // Neither part alone tells what the upstream left out.
    expect(await agreement(storm)).toEqual({ agreed: 1, upstream_only: 0, engine_only: 0 });
    expect(await agreement(gale)).toEqual({ agreed: 0, upstream_only: 0, engine_only: 0 });
    expect(await agreement(hail)).toEqual({ agreed: 1, upstream_only: 0, engine_only: 0 });
  });

  it('gives up on an arrival whose registration stays unknown for a minute', async () => {
    const { x, rule, posts, store, clock, counted } = await upstreamStage();
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
    const { x, rule, posts, store, test, caller, counted } = await upstreamStage();
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
    const { rule, posts, test, caller } = await upstreamStage({ clock, x });
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

  it('calls no time complete for which the upstream may still deliver', async () => {
    const { x, rule, clock, test, caller } = await upstreamStage();
    await rule('storm');
    const completeThrough = async () => (await test.call(caller, 'status')).platforms.x!.complete_through;
    const payload = { data: { id: '1', text: 'storm' } };
    const early = new Date(clock.now().getTime() - 9_000);
    const later = new Date(early.getTime() + 1_000);
    x.push({ kind: 'arrival', postId: '1', payload, cursor: 'a', verdicts: [], at: clock.now(), through: early });
    await clock.pass(0);
    expect(await completeThrough()).toBe(early.toISOString());
    x.push({ kind: 'broken', cursor: 'b', through: later, reason: 'not JSON', sample: '{' });
    await clock.pass(0);
    expect(await completeThrough()).toBe(later.toISOString());
  });

  it('keeps a broken record aside, and goes on after it', async () => {
    const { x, rule, store, clock, test, caller } = await upstreamStage();
    await rule('storm');
    const at = clock.now();
    x.push({ kind: 'broken', cursor: 'b', through: at, reason: 'not JSON', sample: 'x'.repeat(10_000) });
    x.push({ kind: 'arrival', postId: '1', payload: { nothing: 1 }, cursor: 'c', verdicts: ['any'], at, through: at });
    await clock.pass(0);
    expect(await store.cursor('x')).toBe('c');
    const broken = await store.broken('x', 10);
    expect(broken.map(({ sample }) => sample.length)).toEqual([13, 4_096]);
    expect((await test.call(caller, 'status')).platforms.x!.last_event_at).not.toBeNull();
  });

  it('keeps an arrival beyond a limit aside, with the reason', async () => {
    const { x, rule, store, clock } = await upstreamStage();
    await rule('storm');
    const payload = { data: { id: '1', text: 'storm', lang: 'a'.repeat(65) } };
    x.push({
      kind: 'arrival',
      postId: '1',
      payload,
      cursor: 'c',
      verdicts: ['any'],
      at: clock.now(),
      through: clock.now(),
    });
    await clock.pass(0);
    expect(await store.cursor('x')).toBe('c');
    const [broken] = await store.broken('x', 10);
    expect(broken).toMatchObject({ reason: '`data.lang` has 65 characters, and 64 are the most' });
  });
});

describe('the lease of an upstream', () => {
  it('lets one of two services dial, and the other when the first has stopped', async () => {
    const clock = fakeClock();
    const store = await openSqlite(':memory:', { clock });
    const first = await upstreamStage({ clock, store });
    await first.rule('storm');
    const second = await upstreamStage({ clock, store });
    await clock.pass(MINUTE);
    expect([first.x.open, second.x.open]).toEqual([1, 0]);
    const { x } = (await second.test.call(second.caller, 'status')).platforms;
    expect(x).toMatchObject({ state: 'connecting' });
    first.x.push({ kind: 'state', state: 'live' });
    await clock.pass(0);
    // Either tells what the one that reads the stream reports.
    expect((await second.test.call(second.caller, 'status')).platforms.x).toMatchObject({ state: 'live' });
    first.x.arrive('1', 'storm', [first.x.idOf('storm')]);
    expect(await first.posts()).toEqual(['1']);
    await first.test.service.close();
    await clock.pass(6_000);
    expect(second.x.open).toBe(1);
    expect(second.x.begins).toEqual(['1']);
  });

  it('refuses the writes of a holder that another has replaced', async () => {
    const { x, rule, posts, store, clock, test } = await upstreamStage();
    await rule('storm');
    x.arrive('1', 'storm', [x.idOf('storm')]);
    expect(await posts()).toEqual(['1']);
    const late = new Date(clock.now().getTime() + MINUTE);
    await store.takeLease({ name: 'x', holder: 'another', now: late, milliseconds: MINUTE });
    x.arrive('2', 'storm', [x.idOf('storm')]);
    expect(await posts()).toEqual(['1']);
    expect(await store.cursor('x')).toBe('1');
    expect(x.open).toBe(0);
    expect(test.logged).toContain('warn another process took over the stream; this one stops');
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
    const { x, rule, posts, test } = await upstreamStage({ clock, store });
    await rule('storm');
    isDown = true;
    for (const id of ['1', '2', '3']) x.arrive(id, 'storm', [x.idOf('storm')]);
    await clock.pass(10_000);
    expect(await posts()).toEqual([]);
    expect(test.service.context.readiness.notReady()).toEqual(['store_unwritable']);
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
    const { x, rule, posts, test, caller } = await upstreamStage({ clock, store });
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
    const { x, rule, posts, clock, test, caller } = await upstreamStage();
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
    const { test, caller } = await upstreamStage();
    const push = test.call(caller, 'pushEvents', { platform: 'x', lines: '{}' });
    await expect(push).rejects.toMatchObject({ code: 'failed_precondition' });
  });
});
