import { describe, expect, it } from 'vitest';
import { createPendingLooks } from './pending-looks.ts';

async function stage() {
  const looked: (string[] | 'all')[] = [];
  const failures: unknown[] = [];
  let gate = Promise.withResolvers<void>();
  const looks = createPendingLooks(
    async (only) => {
      looked.push(only === undefined ? 'all' : [...only]);
      await gate.promise;
    },
    (error) => void failures.push(error),
  );
  const open = (failure?: Error) => {
    const now = gate;
    gate = Promise.withResolvers();
    if (failure === undefined) now.resolve();
    else now.reject(failure);
  };
  return { looks, looked, failures, open };
}

describe('looks at accounts', () => {
  it('are one at a time, and all that is asked for meanwhile is one look', async () => {
    const { looks, looked, open } = await stage();
    const first = looks.ask(['a']);
    await Promise.resolve();
    const later = [looks.ask(['b']), looks.ask(['c']), looks.ask(['b'])];
    expect(looked).toEqual([['a']]);
    open();
    await first;
    open();
    await Promise.all(later);
    expect(looked).toEqual([['a'], ['b', 'c']]);
  });

  it('are of all accounts when one asked for all', async () => {
    const { looks, looked, open } = await stage();
    void looks.ask(['a']);
    void looks.ask();
    void looks.ask(['b']);
    await Promise.resolve();
    open();
    await looks.idle();
    expect(looked).toEqual(['all']);
  });

  it('go on after one that failed', async () => {
    const { looks, looked, failures, open } = await stage();
    const first = looks.ask(['a']);
    await Promise.resolve();
    open(new Error('no store'));
    await first;
    const second = looks.ask(['b']);
    await Promise.resolve();
    open();
    await second;
    expect([looked, failures]).toEqual([[['a'], ['b']], [new Error('no store')]]);
  });
});
