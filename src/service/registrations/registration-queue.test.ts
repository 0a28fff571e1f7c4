import { describe, expect, it } from 'vitest';
import { at, MINUTE, PREFIX, queueStage, rowOf, textOf } from '../../../test/stages/queue-stage.ts';
import { PlatformError } from '../../platforms/platform.ts';
import { openRegistrationQueue } from './registration-queue.ts';

interface Staged {
  readonly isShared?: boolean;
  /** How many milliseconds ago another node compared; undefined when none did. */
  readonly comparedAgo?: () => number | undefined;
  readonly isEmpty?: boolean;
}

/** The queue of an upstream that holds one text, with the loops that it runs by itself. */
async function stage({ isShared = false, comparedAgo = () => undefined, isEmpty = false }: Staged = {}) {
  const staged = await queueStage({
    rows: isEmpty ? [] : [rowOf('a', ['storm'])],
    wanted: isEmpty ? [] : ['storm'],
    isShared,
  });
  const { state, clock, upstream } = staged;
  const stopping = new AbortController();
  Object.assign(state.store, {
    feeds: async () => {
      const ago = comparedAgo();
      return ago === undefined ? [] : [{ kind: 'audit', through: new Date(clock.now().getTime() - ago) }];
    },
  });
  const { platform, language, store, log } = state;
  const parts = { platform, language, store, clock, log, signal: stopping.signal, prefix: PREFIX, onGap: () => {} };
  const queue = await openRegistrationQueue(parts, isEmpty ? [] : [textOf('storm')]);
  await clock.pass(0);
  const stop = async () => {
    stopping.abort();
    await clock.pass(0);
  };
  return { ...staged, queue, stop, compared: () => upstream.asked.held };
}

describe('a queue that opens', () => {
  it('knows what an earlier run found out before it answers', async () => {
    const { queue, stop, compared } = await openedSlowly();
    expect([compared(), queue.heldAt(textOf('storm'), at(-2 * MINUTE)), queue.heldAt(textOf('storm'), at(0))]).toEqual([
      0,
      'held',
      'unknown',
    ]);
    await stop();
  });
});

/** A queue whose store takes its time, as it is when it has just opened. */
async function openedSlowly() {
  const { state, clock, upstream } = await queueStage({ rows: [rowOf('a', ['storm'])], wanted: ['storm'] });
  const { platform, language, store, log } = state;
  const stopping = new AbortController();
  Object.assign(store, {
    feeds: async () => {
      await clock.sleep(5);
      return [{ kind: 'audit', through: at(-MINUTE) }];
    },
  });
  const parts = { platform, language, store, clock, log, signal: stopping.signal, prefix: PREFIX, onGap: () => {} };
  const opening = openRegistrationQueue(parts, [textOf('storm')]);
  let queue: Awaited<typeof opening> | undefined;
  void opening.then((opened) => (queue = opened));
  await clock.pass(4);
  expect([queue, upstream.asked.held]).toEqual([undefined, 0]);
  const before = upstream.asked.held;
  clock.jump(1);
  const opened = await opening;
  const stop = async () => {
    stopping.abort();
    await clock.pass(10);
  };
  return { queue: opened, stop, compared: () => before };
}

describe('a queue compares', () => {
  it('at its start and every minute', async () => {
    const { clock, compared, stop } = await stage();
    expect(compared()).toBe(1);
    await clock.pass(MINUTE - 1);
    expect(compared()).toBe(1);
    await clock.pass(1);
    expect(compared()).toBe(2);
    await stop();
    await clock.pass(10 * MINUTE);
    expect(compared()).toBe(2);
  });

  it('on a shared store only where no other node did within half a minute, and at least every five minutes', async () => {
    let ago = 29_999;
    const { clock, compared, stop } = await stage({ isShared: true, comparedAgo: () => ago });
    const began = compared();
    for (let minute = 1; minute < 5; minute++) {
      await clock.pass(MINUTE);
      expect(compared()).toBe(began);
    }
    await clock.pass(MINUTE);
    expect(compared()).toBe(began + 1);
    ago = 30_000;
    await clock.pass(MINUTE);
    expect(compared()).toBe(began + 2);
    await stop();
  });

  it('again after a second, five and thirty, while the upstream is away, and says so', async () => {
    const staged = await stage();
    const { clock, state, stop, logged } = staged;
    const held = state.platform.held.bind(state.platform);
    let asked = 0;
    Object.assign(state.platform, {
      held: () => {
        asked++;
        return Promise.reject(new PlatformError('unreachable', 'away'));
      },
    });
    await clock.pass(MINUTE);
    expect(asked).toBe(1);
    await clock.pass(999);
    expect(asked).toBe(1);
    await clock.pass(1);
    expect(asked).toBe(2);
    await clock.pass(5_000);
    expect(asked).toBe(3);
    await clock.pass(29_999);
    expect(asked).toBe(3);
    Object.assign(state.platform, { held });
    await clock.pass(1);
    expect([asked, staged.compared()]).toEqual([3, 2]);
    expect(logged.filter((line) => line === 'comparing registrations failed; retrying')).toHaveLength(3);
    await clock.pass(MINUTE);
    expect(staged.compared()).toBe(3);
    await stop();
  });

  it('less often when a comparison takes long: a tenth of the time at most', async () => {
    const { clock, state, compared, stop } = await stage();
    const held = state.platform.held.bind(state.platform);
    Object.assign(state.platform, {
      held: async () => {
        const listed = await held();
        await clock.sleep(10_000);
        return listed;
      },
    });
    await clock.pass(MINUTE);
    expect(compared()).toBe(2);
    await clock.pass(10_000 + 99_999);
    expect(compared()).toBe(2);
    await clock.pass(1);
    expect(compared()).toBe(3);
    await clock.pass(10_000);
    await stop();
  });

  it('at once for a doubt, and for the next one after fifteen seconds', async () => {
    const { clock, queue, compared, stop } = await stage();
    const doubt = async (milliseconds: number) => {
      const answer = queue.heldAt(textOf('storm'), at(milliseconds));
      await clock.pass(0);
      return [answer, compared()];
    };
    expect(await doubt(-1)).toEqual(['held', 1]);
    expect(await doubt(5_000)).toEqual(['unknown', 2]);
    expect(await doubt(6_000)).toEqual(['unknown', 2]);
    await clock.pass(14_999);
    expect(await doubt(60_000)).toEqual(['unknown', 2]);
    await clock.pass(1);
    expect(await doubt(60_000)).toEqual(['unknown', 3]);
    await stop();
  });
});

