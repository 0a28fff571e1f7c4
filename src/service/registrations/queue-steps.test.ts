import { describe, expect, it } from 'vitest';
import { asking, at, MINUTE, PREFIX, rowOf, queueStage as stage, textOf } from '../../../test/stages/queue-stage.ts';
import type { Gap } from '../../domain/coverage.ts';
import { type HeldRule, PlatformError } from '../../platforms/platform.ts';
import type { RegistrationChange } from '../../store/store.ts';
import { audit } from './audit.ts';
import { nextRemoval } from './queue-turn.ts';
import { assign, registerDrafts } from './register.ts';
import { dueAt, leaveUnneeded, removeDue, wantForOthers } from './removal.ts';
import { closeGaps, explainGaps, heldAt, loadGaps, openGaps } from './rule-gaps.ts';

describe('what a queue knows of its upstream', () => {
  it('is how many slots are free, ours and those of others counted', async () => {
    const rows = [rowOf('a', ['a']), rowOf('b', ['b'], 'leaving'), rowOf('c', ['c'], 'gone')];
    const { state, upstream } = await stage({ rows, capacity: { rules: 100, used: 12 } });
    expect(await state.slots.read()).toEqual({
      rules: 100,
      length: 1_024,
      foreign: 10,
      readAt: state.clock.elapsed(),
    });
    expect(await state.slots.room()).toEqual({ free: 100 - 10 - 2 + 1 - 2, now: 88, length: 1_024 });
    await state.slots.room();
    expect(upstream.asked.capacity).toBe(1);
    state.slots.doubt();
    await state.slots.room();
    expect(upstream.asked.capacity).toBe(2);
    const free = await stage({ rows });
    expect(await free.state.slots.room()).toMatchObject({
      free: Number.POSITIVE_INFINITY,
      now: Number.POSITIVE_INFINITY,
    });
    const fewer = await stage({ rows, capacity: { rules: 100, used: 0 } });
    expect((await fewer.state.slots.read()).foreign).toBe(0);
  });

  it('is told in figures: held, packs, used and the limit', async () => {
    const rows = [rowOf('a', ['a', 'b']), rowOf('b', ['c']), rowOf('c', ['d'], 'leaving'), rowOf('d', ['e'], 'gone')];
    const { state } = await stage({ rows, wanted: ['a', 'c'], capacity: { rules: 50, used: 9 } });
    expect(state.slots.figures()).toEqual({ held: 2, packs: 1, used: 3, limit: undefined });
    await state.slots.room();
    expect(state.slots.figures()).toEqual({ held: 2, packs: 1, used: 9, limit: 50 });
    expect(state.slots.full()).toMatchObject({ fault: 'limit', message: 'All 50 rules that x allows are in use.' });
  });

  it('is what an id stands for', async () => {
    const rows = [rowOf('a', ['a', 'b']), rowOf('b', ['c'])];
    const { state } = await stage({ rows, wanted: ['a'] });
    expect(state.table.meaningOf('id a')).toEqual({ texts: [textOf('a')], packed: true });
    expect([state.table.meaningOf('id b'), state.table.meaningOf('other')]).toEqual(['late', undefined]);
    state.table.want(textOf('c'));
    expect(state.table.meaningOf('id b')).toEqual({ texts: [textOf('c')], packed: false });
  });
});

