import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../test/stages/fake-clock.ts';
import { createShards } from './shards.ts';
import { openSqlite } from './sqlite.ts';

const PAUSE_MS = 1_000;

/** Two nodes of one store, and one clock. */
async function stage() {
  const clock = fakeClock();
  const store = await openSqlite(':memory:', { clock });
  const shared = { ...store, isShared: true };
  const start = (id: string) => {
    const ending = new AbortController();
    const holder = { id, isGone: () => false };
    const work = { work: 'sources', count: 16, role: 'connector', pauseMs: PAUSE_MS } as const;
    const shards = createShards({ store: shared, clock, holder, ...work });
    return { shards, run: () => shards.run(ending.signal, () => {}), end: () => ending.abort() };
  };
  return { clock, start };
}

describe('a node that stood still', () => {
  it('may send nothing once another may have its shards, and says so without asking the store', async () => {
    const { clock, start } = await stage();
    const one = start('one');
    void one.run();
    await clock.pass(2 * PAUSE_MS);
    expect(one.shards.held()).toContain(3);
    one.shards.assertHeld(3);
    const signal = one.shards.signalOf(3);
    clock.jump(7_500);
    expect(() => one.shards.assertHeld(3)).toThrow('Another node has this shard.');
    expect(signal.aborted).toBe(true);
    one.end();
  });
});

describe('a shard that changes hands', () => {
  it('is worked on a pause after the holder before can have worked on it for the last time', async () => {
    const { clock, start } = await stage();
    const [one, two] = [start('one'), start('two')];
    const running = one.run();
    await clock.pass(2 * PAUSE_MS);
    void two.run();
    await clock.pass(100);
    // Given back, it may have been used until now.
    one.end();
    await running;
    await clock.pass(1_500);
    expect(two.shards.held()).toEqual([]);
    await clock.pass(PAUSE_MS);
    expect(two.shards.held()).toHaveLength(16);
    two.end();
  });
});
