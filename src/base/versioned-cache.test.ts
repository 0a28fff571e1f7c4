import { describe, expect, it } from 'vitest';
import { createVersionedCache } from './versioned-cache.ts';

function setUp(limit = 100) {
  const store = { version: 'a', reads: 0 };
  const cache = createVersionedCache<string>(async () => store.version, { limit, weightOf: ({ length }) => length });
  const ask = (name: string) => cache.get(name, async () => `${name}${++store.reads}`);
  return { store, cache, ask };
}

describe('a versioned cache', () => {
  it('reads a name once while nothing changes', async () => {
    const { ask } = setUp();
    expect([await ask('x'), await ask('x'), await ask('y'), await ask('x')]).toEqual(['x1', 'x1', 'y2', 'x1']);
  });

  it('reads again after a change', async () => {
    const { store, ask } = setUp();
    await ask('x');
    store.version = 'b';
    expect(await ask('x')).toBe('x2');
  });

  it('does not keep what was read before a change under the version after it', async () => {
    const { store, cache, ask } = setUp();
    const { promise: old, resolve } = Promise.withResolvers<string>();
    const first = cache.get('key', () => old);
    await new Promise(setImmediate);
    // The key is revoked while the first request still reads it, and a second request sees the new version.
    store.version = 'b';
    await ask('other');
    resolve('works');
    expect(await first).toBe('works');
    expect(await ask('key')).toBe('key2');
  });

  it('reads once for callers that ask at the same time, and counts the value once', async () => {
    const { store, ask } = setUp(5);
    expect(await Promise.all(Array.from({ length: 100 }, () => ask('xx')))).toEqual(Array(100).fill('xx1'));
    expect([await ask('xx'), store.reads]).toEqual(['xx1', 1]);
  });

  it('asks for the version once for all that came while it was asked before, and never answers with one from before', async () => {
    const asked: ((version: string) => void)[] = [];
    const cache = createVersionedCache<number>(() => new Promise((resolve) => void asked.push(resolve)), {
      limit: 10,
      weightOf: () => 1,
    });
    let reads = 0;
    const ask = () => cache.get('key', async () => ++reads);
    const first = ask();
    const later = [ask(), ask(), ask()];
    expect(asked.length).toBe(1);
    asked[0]!('a');
    expect(await first).toBe(1);
    await new Promise(setImmediate);
    expect(asked.length).toBe(2);
    asked[1]!('b');
    expect(await Promise.all(later)).toEqual([2, 2, 2]);
    expect(asked.length).toBe(2);
  });

  it('holds no more than its limit, and no failure', async () => {
    const { cache, ask } = setUp(5);
    expect([await ask('xx'), await ask('yy'), await ask('xx'), await ask('yyyyy')]).toEqual([
      'xx1',
      'yy2',
      'xx3',
      'yyyyy4',
    ]);
    expect(await ask('yyyyy')).toBe('yyyyy5');
    await expect(cache.get('f', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await ask('f')).toBe('f6');
  });
});