describe('registering', () => {
  const draftOf = (...values: string[]) => ({
    members: values.map((value) => ({ text: textOf(value), part: undefined })),
    replaces: [],
  });

  it('stores the intent first, then what became of it, and who holds it', async () => {
    const { state, changes, upstream } = await stage();
    upstream.register = (value) => ({ id: `new ${value}`, adopted: value === 'b' });
    expect(await registerDrafts(state, [draftOf('a'), draftOf('b')])).toEqual([]);
    expect(changes[0]!.put).toMatchObject([
      { value: 'a', state: 'wanted', platformRuleId: undefined, since: at(0) },
      { value: 'b', state: 'wanted' },
    ]);
    expect(changes[1]).toMatchObject({
      put: [
        { value: 'a', state: 'held', platformRuleId: 'new a' },
        { value: 'b', state: 'held', platformRuleId: 'new b' },
      ],
      drop: [],
      holders: [
        { platform: 'x', value: 'a', status: 'active', platformRuleId: 'new a' },
        { value: 'b', platformRuleId: 'new b' },
      ],
    });
    expect([...state.ours]).toEqual(['new a']);
    expect(state.table.holderOf(textOf('a'))?.platformRuleId).toBe('new a');
    expect(changes[0]!.put![0]!.tag).toMatch(/^sluice-1-[0-9a-f]{16}$/);
  });

  it('drops what was refused for sure, and looks for what no one answered for', async () => {
    const { state, changes, upstream } = await stage();
    const errors = {
      a: new PlatformError('refused', 'no'),
      b: new PlatformError('limit', 'full'),
      c: new PlatformError('unreachable', 'away'),
    };
    upstream.register = (value) => ({ error: errors[value as 'a'] });
    const failed = await registerDrafts(state, [draftOf('a'), draftOf('b'), draftOf('c')]);
    expect(failed.map(({ error }) => error)).toEqual(Object.values(errors));
    expect(changes[1]!.drop).toHaveLength(2);
    expect(changes[1]!.put).toMatchObject([{ value: 'c', state: 'leaving' }]);
    expect(state.table.isWanted(textOf('a'))).toBe(false);
  });

  it('takes a platform that says too little, or fails as a whole, for unreachable', async () => {
    const silent = await stage();
    Object.assign(silent.state.platform, { register: async () => [] });
    expect(await registerDrafts(silent.state, [draftOf('a')])).toMatchObject([{ error: { fault: 'unreachable' } }]);
    const failing = await stage();
    Object.assign(failing.state.platform, {
      register: () => Promise.reject(new PlatformError('auth' as never, 'refused')),
    });
    expect(await registerDrafts(failing.state, [draftOf('a')])).toHaveLength(1);
    const defect = await stage();
    Object.assign(defect.state.platform, { register: () => Promise.reject(new Error('a defect')) });
    await expect(registerDrafts(defect.state, [draftOf('a')])).rejects.toThrow('a defect');
  });

  it('has what it replaces leave, and forgets what had the same id', async () => {
    const rows = [rowOf('old', ['a']), rowOf('late', ['z'], 'leaving', { platformRuleId: 'new a' })];
    const { state, states } = await stage({ rows, wanted: ['a'] });
    await registerDrafts(state, [{ ...draftOf('a'), replaces: [`${PREFIX}old`] }]);
    const found = states();
    expect(found['old']).toBe('leaving');
    expect(found).not.toHaveProperty('late');
    expect(Object.values(found)).toContain('held');
  });

  it('asks for nothing when there is nothing to register', async () => {
    const { state, upstream, changes } = await stage();
    expect([await registerDrafts(state, []), upstream.asked.register, changes]).toEqual([[], [], []]);
  });
});

describe('asking for texts', () => {
  it('is answered with the id at once where it is held, and once for equal texts', async () => {
    const { state, upstream } = await stage({ rows: [rowOf('a', ['a'])], wanted: ['a'] });
    const [held, one, two] = [asking('a'), asking('b'), asking('b')];
    expect(await assign(state, [held.request, one.request, two.request])).toEqual([]);
    expect([held.answers[0], one.answers[0], two.answers[0]]).toEqual(['id a', 'new b', 'new b']);
    expect(upstream.asked.register).toEqual([['b']]);
    await assign(state, [asking('a').request]);
    expect(upstream.asked.register).toHaveLength(1);
  });

  it('is refused when all slots are taken, after the capacity was read again', async () => {
    const rows = [rowOf('a', ['from:one']), rowOf('b', ['from:two'])];
    const { state, upstream } = await stage({
      rows,
      wanted: ['from:one', 'from:two'],
      capacity: { rules: 2, used: 2 },
    });
    await state.slots.room();
    const more = asking('sample:10 lava');
    await assign(state, [more.request]);
    expect(more.answers).toMatchObject([{ fault: 'limit' }]);
    expect(upstream.asked.capacity).toBe(2);
  });

  it('is tried once more when another program took the slots meanwhile', async () => {
    const { state, upstream } = await stage();
    let tries = 0;
    upstream.register = (value) =>
      tries++ === 0 ? { error: new PlatformError('limit', 'full') } : { id: `new ${value}`, adopted: false };
    const one = asking('a');
    await assign(state, [one.request]);
    expect([one.answers, tries]).toEqual([['new a'], 2]);
    const never = await stage();
    never.upstream.register = () => ({ error: new PlatformError('limit', 'full') });
    const two = asking('a');
    await assign(never.state, [two.request]);
    expect([two.answers.length, never.upstream.asked.register.length]).toEqual([1, 2]);
  });

  it('is refused at once where the upstream asks to wait, refuses the text, or is away', async () => {
    for (const error of [
      new PlatformError('limit', 'slow down', { retryAfter: 30 }),
      new PlatformError('refused', 'no'),
      new PlatformError('unreachable', 'away'),
    ]) {
      const { state, upstream } = await stage();
      upstream.register = () => ({ error });
      const one = asking('a');
      await assign(state, [one.request]);
      expect([one.answers, upstream.asked.register.length]).toEqual([[error], 1]);
    }
  });

  it('as a pack that is refused is refused for the text that is wrong, and tried again for the others', async () => {
    const rows = [rowOf('a', ['storm'])];
    const { state, upstream } = await stage({ rows, wanted: ['storm'], capacity: { rules: 2, used: 1 } });
    upstream.register = (value) =>
      value.includes('bad')
        ? { error: new PlatformError('refused', 'The pack is bad.') }
        : { id: `new ${value}`, adopted: false };
    const [good, bad] = [asking('good'), asking('bad')];
    await assign(state, [good.request, bad.request]);
    expect(upstream.asked.validate.toSorted()).toEqual(['bad', 'good']);
    expect(bad.answers).toMatchObject([{ message: 'It is bad.' }]);
    expect(good.answers).toEqual([expect.stringContaining('good')]);
  });

  it('as a pack that is refused although each text is fine is refused for all of them', async () => {
    const rows = [rowOf('a', ['storm'])];
    const { state, upstream } = await stage({ rows, wanted: ['storm'], capacity: { rules: 2, used: 1 } });
    const refusal = new PlatformError('refused', 'The pack is too much.');
    upstream.register = () => ({ error: refusal });
    const [one, two] = [asking('one'), asking('two')];
    expect(await assign(state, [one.request, two.request])).toEqual([]);
    expect([one.answers, two.answers]).toEqual([[refusal], [refusal]]);
    expect(upstream.asked.register).toHaveLength(1);
  });

  it('is refused for all when the upstream cannot say how much room there is', async () => {
    const { state } = await stage();
    const away = new PlatformError('unreachable', 'away');
    Object.assign(state.platform, { capacity: () => Promise.reject(away) });
    const [one, two] = [asking('a'), asking('b')];
    expect(await assign(state, [one.request, two.request])).toEqual([]);
    expect([one.answers, two.answers]).toEqual([[away], [away]]);
    Object.assign(state.platform, { capacity: () => Promise.reject(new Error('a defect')) });
    await expect(assign(state, [asking('c').request])).rejects.toThrow('a defect');
  });
});

