import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { StoreError } from '../../store/error.ts';
import type { Commit } from '../../store/store.ts';
import { createStoreTrouble } from './store-trouble.ts';

function stand() {
  const clock = fakeClock();
  const began = clock.now().getTime();
  const stop = new AbortController();
  const state: { error: Error | undefined } = { error: undefined };
  const rooms: number[] = [];
  const times: number[] = [];
  const commits: Commit[] = [];
  const quiet = () => {};
  const trouble = createStoreTrouble(
    {
      async check(room = 0) {
        rooms.push(room);
        times.push(clock.now().getTime() - began);
        if (state.error !== undefined) throw state.error;
      },
      async commit(commit) {
        commits.push(commit);
        return { added: [] } as never;
      },
    },
    clock,
    { info: quiet, warn: quiet, error: quiet },
    stop.signal,
  );
  return { clock, stop, state, rooms, times, commits, trouble };
}

const commitOf = (text: string): Commit => ({
  platform: 'x',
  at: new Date(0),
  events: [{ event: { platform: 'x', postId: '1', payload: { text }, accountId: undefined }, matches: [] }],
});

describe('a store that cannot be written', () => {
  it('is tried after 100, 250, 500 and 1,000 ms, then every second, until it works', async () => {
    const { clock, state, times, trouble, commits } = stand();
    state.error = new StoreError('unwritable', '');
    trouble.report(state.error, commitOf(''));
    expect(trouble.reason).toBe('store_unwritable');
    await clock.pass(3_000);
    expect(times).toEqual([100, 350, 850, 1_850, 2_850]);
    state.error = undefined;
    await clock.pass(849);
    expect(trouble.reason).toBe('store_unwritable');
    await clock.pass(1);
    expect(trouble.reason).toBeUndefined();
    expect(commits).toMatchObject([{ platform: 'x', events: [] }]);
    await clock.pass(10_000);
    expect(times).toHaveLength(6);
  });

  it('must have room for what failed, and for 256 KiB at least, on a disk that was full', async () => {
    const { clock, state, rooms, trouble } = stand();
    trouble.report(new StoreError('full', ''), commitOf('x'));
    expect(trouble.reason).toBe('disk_full');
    await clock.pass(100);
    expect([rooms, trouble.reason]).toEqual([[256 * 1024], undefined]);
    state.error = undefined;
    trouble.report(new StoreError('full', ''), commitOf('x'.repeat(300_000)));
    await clock.pass(100);
    expect(rooms[1]).toBeGreaterThan(300_000);
  });

  it('that was away is not asked for room, and says when its trouble has become another', async () => {
    const { clock, state, rooms, trouble } = stand();
    state.error = new StoreError('full', '');
    trouble.report(new StoreError('away', ''), commitOf(''));
    expect(trouble.reason).toBe('store_away');
    await clock.pass(100);
    expect([rooms, trouble.reason]).toEqual([[0], 'disk_full']);
  });

  it('is tried by one loop, however many commits fail, and by none after a stop', async () => {
    const { clock, stop, state, times, trouble } = stand();
    state.error = new StoreError('unwritable', '');
    for (let commit = 0; commit < 5; commit++) trouble.report(state.error, commitOf(''));
    await clock.pass(350);
    expect(times).toEqual([100, 350]);
    stop.abort();
    await clock.pass(60_000);
    expect([times.length, clock.sleepers]).toEqual([2, 0]);
  });
});
