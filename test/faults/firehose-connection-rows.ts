/** Connections to Firehose that end, break, fall silent or are slow. */
import { expect } from 'vitest';
import { StoreError } from '../../src/store/error.ts';
import type { Store } from '../../src/store/store.ts';
import { gapsOf, row, stateOf } from './firehose-rows.ts';

export function firehoseConnectionRows(): void {
  row(
    'F1',
    'an announced end is no error: the next connection follows at once, from the committed id',
    async (scene) => {
      const { sandbox, clock, first } = scene;
      sandbox.throwFault('F1');
      await scene.until(() => scene.connects().length === 2);
      const again = scene.connects()[1]!;
      expect([again.at, again.lastId]).toEqual([clock.now().getTime(), first]);
      const second = scene.page();
      await scene.stored(2);
      expect(await scene.matches()).toEqual([first, second]);
      expect([scene.counted('firehose', 'connect'), scene.counted('firehose', 'disconnect')]).toEqual([2, 0]);
      expect([await stateOf(scene), await gapsOf(scene)]).toEqual(['live', []]);
    },
  );

  row(
    'F2',
    'an event that is cut is not taken, wherever the cut is, and comes again after the committed id',
    async (scene) => {
      const { sandbox, first } = scene;
      const ids = [first];
      for (const [index, at] of (['id', 'data', 'blank'] as const).entries()) {
        sandbox.throwFault('F2', { at });
        const cut = scene.clock.now().getTime();
        ids.push(scene.page());
        await scene.until(() => scene.counted('firehose', 'disconnect') === index + 1);
        expect(await scene.matches()).toHaveLength(index + 1);
        expect(JSON.parse((await scene.store.cursor('firehose'))!)).toMatchObject({ ids: { 0: ids[index] } });
        await scene.pass(70_000);
        await scene.stored(index + 2);
        expect(scene.connects().findLast(({ lastId }) => lastId === ids[index])).toBeDefined();
        const gap = (await gapsOf(scene)).at(-1)!;
        expect(gap).toMatchObject({ cause: 'disconnected', recovered: true });
        expect(Date.parse(gap.from)).toBeLessThanOrEqual(cut);
        expect(Date.parse(gap.to!)).toBeGreaterThan(cut);
      }
      expect(await scene.matches()).toEqual(ids);
      expect(sandbox.fired('F2')).toBe(3);
    },
  );

  row(
    'F3',
    'silence is noticed ten seconds after the timeout of the stream, and the next connection is at once',
    async (scene) => {
      const { sandbox, clock, first } = scene;
      sandbox.throwFault('F1');
      await scene.until(() => scene.connects().length === 2);
      const opened = clock.now().getTime();
      sandbox.throwFault('F3');
      const missed = scene.page();
      await scene.pass(129_000);
      expect([scene.counted('firehose', 'stall'), await scene.matches()]).toEqual([0, [first]]);
      await scene.pass(1_000);
      await scene.until(() => scene.connects().length === 3);
      expect(scene.counted('firehose', 'stall')).toBe(1);
      expect(scene.connects()[2]).toMatchObject({ at: opened + 130_000, lastId: first });
      expect(scene.connects().every(({ query }) => query.get('timeout') === '120')).toBe(true);
      await scene.live('firehose');
      expect(await scene.matches()).toEqual([first, missed]);
      expect(await gapsOf(scene)).toMatchObject([{ cause: 'stalled', recovered: true }]);
    },
  );

  row('F10', 'a place is asked for by its id or by time, and never by both', async (scene) => {
    const { sandbox } = scene;
    sandbox.throwFault('F10');
    const headers = { authorization: 'Bearer token-1', 'last-event-id': '0-1' };
    expect((await fetch(`${sandbox.url}/v1/stream?since=1h`, { headers })).status).toBe(422);
    sandbox.throwFault('F7');
    for (let time = 0; time < 6; time++) {
      scene.page();
      sandbox.throwFault(time % 2 === 0 ? 'F1' : 'F2', { after_bytes: 0 });
      await scene.pass(5_000);
      await scene.live('firehose');
    }
    const [, , ...ours] = scene.connects();
    expect(ours.filter(({ query, lastId }) => query.has('since') === (lastId !== undefined))).toEqual([]);
    expect(sandbox.fired('F10')).toBe(1);
    await scene.stored(7);
  });

  row('F22', 'bytes that drip, come all at once or come late are the same records, and no stall', async (scene) => {
    const { sandbox, first } = scene;
    const ids = [first];
    sandbox.throwFault('F22', { kind: 'hold', seconds: 60 });
    ids.push(scene.page());
    await scene.pass(60_000);
    await scene.stored(2);
    sandbox.throwFault('F22', { kind: 'burst', count: 900 });
    // About ten megabytes.
    for (let sent = 0; sent < 900; sent++) ids.push(scene.page(`a storm of ${'bytes '.repeat(1_900)}`));
    await scene.stored(902);
    sandbox.throwFault('F22', { kind: 'drip' });
    ids.push(scene.page(), scene.page());
    await scene.stored(904);
    expect(await scene.matches()).toEqual(ids.toSorted());
    expect(sandbox.fired('F22')).toBe(3);
    expect([scene.counted('firehose', 'stall'), scene.counted('firehose', 'disconnect')]).toEqual([0, 0]);
    expect(await gapsOf(scene)).toEqual([]);
  });

  const failing = { isSlow: false, isDown: false };
  row(
    'F23',
    'while the store is slow or down the connection is let go, and resumed from what is durable',
    async (scene) => {
      const { sandbox, first } = scene;
      const ids = [first];
      for (const how of ['isSlow', 'isDown'] as const) {
        failing[how] = true;
        const before = await scene.store.cursor('firehose');
        for (let sent = 0; sent < 400; sent++) for (let copy = 0; copy < 5; copy++) ids.push(scene.page());
        await scene.until(() => sandbox.sent.length >= ids.length);
        await scene.pass(30_000);
        await scene.until(() => sandbox.connections('firehose') === 0);
        expect(await scene.store.cursor('firehose')).toBe(before);
        failing[how] = false;
        scene.struck();
        await scene.pass(10_000);
        await scene.stored(ids.length);
        await scene.live('firehose');
      }
      expect(scene.counted('firehose', 'disconnect')).toBe(2);
      expect(await gapsOf(scene)).toMatchObject([
        { cause: 'slow store', recovered: true },
        { cause: 'slow store', recovered: true },
      ]);
      expect(scene.test.service.context.readiness.notReady()).toEqual([]);
    },
    { around: (store) => failingStore(store, failing) },
  );
}

/** Everything that it takes is durable; while it is slow or down it takes nothing. */
function failingStore(store: Store, failing: { readonly isSlow: boolean; readonly isDown: boolean }): Store {
  const isFast = async () => {
    while (failing.isSlow) await new Promise((resolve) => setImmediate(resolve));
  };
  const refuse = () => {
    if (failing.isDown) throw new StoreError('unwritable', 'The disk is full.');
  };
  return {
    ...store,
    async commit(batch) {
      await isFast();
      refuse();
      return store.commit(batch);
    },
    async check() {
      refuse();
      return store.check();
    },
  };
}