describe('leaving', () => {
  it('begins when no rule wants a text any more, and not before', async () => {
    const { state, states, clock } = await stage({ rows: [rowOf('a', ['a']), rowOf('b', ['b'])], wanted: ['a'] });
    await leaveUnneeded(state);
    expect(states()).toEqual({ a: 'held', b: 'leaving' });
    expect(state.table.rows()[1]!.since).toEqual(clock.now());
  });

  it('does not begin where a rule of another node wants the text', async () => {
    const { state, states, holders } = await stage({ rows: [rowOf('a', ['a']), rowOf('b', ['b'])], isShared: true });
    holders.set('a', 1);
    await leaveUnneeded(state);
    expect(states()).toEqual({ a: 'held', b: 'leaving' });
    const alone = await stage({ rows: [rowOf('a', ['a'])] });
    alone.holders.set('a', 1);
    await leaveUnneeded(alone.state);
    expect(alone.states()).toEqual({ a: 'leaving' });
  });

  it('asks the other nodes only for what no rule of this one wants, and never on a store of its own', async () => {
    const rows = [rowOf('a', ['a']), rowOf('b', ['b']), rowOf('c', ['c'], 'leaving'), rowOf('d', ['d', 'e'])];
    const askedOf = async (isShared: boolean) => {
      const { state } = await stage({ rows, wanted: ['b'], isShared });
      const asked: string[] = [];
      Object.assign(state.store, {
        countHolders: async (_: string, value: string) => {
          asked.push(value);
          return value === 'e' ? 1 : 0;
        },
      });
      await wantForOthers(state, state.table.rows());
      return { asked, wanted: ['a', 'b', 'c', 'd', 'e'].filter((value) => state.table.isWanted(textOf(value))) };
    };
    expect(await askedOf(true)).toEqual({ asked: ['a', 'd', 'e'], wanted: ['b', 'e'] });
    expect(await askedOf(false)).toEqual({ asked: [], wanted: ['b'] });
  });

  it('is taken back when a rule comes to need it between the count and the write', async () => {
    const { state, states, holders } = await stage({ rows: [rowOf('a', ['a'])], isShared: true });
    const { changeRegistrations } = state.store;
    Object.assign(state.store, {
      changeRegistrations: async (change: RegistrationChange) => {
        holders.set('a', 1);
        return changeRegistrations(change);
      },
    });
    await leaveUnneeded(state);
    expect(states()).toEqual({ a: 'held' });
  });

  it('ends with one call for all that is due; others wait until what replaces them is acted on', async () => {
    const rows = [
      rowOf('now', ['a'], 'leaving', { since: at(0) }),
      rowOf('replaced', ['b'], 'leaving', { since: at(0) }),
      rowOf('held', ['c']),
    ];
    const { state, states, upstream, clock } = await stage({ rows, wanted: ['b', 'c'] });
    for (const id of ['id now', 'id replaced']) state.ours.add(id);
    expect(state.table.rows().map((row) => dueAt(state, row))).toEqual([
      at(0).getTime(),
      at(20_000).getTime(),
      Number.POSITIVE_INFINITY,
    ]);
    expect(nextRemoval(state)).toBe(at(0).getTime());
    expect(await removeDue(state)).toBe(true);
    expect([upstream.asked.unregister, upstream.asked.held]).toEqual([[['id now']], 0]);
    expect(states()).toEqual({ now: 'gone', replaced: 'leaving', held: 'held' });
    expect(await removeDue(state)).toBe(false);
    clock.jump(20_000);
    expect(await removeDue(state)).toBe(true);
    expect(states()['replaced']).toBe('gone');
    expect([...state.ours]).toEqual([]);
  });

  it('removes nothing that does not bear our mark, or that another registration needs', async () => {
    const rows = [
      rowOf('foreign', ['a'], 'leaving'),
      rowOf('shared', ['b'], 'leaving', { platformRuleId: 'id held' }),
      rowOf('held', ['c']),
      rowOf('lost', ['d'], 'leaving', { platformRuleId: undefined }),
      rowOf('found', ['e'], 'leaving', { platformRuleId: undefined }),
    ];
    const { state, states, upstream } = await stage({ rows, wanted: ['c'] });
    upstream.held = [
      { id: 'id foreign', value: 'a', flags: {}, tag: 'theirs' },
      { id: 'id held', value: 'c', flags: {}, tag: `${PREFIX}held` },
      { id: 'id found', value: 'e', flags: {}, tag: `${PREFIX}found` },
    ];
    await removeDue(state);
    expect(upstream.asked.unregister).toEqual([['id found']]);
    expect(states()).toEqual({ foreign: 'gone', shared: 'gone', held: 'held', found: 'gone' });
  });

  it.each([
    ['x', 100],
    ['firehose', 25],
  ] as const)('is asked of %s for %i at a time, and what is gone is stored each time', async (name, most) => {
    const rows = Array.from({ length: most + 2 }, (_, index) => rowOf(`${index}`, [`${index}`], 'leaving'));
    const { state, changes, upstream } = await stage({ rows });
    Object.assign(state.platform, { name });
    for (const { platformRuleId } of rows) state.ours.add(platformRuleId!);
    expect(await removeDue(state)).toBe(true);
    expect(await removeDue(state)).toBe(true);
    expect(upstream.asked.unregister.map(({ length }) => length)).toEqual([most, 2]);
    expect(changes.map(({ put = [] }) => put.length)).toEqual([most, 2]);
    expect(await removeDue(state)).toBe(false);
  });

  it('is done where the upstream refuses to remove, and repeated where it is away', async () => {
    const rows = [rowOf('a', ['a'], 'leaving')];
    const refusing = await stage({ rows });
    refusing.state.ours.add('id a');
    refusing.upstream.unregister = new PlatformError('refused', 'no');
    await removeDue(refusing.state);
    expect([refusing.states(), refusing.logged.length]).toEqual([{ a: 'gone' }, 1]);
    const away = await stage({ rows });
    away.state.ours.add('id a');
    away.upstream.unregister = new PlatformError('unreachable', 'away');
    await expect(removeDue(away.state)).rejects.toThrow('away');
    expect(away.states()).toEqual({ a: 'leaving' });
  });
});

