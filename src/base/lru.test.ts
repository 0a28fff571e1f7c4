import { describe, expect, it } from 'vitest';
import { createLru } from './lru.ts';

describe('an LRU cache', () => {
  it('lets go of what was not read for longest', () => {
    const cache = createLru<string, number>({ limit: 2 });
    cache.set('a', 1);
    cache.set('b', 2);
    expect(cache.get('a')).toBe(1);
    cache.set('c', 3);
    expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([1, undefined, 3]);
  });

  it('counts by weight, and an entry that is set again once', () => {
    const cache = createLru<string, string>({ limit: 10, weightOf: (text) => text.length });
    for (let time = 0; time < 100; time++) cache.set('a', 'xxxx');
    cache.set('b', 'yyyy');
    expect([cache.weight, cache.size]).toEqual([8, 2]);
    cache.set('a', 'xxxxxxxx');
    expect([cache.get('a'), cache.get('b'), cache.weight]).toEqual(['xxxxxxxx', undefined, 8]);
  });

  it('does not keep what is heavier than the limit, nor the old value of its key', () => {
    const cache = createLru<string, string>({ limit: 3, weightOf: (text) => text.length });
    cache.set('a', 'x');
    cache.set('a', 'xxxx');
    expect([cache.get('a'), cache.weight, cache.size]).toEqual([undefined, 0, 0]);
  });

  it('forgets one entry, or all of them', () => {
    const cache = createLru<string, number>({ limit: 5 });
    cache.set('a', 1);
    cache.set('b', 2);
    cache.delete('a');
    cache.delete('never there');
    expect([cache.get('a'), cache.size, cache.weight]).toEqual([undefined, 1, 1]);
    cache.clear();
    expect([cache.size, cache.weight]).toEqual([0, 0]);
  });
});
