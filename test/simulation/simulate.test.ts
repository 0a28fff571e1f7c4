/** The short form of `npm run campaign -- simulate`. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createScheduler } from './scheduler.ts';
import { simulate } from './simulate.ts';

/** One node alone, two on one store, and three: the seed says how many. */
const SEEDS = [3, 4, 5];
const HOURS = 0.1;

describe('a simulated installation', () => {
  it.each(SEEDS)('keeps every promise through kills, freezes and failing parts (seed %i)', async (seed) => {
    const { violations, kills, freezes, failures, matches, heard, attempts } = await simulate({ seed, hours: HOURS });
    expect(violations).toEqual([]);
    for (const count of [kills, freezes, failures, matches, heard, attempts]) expect(count).toBeGreaterThan(0);
  });

  it('runs the same way again from the same seed, and another way from another', async () => {
    const digests: string[] = [];
    for (const seed of [4, 4, 7]) digests.push((await simulate({ seed, hours: 0.05 })).digest);
    expect(digests[0]).toBe(digests[1]);
    expect(digests[0]).not.toBe(digests[2]);
    // Chance is as it was.
    expect(randomBytes(8)).not.toEqual(randomBytes(8));
  });
});

describe('the scheduler', () => {
  it('holds what a frozen process waits for until it is thawed, and drops what a dead one waits for', async () => {
    const scheduler = createScheduler(1);
    const [frozen, dead, happened] = [scheduler.begin('frozen'), scheduler.begin('dead'), [] as string[]];
    void scheduler.pause(10, frozen).then(() => happened.push('frozen'));
    void scheduler.pause(10, dead).then(() => happened.push('dead'));
    scheduler.freeze(frozen);
    scheduler.kill(dead);
    await scheduler.runUntil(scheduler.now + 1_000);
    expect(happened).toEqual([]);
    scheduler.thaw(frozen);
    await scheduler.runUntil(scheduler.now + 1_000);
    expect(happened).toEqual(['frozen']);
  });

  it('wakes sleepers in the order of their times', async () => {
    const scheduler = createScheduler(1);
    const woken: number[] = [];
    for (const wait of [30, 10, 40, 20]) void scheduler.pause(wait).then(() => woken.push(wait));
    await scheduler.runUntil(scheduler.now + 100);
    expect(woken).toEqual([10, 20, 30, 40]);
  });
});
