import { afterEach, describe, expect, it, vi } from 'vitest';
import { runSteps } from '../../bin/steps.mjs';

afterEach(() => vi.useRealTimers());

function screen(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, written, write: (text: string) => written.push(text) };
}

describe('steps of a long work', () => {
  it('are told on a terminal in one line each, which counts the seconds', async () => {
    vi.useFakeTimers();
    const output = screen(true);
    const told = runSteps([{ title: 'installing', run: () => vi.advanceTimersByTimeAsync(2_000) }], { output });
    await told;
    expect(output.written).toEqual([
      '\r\x1b[2Ksluice: step 1 of 1: installing, 0 s',
      '\r\x1b[2Ksluice: step 1 of 1: installing, 1 s',
      '\r\x1b[2Ksluice: step 1 of 1: installing, 2 s',
      '\r\x1b[2Ksluice: step 1 of 1: installing, done in 2 s\n',
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are told elsewhere in plain lines, and a silent one is not counted', async () => {
    const output = screen(false);
    const done: string[] = [];
    await runSteps(
      [
        { title: 'one', run: async () => void done.push('one') },
        { run: async () => void done.push('silent') },
        { title: 'two', run: async () => void done.push('two') },
      ],
      { output, now: () => 0 },
    );
    expect(done).toEqual(['one', 'silent', 'two']);
    expect(output.written).toEqual([
      'sluice: step 1 of 2: one\n',
      'sluice: step 1 of 2: one, done in 0 s\n',
      'sluice: step 2 of 2: two\n',
      'sluice: step 2 of 2: two, done in 0 s\n',
    ]);
  });

  it('end with the first that fails', async () => {
    const output = screen(false);
    const failing = { title: 'one', run: () => Promise.reject(new Error('no network')) };
    const never = { title: 'two', run: () => Promise.reject(new Error('reached')) };
    await expect(runSteps([failing, never], { output, now: () => 0 })).rejects.toThrow('no network');
    expect(output.written.at(-1)).toBe('sluice: step 1 of 2: one, failed after 0 s\n');
  });
});
