import { describe, expect, it } from 'vitest';
import { asking, at, MINUTE, queueStage, rowOf, textOf } from '../../../test/stages/queue-stage.ts';
import { PlatformError } from '../../platforms/platform.ts';
import { StoreError } from '../../store/error.ts';
import { nextRemoval, runTurn } from './queue-turn.ts';

const away = new PlatformError('unreachable', 'away');
const outcomes = async (asked: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(asked)).map((one) => (one.status === 'fulfilled' ? one.value : one.reason));

describe('a turn of a queue', () => {
  it('does all that was asked since the last one, with one call to the upstream for each kind of work', async () => {
    const { state, upstream, states } = await queueStage({ rows: [rowOf('a', ['a'])], wanted: ['a', 'b', 'c'] });
    state.table.forget(textOf('a'));
    const asked = [
      state.requests.hold(textOf('b')),
      state.requests.hold(textOf('c')),
      state.requests.release(textOf('a')),
    ];
    state.store.countHolders = async () => 0;
    await runTurn(state);
    expect(await outcomes(asked)).toEqual(['new b', 'new c', undefined]);
    expect([upstream.asked.register, upstream.asked.unregister]).toEqual([[['b', 'c']], [['id a']]]);
    expect([Object.values(states()).toSorted(), state.requests.isEmpty]).toEqual([['gone', 'held', 'held'], true]);
  });

  it('answers every comparison that was asked for with the same one', async () => {
    const { state, upstream } = await queueStage({ rows: [rowOf('a', ['a'])], wanted: ['a'] });
    const asked = [state.requests.audit(), state.requests.audit()];
    await runTurn(state);
    expect(await outcomes(asked)).toEqual([
      { missing: 0, extra: 0, foreign: 0 },
      { missing: 0, extra: 0, foreign: 0 },
    ]);
    expect(upstream.asked.held).toBe(1);
    await runTurn(state);
    expect(upstream.asked.held).toBe(1);
  });

  it('registers what is asked for before the rest of many removals, at Firehose', async () => {
    const rows = Array.from({ length: 60 }, (_, index) => rowOf(`${index}`, [`${index}`], 'leaving'));
    const { state, upstream, changes } = await queueStage({ rows, wanted: ['rain'] });
    Object.assign(state.platform, { name: 'firehose' });
    for (const { platformRuleId } of rows) state.ours.add(platformRuleId!);
    await runTurn(state);
    const asked = state.requests.hold(textOf('rain'));
    upstream.unregister = away;
    await runTurn(state);
    expect(await asked).toBe('new rain');
    // A failure costs nothing that was done.
    expect([upstream.asked.unregister.map(({ length }) => length), changes[0]!.put!.length]).toEqual([[25, 25], 25]);
    expect(state.table.rows().filter((row) => row.state === 'leaving')).toHaveLength(35);
  });

  it('refuses a comparison while the upstream is away, and does the rest', async () => {
    const { state } = await queueStage({ wanted: ['a'] });
    Object.assign(state.platform, { held: () => Promise.reject(away) });
    const asked = outcomes([state.requests.audit(), state.requests.hold(textOf('a'))]);
    await runTurn(state);
    expect(await asked).toEqual([away, 'new a']);
    expect(state.removalRetry.notBefore).toBe(0);
  });

  it('fails as a whole with the store, and is not repeated for a second', async () => {
    const { state } = await queueStage({ wanted: ['a'] });
    const broken = new StoreError('away', 'The store is away.');
    const [holding, releasing, comparing] = [
      state.requests.hold(textOf('a')),
      state.requests.release(textOf('b')),
      state.requests.audit(),
    ];
    state.store.countHolders = () => Promise.reject(broken);
    await runTurn(state);
    expect(await outcomes([holding, releasing, comparing])).toEqual([broken, broken, broken]);
    expect(state.removalRetry).toEqual({ failures: 0, notBefore: at(1_000).getTime() });
    // The release is not forgotten: it is due as soon as the store may be asked again.
    expect(nextRemoval(state)).toBe(at(1_000).getTime());
    state.store.countHolders = async () => 0;
    await runTurn(state);
    expect(state.unreleased.size).toBe(0);
  });

  it('keeps a text that is pinned, or that a rule of any node has', async () => {
    const { state, holders, states } = await queueStage({
      rows: [rowOf('a', ['a']), rowOf('b', ['b']), rowOf('c', ['c'])],
      wanted: ['a', 'b', 'c'],
    });
    state.pins.pin(textOf('a'));
    holders.set('a', 0).set('c', 0);
    const asked = ['a', 'b', 'c'].map((value) => state.requests.release(textOf(value)));
    await runTurn(state);
    await outcomes(asked);
    expect(states()).toEqual({ a: 'held', b: 'held', c: 'gone' });
  });

  it('tells a stream of the first registration, once', async () => {
    const { state } = await queueStage({ wanted: ['a'] });
    let told = 0;
    const first = state.firstHeld.promise.then(() => told++);
    state.freshness = { ...state.freshness, awaitsFirst: true, refreshedAt: state.clock.elapsed() };
    await runTurn(state);
    expect([told, state.freshness.awaitsFirst]).toEqual([0, true]);
    void state.requests.hold(textOf('a'));
    await runTurn(state);
    await first;
    expect([told, state.freshness.awaitsFirst]).toEqual([1, false]);
  });
});

