import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { randomFrom } from '../../bench/random.ts';
import { createLru } from './lru.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

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

  it('holds nothing of what it let go, however often others are read in between', async () => {
    const cache = createLru<string, object>({ limit: 100 });
    cache.set('kept', {});
    const gone = new WeakRef({});
    cache.set('gone', gone.deref()!);
    for (let time = 0; time < 1_000; time++) cache.get('kept');
    cache.delete('gone');
    // The object that a callback has got from a WeakRef stays until the callback ends.
    await setImmediate();
    collectGarbage();
    expect(gone.deref()).toBeUndefined();
    expect(cache.size).toBe(1);
  });

  it('keeps to its order, whatever is read, set, deleted and cleared in between', () => {
    const cache = createLru<number, number>({ limit: 5 });
    let model: number[] = [];
    const expectRead = (key: number) => expect(cache.get(key)).toBe(model.includes(key) ? key : undefined);
    const random = randomFrom(7);
    for (let step = 0; step < 5_000; step++) {
      const key = Math.floor(random() * 9);
      const choice = random();
      const others = model.filter((one) => one !== key);
      if (choice < 0.45) {
        expectRead(key);
        if (model.includes(key)) model = [...others, key];
      } else if (choice < 0.9) {
        cache.set(key, key);
        model = [...others, key].slice(-5);
      } else if (choice < 0.999) {
        cache.delete(key);
        model = others;
      } else {
        cache.clear();
        model = [];
      }
      expect(cache.size).toBe(model.length);
    }
    expect(model.length).toBeGreaterThan(0);
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