describe('a comparison', () => {
  it('finds nothing to do where all is as it should be, and notes that', async () => {
    const { state, feeds, logged, upstream } = await stage({ rows: [rowOf('a', ['a'])], wanted: ['a'] });
    expect(await audit(state)).toEqual({ missing: 0, extra: 0, foreign: 0 });
    expect([logged, upstream.asked.register, state.gaps.goodAt]).toEqual([[], [], at(0)]);
    expect(feeds).toEqual([
      { platform: 'x', kind: 'audit', name: '', state: 'live', reason: undefined, through: at(0), at: at(0) },
    ]);
    expect([...state.ours]).toEqual(['id a']);
  });

  it('registers again what is lost, with a gap of its rule meanwhile', async () => {
    const { state, noted, upstream, stored, logged, changes } = await stage({
      rows: [rowOf('a', ['a'])],
      wanted: ['a'],
    });
    stored.rules.set('rule of a', { id: 'rule of a', platforms: { x: textOf('a') } });
    upstream.held = [];
    expect(await audit(state)).toMatchObject({ missing: 1 });
    expect(upstream.asked.register).toEqual([['a']]);
    expect(logged).toEqual(['registrations had drifted and were mended']);
    const gap = {
      platform: 'x',
      accountId: 'a',
      ruleId: 'rule of a',
      from: at(-10 * MINUTE - 10_000),
      cause: 'registration_missing',
      recovered: false,
    };
    expect(noted).toEqual([[{ ...gap, to: undefined }], [{ ...gap, to: at(20_000) }]]);
    const missing = changes.flatMap(({ holders = [] }) => holders).find(({ status }) => status === 'missing');
    expect(missing).toMatchObject({ value: 'a', error: expect.stringContaining('no longer holds') });
    expect(state.gaps.open.size).toBe(0);
  });

  it('remembers what is gone for ten minutes, and drops an intent that was never held', async () => {
    const rows = [
      rowOf('old', ['a'], 'gone', { since: at(-10 * MINUTE) }),
      rowOf('young', ['b'], 'gone', { since: at(-10 * MINUTE + 1) }),
      rowOf('intent', ['c'], 'wanted', { platformRuleId: undefined }),
    ];
    const { state, states } = await stage({ rows });
    await audit(state);
    expect(states()).toEqual({ young: 'gone' });
  });

  it('leaves a young intent to the process that may be asking, on a shared store', async () => {
    const intent = (tag: string, age: number) =>
      rowOf(tag, [tag], 'wanted', { platformRuleId: undefined, since: at(-age) });
    const rows = [intent('young', MINUTE - 1), intent('old', MINUTE)];
    const { state, states } = await stage({ rows, isShared: true });
    await audit(state);
    expect(states()).toEqual({ young: 'wanted' });
  });

  it('removes what bears our mark and no rule wants, after ten minutes, and never what is another’s', async () => {
    const { state, upstream, clock, stored, logged } = await stage();
    const extra = (id: string, tag: string | undefined): HeldRule => ({ id, value: id, flags: {}, tag });
    upstream.held = [extra('ours', `${PREFIX}x`), extra('theirs', 'other'), extra('untagged', undefined)];
    expect(await audit(state)).toEqual({ missing: 0, extra: 0, foreign: 2 });
    expect(logged).toEqual(['the upstream also holds rules of other programs']);
    clock.jump(10 * MINUTE - 1);
    expect((await audit(state)).extra).toBe(0);
    clock.jump(1);
    expect((await audit(state)).extra).toBe(1);
    expect(upstream.asked.unregister).toEqual([['ours']]);
    upstream.held = [];
    await audit(state);
    upstream.held = [extra('ours', `${PREFIX}x`)];
    expect((await audit(state)).extra).toBe(0);
    clock.jump(10 * MINUTE);
    let reads = 0;
    Object.assign(state.store, {
      registrations: async () =>
        reads++ === 0 ? stored.rows : [rowOf('x', ['ours'], 'held', { platformRuleId: 'ours' })],
    });
    expect((await audit(state)).extra).toBe(0);
  });

  it('removes 25 rules of ours that no rule wants from Firehose, and the others in the next', async () => {
    const { state, upstream, clock } = await stage();
    Object.assign(state.platform, { name: 'firehose' });
    upstream.held = Array.from({ length: 27 }, (_, id) => ({
      id: `${id}`,
      value: `${id}`,
      flags: {},
      tag: `${PREFIX}${id}`,
    }));
    await audit(state);
    clock.jump(10 * MINUTE);
    expect((await audit(state)).extra).toBe(25);
    upstream.held = upstream.held.slice(25);
    expect((await audit(state)).extra).toBe(2);
    expect(upstream.asked.unregister.map(({ length }) => length)).toEqual([25, 2]);
  });

  it('reads the capacity again when something is lost or it is old', async () => {
    const { state, upstream, clock } = await stage();
    await audit(state);
    expect(upstream.asked.capacity).toBe(1);
    clock.jump(49_999);
    await audit(state);
    expect(upstream.asked.capacity).toBe(1);
    clock.jump(1);
    await audit(state);
    expect(upstream.asked.capacity).toBe(2);
  });

  it('asks for a refused text after five minutes, then after ten, and for one that is away at once', async () => {
    const { state, upstream, clock, changes } = await stage({ wanted: ['a'] });
    const tries = () => upstream.asked.register.length;
    upstream.register = () => ({ error: new PlatformError('refused', 'It is wrong.') });
    await audit(state);
    expect(changes.at(-1)!.holders).toMatchObject([{ value: 'a', status: 'failed', error: 'It is wrong.' }]);
    clock.jump(5 * MINUTE - 1);
    await audit(state);
    expect(tries()).toBe(1);
    clock.jump(1);
    await audit(state);
    expect(tries()).toBe(2);
    clock.jump(10 * MINUTE - 1);
    await audit(state);
    expect(tries()).toBe(2);
    clock.jump(1);
    upstream.register = () => ({ error: new PlatformError('unreachable', 'away') });
    await audit(state);
    upstream.register = (value) => ({ id: value, adopted: false });
    state.refusals.clear();
    await audit(state);
    expect(tries()).toBe(4);
  });

  it('registers a pack again without the text that no rule wants, where a slot is free for it', async () => {
    const pack = rowOf('pack', ['lava', 'ash']);
    const { state, upstream, states } = await stage({ rows: [pack], wanted: ['lava'], capacity: { rules: 9 } });
    await audit(state);
    expect(upstream.asked.register).toEqual([['lava']]);
    expect([states()['pack'], state.table.holderOf(textOf('lava'))?.texts]).toEqual(['leaving', ['lava']]);
    const full = await stage({ rows: [pack], wanted: ['lava'], capacity: { rules: 1 } });
    await audit(full.state);
    expect([full.upstream.asked.register, full.states()]).toEqual([[], { pack: 'held' }]);
    const refusing = await stage({ rows: [pack], wanted: ['lava'], capacity: { rules: 9 } });
    refusing.upstream.register = () => ({ error: new PlatformError('refused', 'no') });
    await audit(refusing.state);
    expect([refusing.states()['pack'], refusing.logged.length]).toEqual(['held', 1]);
  });

  it('takes a text out of its pack that must stand alone, where slots are free for both', async () => {
    const texts = ['lava', 'source:app', 'ash'];
    const pack = rowOf('pack', texts);
    const { state, upstream, states } = await stage({ rows: [pack], wanted: texts, capacity: { rules: 100 } });
    await audit(state);
    expect(upstream.asked.register).toEqual([['source:app'], ['lava OR ash']]);
    expect(states()['pack']).toBe('leaving');
    const full = await stage({ rows: [pack], wanted: texts, capacity: { rules: 2 } });
    await audit(full.state);
    expect([full.upstream.asked.register, full.states()]).toEqual([[], { pack: 'held' }]);
    const hidden = ['source:app', 'source:other'];
    const alone = await stage({ rows: [rowOf('pack', hidden)], wanted: hidden, capacity: { rules: 100 } });
    await audit(alone.state);
    expect(alone.upstream.asked.register).toEqual([['source:other'], ['source:app']]);
  });

  it('leaves such a text in its pack while it is refused alone, and asks again later', async () => {
    const texts = ['lava', 'source:app', 'ash'];
    const rows = [rowOf('pack', texts)];
    const { state, upstream, states, logged } = await stage({ rows, wanted: texts, capacity: { rules: 100 } });
    upstream.register = () => ({ error: new PlatformError('refused', 'no') });
    for (let times = 0; times < 2; times++) await audit(state);
    expect([upstream.asked.register, states()['pack'], logged.length]).toEqual([[['source:app']], 'held', 1]);
    expect(state.table.meaningOf('id pack')).toEqual({ texts: texts.map(textOf), packed: true });
    upstream.register = (value) => ({ id: `new ${value}`, adopted: false });
    state.refusals.clear();
    await audit(state);
    expect(upstream.asked.register.slice(1)).toEqual([['source:app'], ['lava OR ash']]);
  });

  it('forgets a text whose last rule another process deleted', async () => {
    const { state, holders, upstream } = await stage({ wanted: ['a'] });
    holders.clear();
    await audit(state);
    expect([state.table.isWanted(textOf('a')), upstream.asked.register]).toEqual([false, []]);
  });
});

