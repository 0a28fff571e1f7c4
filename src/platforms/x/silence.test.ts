import { describe, expect, it } from 'vitest';
import { type FakeClock, fakeClock } from '../../../test/stages/fake-clock.ts';
import { createSilenceDetector, type SilenceDetector } from './silence.ts';

/** One post every so often, for as long. */
function learn(volume: SilenceDetector, clock: FakeClock, everyMs: number, forMs: number, ids = ['a']): void {
  for (let passed = 0; passed < forMs; passed += everyMs) {
    volume.learn(ids);
    clock.jump(everyMs);
  }
}

describe('expected volume', () => {
  it('suspects a silence that is next to impossible, and no shorter one', async () => {
    const clock = fakeClock();
    const volume = createSilenceDetector(clock);
    learn(volume, clock, 10_000, 1_800_000);
    expect(volume.isSuspect(120_000)).toBe(false);
    expect(volume.isSuspect(160_000)).toBe(true);
  });

  it('suspects nothing where it has seen nothing, or next to nothing', async () => {
    const clock = fakeClock();
    const volume = createSilenceDetector(clock);
    expect(volume.isSuspect(86_400_000)).toBe(false);
    for (let post = 0; post < 5; post++) volume.learn(['a']);
    expect(volume.isSuspect(600_000)).toBe(false);
  });

  it('does not take the seconds between two posts of a fast stream for a silence', async () => {
    const clock = fakeClock();
    const volume = createSilenceDetector(clock);
    learn(volume, clock, 1_000, 600_000);
    expect(volume.isSuspect(30_000)).toBe(false);
  });

  it('never suspects less than a minute, and suspects a minute of a fast stream', async () => {
    const clock = fakeClock();
    const volume = createSilenceDetector(clock);
    learn(volume, clock, 1_000, 900_000);
    expect([volume.isSuspect(59_999), volume.isSuspect(60_000)]).toEqual([false, true]);
  });

  it('counts a post once that several rules matched', async () => {
    const clock = fakeClock();
    const volume = createSilenceDetector(clock);
    learn(volume, clock, 10_000, 1_800_000, ['a', 'b', 'c']);
    expect([volume.isSuspect(120_000), volume.isSuspect(160_000)]).toEqual([false, true]);
  });

  it('takes a rule that is new for one that is known for ten minutes', () => {
    const volume = createSilenceDetector(fakeClock());
    // 60 posts in ten minutes: one in ten seconds, so that 138 s without one are next to impossible.
    for (let post = 0; post < 60; post++) volume.learn(['a']);
    expect([volume.isSuspect(125_000), volume.isSuspect(135_000)]).toEqual([false, true]);
  });

  it('forgets with the hours: what was fast yesterday may be slow today', async () => {
    const clock = fakeClock();
    const volume = createSilenceDetector(clock);
    learn(volume, clock, 10_000, 1_800_000, ['a']);
    await clock.pass(5 * 3_600_000);
    volume.learn(['b']);
    expect([volume.isSuspect(160_000), volume.isSuspect(3_600_000)]).toEqual([false, false]);
  });

  it('expects nothing of a rule that is gone', async () => {
    const clock = fakeClock();
    const volume = createSilenceDetector(clock);
    learn(volume, clock, 10_000, 1_200_000, ['a', 'b']);
    expect(volume.isSuspect(200_000)).toBe(true);
    volume.forget('a');
    volume.forget('b');
    expect(volume.isSuspect(200_000)).toBe(false);
  });
});
