import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../test/stages/fake-clock.ts';
import { awaitLease, type HeldLease, madeByOne, takeLease, underLease } from './lease.ts';
import { openSqlite } from './sqlite.ts';

async function stage() {
  const clock = fakeClock();
  const store = await openSqlite(':memory:', { clock });
  const take = (id: string, gone: string[] = []) =>
    takeLease({ store, clock, holder: { id, isGone: (other) => gone.includes(other) } }, 'x');
  return { clock, store, take };
}

describe('a lease', () => {
  it('is kept as long as it is renewed', async () => {
    const { clock, take } = await stage();
    const held = (await take('one')) as HeldLease;
    const ending = new AbortController();
    const keeping = held.keep(ending.signal);
    await clock.pass(10 * 60_000);
    expect(await take('two')).toBe('one');
    await held.confirm();
    ending.abort();
    await keeping;
    await held.release();
    expect(await take('two')).toMatchObject({ lease: { fence: 2 } });
  });

  it('lasts from when it was asked for, and not from when the store answered', async () => {
    const { clock, store } = await stage();
    const slow = {
      ...store,
      takeLease: async (wish: Parameters<typeof store.takeLease>[0]) => {
        const answer = await store.takeLease(wish);
        clock.jump(4_000);
        return answer;
      },
    };
    const held = (await takeLease(
      { store: slow, clock, holder: { id: 'one', isGone: () => false } },
      'x',
    )) as HeldLease;
    clock.jump(4_000);
    // Renews it, which takes the store four seconds.
    await held.confirm();
    clock.jump(3_600);
    await takeLease({ store, clock, holder: { id: 'two', isGone: () => false } }, 'x');
    await expect(held.confirm()).rejects.toMatchObject({ reason: 'fenced' });
  });

  it('is taken over at once when the process that had it has ended', async () => {
    const { take } = await stage();
    await take('one');
    expect(await take('two')).toBe('one');
    expect(await take('three', ['one'])).toMatchObject({ lease: { fence: 2 } });
  });

  it('of a process that froze is taken by one that waits for it within ten seconds', async () => {
    const { clock, store, take } = await stage();
    await take('frozen');
    const waiting = { store, clock, holder: { id: 'waiting', isGone: () => false } };
    let taken: HeldLease | undefined;
    const { signal } = new AbortController();
    const asking = awaitLease(waiting, 'x', { onHeld: () => {}, signal }).then((lease) => (taken = lease));
    await clock.pass(10_000);
    expect(taken).toMatchObject({ lease: { fence: 2 } });
    await asking;
  });

  it('is asked for again after a freeze, and is lost when another has it', async () => {
    const { clock, take } = await stage();
    const held = (await take('one')) as HeldLease;
    await clock.pass(30_000);
    await held.confirm();
    await clock.pass(30_000);
    await take('two');
    await expect(held.confirm()).rejects.toMatchObject({ reason: 'fenced' });
    const keeping = held.keep(new AbortController().signal);
    await clock.pass(5_000);
    await keeping;
  });

  it('is lost when another had it meanwhile, although it is free again', async () => {
    const { clock, take } = await stage();
    const held = (await take('one')) as HeldLease;
    const kept = held.keep(new AbortController().signal);
    clock.jump(16_000);
    const other = (await take('two')) as HeldLease;
    await other.release();
    await clock.pass(5_000);
    await kept;
    await expect(held.confirm()).rejects.toMatchObject({ reason: 'fenced' });
  });
});