describe('a comparison on a shared store', () => {
  it('wants what rules of other nodes have in a registration that is gone or held, though this node has a part of it', async () => {
    const rows = [rowOf('pack', ['lava', 'ash'], 'gone'), rowOf('other', ['rain', 'snow'])];
    const { state, holders, upstream } = await stage({ rows, wanted: ['lava', 'rain'], isShared: true });
    holders.set('ash', 1).set('snow', 1);
    await audit(state);
    expect(upstream.asked.register).toEqual([['lava', 'ash']]);
    expect(state.table.holderOf(textOf('snow'))?.texts).toEqual(['rain', 'snow']);
  });

  it('takes a text that is held for held, though an earlier registration of it is gone', async () => {
    const rows = [rowOf('gone', ['ash'], 'gone'), rowOf('pack', ['lava', 'ash'])];
    const { state, holders, upstream } = await stage({ rows, wanted: ['lava'], isShared: true });
    holders.set('ash', 1);
    await audit(state);
    expect([upstream.asked.register, state.table.isWanted(textOf('ash'))]).toEqual([[], true]);
  });

  it('leaves alone what is gone and no rule has', async () => {
    const { state, upstream } = await stage({ rows: [rowOf('a', ['a'], 'gone')], isShared: true });
    await audit(state);
    expect([upstream.asked.register, state.table.isWanted(textOf('a'))]).toEqual([[], false]);
  });
});