describe('the table of a queue is read again', () => {
  const readsOf = async (isShared: boolean, prepare: (stage: Awaited<ReturnType<typeof queueStage>>) => void) => {
    const stage = await queueStage({ rows: [rowOf('a', ['a'])], wanted: ['a'], isShared });
    let reads = 0;
    const { refresh } = stage.state.table;
    Object.assign(stage.state.table, {
      refresh: () => {
        reads++;
        return refresh();
      },
    });
    prepare(stage);
    await runTurn(stage.state);
    return { reads, freshness: stage.state.freshness };
  };

  it('when an id was not known, and then not again', async () => {
    const { reads, freshness } = await readsOf(false, ({ state }) => {
      state.freshness = { ...state.freshness, isStale: true };
    });
    expect([reads, freshness.isStale, freshness.refreshedAt]).toEqual([1, false, at(0).getTime()]);
  });

  it('on a shared store, when a text is to go, or is held by what is known here', async () => {
    const release = await readsOf(true, ({ state }) => void state.requests.release(textOf('z')));
    const held = await readsOf(true, ({ state }) => void state.requests.hold(textOf('a')));
    const other = await readsOf(true, ({ state }) => void state.requests.hold(textOf('b')));
    const none = await readsOf(true, () => {});
    expect([release, held, other, none].map(({ reads }) => reads)).toEqual([1, 1, 0, 0]);
  });

  it('never otherwise on a store that no one shares', async () => {
    const release = await readsOf(false, ({ state }) => void state.requests.release(textOf('z')));
    const held = await readsOf(false, ({ state }) => void state.requests.hold(textOf('a')));
    expect([release.reads, held.reads]).toEqual([0, 0]);
  });
});

describe('a request that waits for a slot', () => {
  /** One slot, which a registration that leaves still has. */
  const full = async () => {
    const rows = [rowOf('a', ['a'], 'leaving', { since: at(0) })];
    const stage = await queueStage({ rows, wanted: ['a'], capacity: { rules: 1, used: 1 } });
    const one = asking('sample:10 lava');
    stage.state.ours.add('id a');
    stage.state.parked.push(one.request);
    return { ...stage, answers: one.answers };
  };

  it('waits while a registration leaves', async () => {
    const { state, answers } = await full();
    await runTurn(state);
    expect([answers, state.parked.length]).toEqual([[], 1]);
  });

  it('is asked for again when a registration has gone', async () => {
    const { state, answers, clock, upstream } = await full();
    await clock.pass(MINUTE);
    await runTurn(state);
    expect([upstream.asked.unregister, state.parked, state.requests.isEmpty]).toEqual([[['id a']], [], false]);
    Object.assign(state.platform, { capacity: async () => ({ rules: 1, used: 0, length: 1_024 }) });
    state.slots.doubt();
    await runTurn(state);
    expect(answers).toEqual(['new sample:10 lava']);
  });

  it('is refused with the reason when nothing can be removed', async () => {
    const { state, answers, clock, upstream, logged } = await full();
    upstream.unregister = away;
    await clock.pass(MINUTE);
    await runTurn(state);
    expect([answers, state.parked]).toEqual([[away], []]);
    expect(state.removalRetry).toEqual({ failures: 1, notBefore: at(MINUTE + 1_000).getTime() });
    expect(logged).toContain('removing registrations failed; retrying');
    await runTurn(state);
    expect(upstream.asked.unregister).toHaveLength(1);
    upstream.unregister = undefined;
    await clock.pass(1_000);
    await runTurn(state);
    expect([upstream.asked.unregister.length, state.removalRetry]).toEqual([2, { failures: 0, notBefore: 0 }]);
  });

  it('is refused when none leaves, because no slot comes free', async () => {
    const { state } = await queueStage({ rows: [rowOf('a', ['a'])], wanted: ['a'], capacity: { rules: 1, used: 1 } });
    const one = asking('sample:10 lava');
    state.parked.push(one.request);
    await runTurn(state);
    expect([one.answers, state.parked]).toMatchObject([[{ fault: 'limit' }], []]);
  });

  it('fails with a store that fails while something is removed', async () => {
    const { state, clock } = await full();
    const broken = new Error('a defect');
    Object.assign(state.store, { changeRegistrations: () => Promise.reject(broken) });
    await clock.pass(MINUTE);
    const asked = state.requests.release(textOf('z'));
    await runTurn(state);
    expect(await outcomes([asked])).toEqual([broken]);
    expect(state.parked).toHaveLength(1);
  });
});
