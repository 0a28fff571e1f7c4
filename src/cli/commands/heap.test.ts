import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeRoomFor } from './serve.ts';

const HEAP = fileURLToPath(new URL('./serve.ts', import.meta.url));
/** Half of a million objects live on, again and again: V8 would double new space to 128 MB. */
const WORK = `const { boundHeap, newSpaceSize } = await import(${JSON.stringify(HEAP)});
if (process.argv[1] === 'bounded') boundHeap();
for (let turn = 0; turn < 8; turn++) {
  const kept = [];
  for (let count = 0; count < 500_000; count++) kept.push({ count });
}
console.log(newSpaceSize() / 2 ** 20);`;

/** Half of some hundred thousand objects live on, in turns of the event loop, in a new space that is as small as V8 leaves it after a rest. */
const REST = `const { growAfterRest, newSpaceSize } = await import(${JSON.stringify(HEAP)});
const { setImmediate } = await import('node:timers/promises');
growAfterRest();
const kept = [];
for (let turn = 0; turn < 400; turn++) {
  if (turn % 50 === 0) kept.length = 0;
  for (let count = 0; count < 10_000; count++) kept.push({ count });
  await setImmediate();
}
console.log(newSpaceSize() / 2 ** 20);`;

/** Half of some hundred thousand objects live on, until new space has grown, and then as long again. */
const MANY = `const { boundHeap, makeRoomFor, newSpaceSize } = await import(${JSON.stringify(HEAP)});
const { setImmediate } = await import('node:timers/promises');
boundHeap();
makeRoomFor(() => performance.now() * 10);
const kept = [];
for (let left = 1; left > 0; left -= newSpaceSize() > 2 ** 25 ? 1 / 400 : 0) {
  if (kept.length > 500_000) kept.length = 0;
  for (let count = 0; count < 10_000; count++) kept.push({ count });
  await setImmediate();
}
console.log(newSpaceSize() / 2 ** 20);`;

const sizeWithMany = (): number =>
  Number(
    execFileSync(process.execPath, ['--input-type=module', '--eval', MANY], { encoding: 'utf8', timeout: 120_000 }),
  );

const sizeAfterRest = (): number =>
  Number(execFileSync(process.execPath, ['--input-type=module', '--eval', REST], { encoding: 'utf8' }));

const sizeAfterWork = (...args: string[]): number =>
  Number(execFileSync(process.execPath, ['--input-type=module', '--eval', WORK, ...args], { encoding: 'utf8' }));

describe('the heap of a server', () => {
  it('has 32 MB for new objects, however many live on', () => {
    expect(sizeAfterWork()).toBeGreaterThan(32);
    expect(sizeAfterWork('bounded')).toBe(32);
  });

  it('has as much of it again, and no more, after a rest in which V8 took it back', () => {
    expect(sizeAfterRest()).toBe(32);
  });

  it('has twice as much while very many events come, and no more', () => {
    expect(sizeWithMany()).toBe(64);
  });

  it('has more room in the seconds in which very many events come, and no longer', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let events = 5_000;
    const given: number[] = [];
    makeRoomFor(
      () => events,
      ({ garbage }) => void given.push(garbage),
    );
    const told = [0, 999, 1_000, 40_000, 999, 0].map((more) => {
      events += more;
      vi.advanceTimersByTime(1_000);
      return given.at(-1);
    });
    expect(told).toEqual([undefined, undefined, 100, 100, 50, 50]);
    expect(given).toEqual([100, 50]);
  });
});
