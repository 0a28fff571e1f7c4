import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { slow } from '../../../test/stages/slow.ts';
import { StoreError } from '../../store/error.ts';
import { createRehearsals, type RehearsalsDeps } from './rehearsals.ts';

type Turn = () => Promise<undefined> | undefined;

/** Rehearsals of which each turn does what the test says; after the last turn none is left. */
function stage(turns: Turn[], { isShared = false, dueInMs = 0 } = {}) {
  const clock = fakeClock();
  const dueAt = new Date(clock.now().getTime() + dueInMs);
  const stopping = new AbortController();
  const logged: string[] = [];
  const done: number[] = [];
  const state = { looks: 0, unreachable: 0, released: 0 };
  const began = clock.elapsed();
  const deps = {
    clock,
    holder: { id: 'here', isGone: () => false },
    log: { warn: (_: object, message: string) => void logged.push(message) },
    store: slow({
      isShared,
      takeLease: async () => ({ name: 'rehearsals', holder: 'here', fence: 1 }),
      releaseLease: async () => void state.released++,
      firstRehearsal: async () => {
        state.looks++;
        if (state.unreachable-- > 0) throw new StoreError('away', 'The store is away.');
        return turns.length === 0 ? undefined : { id: 'r', dueAt };
      },
      openRehearsal: async () => {
        done.push(clock.elapsed() - began);
        return turns.shift()!();
      },
    }),
  } as unknown as RehearsalsDeps;
  const rehearsals = createRehearsals(deps);
  const running = rehearsals.run(stopping.signal);
  const stop = async () => {
    stopping.abort();
    await running;
  };
  return { clock, rehearsals, logged, done, state, stop };
}

const nothing: Turn = () => undefined;
const failing = (error: Error): Turn => {
  return () => {
    throw error;
  };
};

describe('the rehearsals of a process', () => {
  it('take their turns one after another, and hold no lease while there is none', async () => {
    const { clock, rehearsals, done, state, stop } = stage([nothing, nothing]);
    await clock.pass(0);
    expect([done, state.released, rehearsals.running]).toEqual([[0, 0], 1, 0]);
    await stop();
  });

  it('wait until one is due', async () => {
    const { clock, done, stop } = stage([nothing], { dueInMs: 3_000 });
    await clock.pass(2_999);
    expect(done).toEqual([]);
    await clock.pass(1);
    expect(done).toEqual([3_000]);
    await stop();
  });

  it('are looked for again by the process that has the store to itself when it is told of one, and not before', async () => {
    const turns: Turn[] = [];
    const { clock, rehearsals, done, state, stop } = stage(turns);
    await clock.pass(60_000);
    expect(state.looks).toBe(1);
    turns.push(nothing);
    rehearsals.wake();
    await clock.pass(0);
    expect(done).toEqual([60_000]);
    await stop();
  });

  it('are looked for every five seconds where other processes may start one', async () => {
    const { clock, state, stop } = stage([], { isShared: true });
    await clock.pass(4_999);
    expect(state.looks).toBe(1);
    await clock.pass(1);
    expect(state.looks).toBe(2);
    await stop();
  });

  it('are looked for again in five seconds when the store is away', async () => {
    const turns: Turn[] = [];
    const { clock, rehearsals, state, stop } = stage(turns);
    await clock.pass(0);
    state.unreachable = 1;
    rehearsals.wake();
    await clock.pass(0);
    turns.push(nothing);
    await clock.pass(4_999);
    expect(turns).toHaveLength(1);
    await clock.pass(1);
    expect(turns).toHaveLength(0);
    await stop();
  });

  it('go on five seconds after a turn that failed, and say so', async () => {
    const { clock, done, logged, stop } = stage([failing(new StoreError('away', 'Away.')), nothing]);
    await clock.pass(4_999);
    expect([done, logged]).toEqual([[0], ['Rehearsals cannot go on. Retrying in 5 seconds.']]);
    await clock.pass(1);
    expect(done).toEqual([0, 5_000]);
    await stop();
  });

  it('are left to the process that has taken the lease', async () => {
    const turns = [failing(new StoreError('fenced', 'Taken.')), nothing];
    const { clock, done, logged, state, stop } = stage(turns, { isShared: true });
    await clock.pass(0);
    expect([done, logged, state.released]).toEqual([[0], [], 1]);
    await stop();
  });

  it('end without a word when the process stops meanwhile', async () => {
    const held = Promise.withResolvers<undefined>();
    const { clock, logged, stop } = stage([() => held.promise, nothing]);
    await clock.pass(0);
    const stopped = stop();
    held.reject(new Error('It was interrupted.'));
    await stopped;
    expect([logged, clock.sleepers]).toEqual([[], 0]);
  });

  it('that are cancelled stop at once and make room for the next, and another id stops none', async () => {
    const held = Promise.withResolvers<undefined>();
    const { clock, rehearsals, done, logged, stop } = stage([() => held.promise, nothing]);
    await clock.pass(0);
    rehearsals.cancelled('another');
    expect(rehearsals.running).toBe(1);
    rehearsals.cancelled('r');
    held.reject(new Error('It was interrupted.'));
    await clock.pass(0);
    expect([done, logged, rehearsals.running]).toEqual([[0, 0], [], 0]);
    await stop();
  });
});