describe('work under a lease', () => {
  const setUp = async (isShared: boolean) => {
    const { clock, store, take } = await stage();
    const stopping = new AbortController();
    const shared = Object.create(store, { isShared: { value: isShared } }) as typeof store;
    const deps = { store: shared, clock, holder: { id: 'one', isGone: () => false } };
    const finish = Promise.withResolvers<void>();
    let given: { held: HeldLease; signal: AbortSignal } | undefined;
    const working = underLease(deps, 'x', stopping.signal, async (held, signal) => {
      given = { held, signal };
      await finish.promise;
    });
    await clock.pass(0);
    return { clock, take, stopping, working, finish: () => finish.resolve(), given: given! };
  };

  it('keeps the lease while it lasts, and gives it back after it', async () => {
    const { clock, take, working, finish, given } = await setUp(true);
    await clock.pass(60_000);
    expect([await take('two'), given.signal.aborted]).toEqual(['one', false]);
    finish();
    await working;
    expect([await take('two'), clock.sleepers]).toEqual([expect.objectContaining({ lease: expect.anything() }), 0]);
  });

  it('is told when the lease is lost', async () => {
    const { clock, take, working, finish, given } = await setUp(true);
    clock.jump(16_000);
    await take('two');
    await clock.pass(5_000);
    expect(given.signal.aborted).toBe(true);
    await expect(given.held.confirm()).rejects.toMatchObject({ reason: 'fenced' });
    finish();
    await working;
    expect(await take('three')).toBe('two');
  });

  it('is told when it is to stop, and renews nothing by itself where no other waits', async () => {
    const { clock, take, stopping, working, finish, given } = await setUp(false);
    expect([clock.sleepers, given.signal.aborted]).toEqual([0, false]);
    stopping.abort();
    expect(given.signal.aborted).toBe(true);
    finish();
    await working;
    expect(await take('two')).toMatchObject({ lease: { fence: 2 } });
  });

  it('does not begin when it is to stop before the lease is free', async () => {
    const { clock, store, take } = await stage();
    await take('one');
    const stopping = new AbortController();
    const told: string[] = [];
    const deps = { store, clock, holder: { id: 'two', isGone: () => false } };
    const working = underLease(deps, 'x', stopping.signal, async () => void told.push('worked'));
    await clock.pass(2_000);
    stopping.abort();
    await working;
    expect([told, clock.sleepers]).toEqual([[], 0]);
  });
});

describe('a lease of a process that has ended', () => {
  it('lasts from when it was taken over, however long the first question took', async () => {
    const { clock, store, take } = await stage();
    await take('one');
    let asked = 0;
    const slow = {
      releaseLease: store.releaseLease,
      takeLease: async (wish: Parameters<typeof store.takeLease>[0]) => {
        if (++asked === 1) clock.jump(7_000);
        return store.takeLease(wish);
      },
    };
    const holder = { id: 'two', isGone: (id: string) => id === 'one' };
    const held = (await takeLease({ store: slow, clock, holder }, 'x')) as HeldLease;
    clock.jump(7_499);
    await held.confirm();
    expect(asked).toBe(2);
    clock.jump(1);
    await held.confirm();
    expect(asked).toBe(3);
  });
});

describe('something that one makes for all', () => {
  it('is not made again by the one that gets the lease when it is there already', async () => {
    const { clock, store, take } = await stage();
    const other = (await take('one')) as HeldLease;
    let looks = 0;
    const look = async () => {
      if (++looks > 1) return 'made by another';
      await other.release();
      return undefined;
    };
    const made = madeByOne({ store, clock, holder: { id: 'two', isGone: () => false } }, 'x', {
      look,
      make: async () => 'made again',
      signal: new AbortController().signal,
    });
    await clock.pass(2_000);
    expect([await made, looks]).toEqual(['made by another', 2]);
    expect(await take('three')).toMatchObject({ lease: { fence: 3 } });
  });

  it('is made by the next one when the first fails', async () => {
    const { clock, store, take } = await stage();
    const failing = madeByOne({ store, clock, holder: { id: 'one', isGone: () => false } }, 'x', {
      look: async () => undefined,
      make: () => Promise.reject(new Error('no room')),
      signal: new AbortController().signal,
    });
    await expect(failing).rejects.toThrow('no room');
    expect([await take('two'), clock.sleepers]).toEqual([expect.objectContaining({ lease: expect.anything() }), 0]);
  });
});
