import { describe, expect, it } from 'vitest';
import { createKept } from './versioned-cache.ts';

function setUp(most = 100) {
  const store = { version: 'a', made: 0 };
  const kept = createKept<string>(async () => store.version, { most, weigh: ({ length }) => length });
  const ask = (name: string) => kept.of(name, async () => `${name}${++store.made}`);
  return { store, kept, ask };
}

describe('what is kept', () => {
  it('is made once while nothing changes, each under its name', async () => {
    const { ask } = setUp();
    expect([await ask('x'), await ask('x'), await ask('y'), await ask('x')]).toEqual(['x1', 'x1', 'y2', 'x1']);
  });

  it('is made anew after a change, also one that came while it was made', async () => {
    const { store, kept, ask } = setUp();
    await ask('x');
    store.version = 'b';
    expect(await ask('x')).toBe('x2');
    await kept.of('z', async () => {
      store.version = 'c';
      return 'seen during the change';
    });
    expect(await ask('z')).toBe('z3');
  });

  it('takes no more room than it may, and a failure is not kept', async () => {
    const { kept, ask } = setUp(5);
    expect([await ask('xx'), await ask('yy'), await ask('xx'), await ask('yy')]).toEqual(['xx1', 'yy2', 'xx1', 'yy3']);
    await expect(kept.of('f', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await ask('f')).toBe('f4');
  });
});