describe('a gap that another node has noted', () => {
  const gap: Gap = {
    platform: 'x',
    accountId: 'a',
    ruleId: 'r',
    from: at(-5 * MINUTE),
    to: undefined,
    cause: 'registration_missing',
    recovered: false,
  };
  /** A comparison of this node, after the other has registered the text again two minutes ago. */
  async function mended(held: Date, change: { addedAt?: Date } = {}) {
    const staged = await stage({ rows: [rowOf('a', ['a'], 'held', { since: held })], wanted: ['a'], isShared: true });
    staged.stored.rules.set('r', { id: 'r', paused: false, platforms: { x: { ...textOf('a'), ...change } } });
    return staged;
  }

  it.each([
    ['when the upstream acts on the new registration', at(-2 * MINUTE), {}, at(-2 * MINUTE + 20_000)],
    ['when its rule came to the text', at(-2 * MINUTE), { addedAt: at(-MINUTE) }, at(-MINUTE + 20_000)],
    ['now, where the registration was there before', at(-5 * MINUTE + 10_000), {}, at(20_000)],
  ])('ends %s', async (_, since, change, to) => {
    const { state, noted, told, stored } = await mended(since, change);
    stored.open = [gap];
    await audit(state);
    expect([noted, told]).toEqual([[[{ ...gap, to }]], [{ ...gap, to }]]);
    expect(heldAt(state, textOf('a'), new Date(to.getTime() - 1))).toBe('missing');
  });

  it('while this one listed is not ended by that list, but by the next', async () => {
    const { state, noted, stored } = await mended(at(-10 * MINUTE));
    const { held } = state.platform;
    state.platform.held = async () => {
      const listed = await held();
      stored.open = [gap];
      return listed;
    };
    await audit(state);
    expect(noted).toEqual([]);
    await audit(state);
    expect(noted).toEqual([[{ ...gap, to: at(20_000) }]]);
  });

  it('is looked for once in a comparison, and its rule is read once while it lasts', async () => {
    const { state, upstream, stored, noted } = await mended(at(0));
    stored.rows = [];
    stored.open = [gap];
    upstream.held = [];
    upstream.register = () => ({ error: new PlatformError('unreachable', 'away') });
    const asked = { open: 0, rule: 0 };
    const { openGaps: open, rule } = state.store;
    Object.assign(state.store, {
      openGaps: (...given: Parameters<typeof open>) => {
        asked.open++;
        return open(...given);
      },
      rule: (...given: Parameters<typeof rule>) => {
        asked.rule++;
        return rule(...given);
      },
    });
    await audit(state);
    await audit(state);
    expect([asked, noted, state.gaps.open.size]).toEqual([{ open: 2, rule: 1 }, [], 1]);
  });

  it('is told of where it began when another node has ended it, and not ended once more', async () => {
    const { state, noted, told, stored } = await mended(at(-2 * MINUTE));
    const ended = { ...gap, to: at(-MINUTE) };
    const later = { ...gap, from: at(-MINUTE) };
    stored.open = [gap];
    await loadGaps(state);
    stored.open = [];
    Object.assign(state.store, { gaps: async () => [later, { ...ended, ruleId: 'other' }, ended] });
    await audit(state);
    await audit(state);
    expect([noted, told, state.gaps.open.size]).toEqual([[], [ended], 0]);
  });
});

