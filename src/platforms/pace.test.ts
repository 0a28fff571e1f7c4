import { expect, it } from 'vitest';
import { fakeClock } from '../../test/stages/fake-clock.ts';
import { createPace, doubling, growing, jittered } from './pace.ts';

it('makes no more calls in any window than allowed, and keeps them apart', async () => {
  const clock = fakeClock();
  const pace = createPace({ calls: 5, windowMs: 60_000, apartMs: 3_000 }, clock);
  const made: number[] = [];
  const start = clock.elapsed();
  for (let call = 0; call < 12; call++) void pace.turn().then(() => made.push((clock.elapsed() - start) / 1_000));
  await clock.pass(200_000);
  expect(made).toEqual([0, 3, 6, 9, 12, 60, 63, 66, 69, 72, 120, 123]);
});

it('waits as long as the upstream said', async () => {
  const clock = fakeClock();
  const pace = createPace({ calls: 5, windowMs: 60_000 }, clock);
  pace.hold(10_000);
  expect(pace.held).toBe(10_000);
  let made = false;
  void pace.turn().then(() => (made = true));
  await clock.pass(9_999);
  expect(made).toBe(false);
  await clock.pass(1);
  expect(made).toBe(true);
});

it('is given up with the signal', async () => {
  const clock = fakeClock();
  const pace = createPace({ calls: 1, windowMs: 60_000 }, clock);
  const stop = new AbortController();
  await pace.turn();
  const turn = pace.turn(stop.signal);
  await clock.pass(0);
  stop.abort();
  await turn;
  expect(clock.elapsed()).toBe(fakeClock().elapsed());
});

it('climbs ladders up to their end', () => {
  expect([1, 2, 3, 4, 99].map(doubling(5_000, 30_000))).toEqual([5_000, 10_000, 20_000, 30_000, 30_000]);
  expect([1, 2, 3, 99].map(growing(250, 16_000))).toEqual([0, 250, 500, 16_000]);
  expect(jittered(1_000, () => 0.5)).toBe(1_100);
});
