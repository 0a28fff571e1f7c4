import { describe, expect, it } from 'vitest';
import { type FakeClock, fakeClock } from '../../../test/stages/fake-clock.ts';
import { createSilenceDetector, type SilenceDetector } from './silence.ts';

/** One post every so often, for as long. */
async function learn(
  volume: SilenceDetector,
  clock: FakeClock,
  everyMs: number,
  forMs: number,
  ids = ['a'],
): Promise<void> {
  for (let passed = 0; passed < forMs; passed += everyMs) {
    volume.learn(ids);
    await clock.pass(everyMs);
  }
}

describe('expected volume', () => {
  it('suspects a silence that is next to impossible, and no shorter one', async () => {
    const clock = fakeClock();
    const volume = createSilenceDetector(clock);
    await learn(volume, clock, 10_000, 1_800_000);
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
    await learn(volume, clock, 1_000, 600_000);
    expect(volume.isSuspect(30_000)).toBe(false);
  });

  it('expects nothing of a rule that is gone', async () => {
    const clock = fakeClock();
    const volume = createSilenceDetector(clock);
    await learn(volume, clock, 10_000, 1_200_000, ['a', 'b']);
    expect(volume.isSuspect(200_000)).toBe(true);
    volume.forget('a');
    volume.forget('b');
    expect(volume.isSuspect(200_000)).toBe(false);
  });
});