describe('a queue knows', () => {
  it('who holds a text, under which id, and whether alone', async () => {
    const { queue, stop } = await stage();
    expect([queue.idOf(textOf('storm')), queue.standsAlone(textOf('storm'))]).toEqual(['id a', true]);
    expect([queue.idOf(textOf('rain')), queue.standsAlone(textOf('rain'))]).toEqual([undefined, false]);
    expect(queue.figures()).toMatchObject({ held: 1, packs: 0, used: 1 });
    await stop();
  });

  it('what an id stands for, and reads the store again for an unknown one, at most every five seconds', async () => {
    const { queue, clock, stored, stop } = await stage();
    expect(queue.resolve('id a')).toEqual({ texts: [textOf('storm')], packed: false });
    stored.rows = [rowOf('a', ['storm']), rowOf('b', ['rain'])];
    expect(queue.resolve('id b')).toBeUndefined();
    await clock.pass(0);
    expect(queue.resolve('id b')).toMatchObject({ texts: [textOf('rain')] });
    stored.rows = [...stored.rows, rowOf('c', ['snow'])];
    expect(queue.resolve('id c')).toBeUndefined();
    await clock.pass(4_999);
    expect(queue.resolve('id c')).toBeUndefined();
    await clock.pass(1);
    expect(queue.resolve('id c')).toBeUndefined();
    await clock.pass(0);
    expect(queue.resolve('id c')).toMatchObject({ texts: [textOf('snow')] });
    await stop();
  });

  it('that something is held: at once, or with the first that is', async () => {
    const held = await stage();
    await held.queue.rulesHeld();
    await held.stop();
    const { queue, clock, stop } = await stage({ isEmpty: true });
    let isHeld = false;
    const waiting = queue.rulesHeld().then(() => (isHeld = true));
    await clock.pass(MINUTE);
    expect(isHeld).toBe(false);
    expect(await queue.hold(textOf('storm'))).toBe('new storm');
    await waiting;
    await stop();
  });

  it('on a shared store that another node made the first one, within a second', async () => {
    const { queue, clock, stored, stop } = await stage({ isEmpty: true, isShared: true });
    let isHeld = false;
    const waiting = queue.rulesHeld().then(() => (isHeld = true));
    await clock.pass(10_000);
    stored.rows = [rowOf('b', ['rain'])];
    await clock.pass(1_000);
    expect(isHeld).toBe(true);
    await waiting;
    await stop();
  });
});

describe('a queue that ends', () => {
  it('refuses what waits and what comes', async () => {
    const { queue, stop, state, clock } = await stage();
    Object.assign(state.platform, { capacity: () => new Promise(() => {}) });
    await stop();
    await clock.pass(0);
    await expect(queue.hold(textOf('rain'))).rejects.toMatchObject({
      fault: 'unreachable',
      message: 'The service is stopping.',
    });
    await queue.release(textOf('storm'));
  });

  it('lets a text go when its last pin is taken off and a release came meanwhile', async () => {
    const { queue, clock, holders, upstream, stop } = await stage();
    holders.set('storm', 0);
    queue.pin(textOf('storm'));
    await queue.release(textOf('storm'));
    expect(upstream.asked.unregister).toEqual([]);
    queue.unpin(textOf('storm'));
    await clock.pass(0);
    expect(upstream.asked.unregister).toEqual([['id a']]);
    queue.pin(textOf('rain'));
    queue.unpin(textOf('rain'));
    await clock.pass(0);
    expect(upstream.asked.unregister).toHaveLength(1);
    await stop();
  });
});