describe('the gap of a lost registration', () => {
  it('begins ten seconds before the last comparison that found it, once for a rule', async () => {
    const { state, noted, told } = await stage({ rows: [rowOf('a', ['a'])], wanted: ['a'] });
    state.gaps.goodAt = at(-MINUTE);
    await openGaps(state, state.table.rows());
    await openGaps(state, state.table.rows());
    expect(noted).toHaveLength(1);
    expect(noted[0]).toMatchObject([{ from: at(-MINUTE - 10_000), to: undefined }]);
    expect(told).toEqual(noted[0]);
    expect(heldAt(state, textOf('a'), at(19_999))).toBe('missing');
    expect(heldAt(state, textOf('a'), at(20_000))).toBe('unknown');
  });

  it.each([
    ['when its rule is deleted, without a word', undefined, []],
    ['when its rule is paused', { paused: true, platforms: { x: textOf('a') } }, [at(0)]],
    ['when its rule left the platform', { paused: false, platforms: {} }, [at(0)]],
    ['when its text is held again', { paused: false, platforms: { x: textOf('b') } }, [at(20_000)]],
  ])('ends %s', async (_, rule, ends) => {
    const { state, noted, stored } = await stage({ rows: [rowOf('b', ['b'])], wanted: ['b'] });
    state.gaps.open.set('r', { platform: 'x', accountId: 'a', ruleId: 'r', from: at(-1), to: undefined } as Gap);
    if (rule !== undefined) stored.rules.set('r', { id: 'r', ...rule });
    await closeGaps(state);
    expect(noted.flat().map(({ to }) => to)).toEqual(ends);
    expect(state.gaps.open.size).toBe(0);
  });

  it('is opened, explained and closed by the next turn where the store failed in this one', async () => {
    const { state, noted, stored } = await stage({ rows: [rowOf('a', ['a'])], wanted: ['a'] });
    const { noteGaps } = state.store;
    const twice = async (step: () => Promise<void>) => {
      Object.assign(state.store, { noteGaps: () => Promise.reject(new Error('The store is away.')) });
      await expect(step()).rejects.toThrow('away');
      Object.assign(state.store, { noteGaps });
      await step();
    };
    await twice(() => openGaps(state, state.table.rows()));
    expect(noted.at(-1)).toMatchObject([{ cause: 'registration_missing', to: undefined }]);
    await twice(() => explainGaps(state, textOf('a'), new PlatformError('limit', 'full')));
    expect(noted.at(-1)).toMatchObject([{ cause: 'over_limit', to: undefined }]);
    stored.rules.set('rule of a', { id: 'rule of a', paused: true, platforms: {} });
    await twice(() => closeGaps(state));
    expect(noted.at(-1)).toMatchObject([{ cause: 'over_limit', to: at(0) }]);
    expect([noted.length, state.gaps.open.size]).toEqual([3, 0]);
  });

  it('lasts while its text is not held, and the store is not asked again', async () => {
    const { state, noted, stored } = await stage({ wanted: ['a'] });
    let asked = 0;
    const rule = { id: 'r', paused: false, platforms: { x: textOf('a') } };
    stored.rules.set('r', rule);
    Object.assign(state.store, {
      rule: async () => {
        asked++;
        return rule;
      },
    });
    state.gaps.open.set('r', { platform: 'x', accountId: 'a', ruleId: 'r', from: at(-1), to: undefined } as Gap);
    await closeGaps(state);
    await closeGaps(state);
    expect([noted, asked, state.gaps.open.size]).toEqual([[], 1, 1]);
  });

  it.each([
    [new PlatformError('limit', 'full'), 'over_limit'],
    [new PlatformError('refused', 'no'), 'rule_refused'],
    [new PlatformError('unreachable', 'away'), undefined],
    [new Error('x'), undefined],
  ])('after %s says why: %s', async (error, cause) => {
    const { state, noted } = await stage({ rows: [rowOf('a', ['a'])], wanted: ['a'] });
    await openGaps(state, state.table.rows());
    await explainGaps(state, textOf('a'), error);
    await explainGaps(state, textOf('a'), error);
    expect(noted.slice(1).flat()).toMatchObject(cause === undefined ? [] : [{ cause, ruleId: 'rule of a' }]);
  });

  it('of an earlier run is gone on with', async () => {
    const { state, stored } = await stage();
    const gap = (ruleId: string | undefined, cause: string) => ({ platform: 'x', ruleId, cause, from: at(-1) }) as Gap;
    stored.open = [
      gap('r1', 'registration_missing'),
      gap('r2', 'paused'),
      gap(undefined, 'over_limit'),
      gap('r3', 'rule_refused'),
    ];
    await loadGaps(state);
    expect([[...state.gaps.open.keys()], state.gaps.goodAt]).toEqual([['r1', 'r3'], at(-MINUTE)]);
  });

  it('was repaired is remembered for five minutes', async () => {
    const { state, clock } = await stage({ rows: [rowOf('a', ['a'])], wanted: ['a'] });
    await openGaps(state, state.table.rows());
    await clock.pass(5 * MINUTE);
    state.gaps.open.clear();
    await closeGaps(state);
    expect(state.gaps.repairs.size).toBe(1);
    await clock.pass(1);
    await closeGaps(state);
    expect(state.gaps.repairs.size).toBe(0);
  });

  it('is known to be one, or not, by what a comparison found since', async () => {
    const { state } = await stage({ rows: [rowOf('a', ['a'])], wanted: ['a', 'b'] });
    expect(heldAt(state, textOf('z'), at(0))).toBe('unwanted');
    expect(heldAt(state, textOf('b'), at(0))).toBe('missing');
    state.gaps.goodAt = at(0);
    expect([heldAt(state, textOf('a'), at(-1)), heldAt(state, textOf('a'), at(0))]).toEqual(['held', 'unknown']);
  });
});
