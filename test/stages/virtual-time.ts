/** Virtual time together with real sockets of this machine: between two steps, bytes have room to go there and back. */
import { expect } from 'vitest';
import type { FakeClock } from './fake-clock.ts';

const TURNS = 40;

/** Enough turns of the event loop for bytes to go to the other end and back. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export interface Waiting {
  /** Milliseconds of a step; 0 lets only happen what needs no time. */
  readonly stepMs?: number | undefined;
  readonly steps?: number | undefined;
  /** The words that a failure should say. */
  readonly explain?: () => string;
}

/** Lets time pass in steps until it is so. */
export async function untilSo(
  clock: FakeClock,
  isSo: () => boolean | Promise<boolean>,
  { stepMs = 0, steps = 2_000, explain = () => '' }: Waiting = {},
): Promise<void> {
  let came = await isSo();
  for (let step = 0; step < steps && !came; step++) {
    if (stepMs > 0) await clock.pass(stepMs);
    await turns();
    came = await isSo();
  }
  expect(came, `it came to that; ${explain()}`).toBe(true);
}

/** Lets time pass step by step. */
export async function passSlowly(clock: FakeClock, milliseconds: number, stepMs = 1_000): Promise<void> {
  for (let left = milliseconds; left > 0; left -= stepMs) {
    await clock.pass(Math.min(left, stepMs));
    await turns();
  }
}
