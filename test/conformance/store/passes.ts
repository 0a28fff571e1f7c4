import { expect, it } from 'vitest';
import { PASSES_OF_KEY } from '../../../src/store/nouns/passes.ts';
import type { Pass } from '../../../src/store/store.ts';
import { at, type Open, range } from './stage.ts';

const passOf = (digest: string, change: Partial<Pass> = {}): Pass => ({
  digest,
  accountId: 'acct_1',
  keyId: 'key_1',
  endsAt: at(100),
  usedAt: at(0),
  ...change,
});

export function passCases(open: Open): void {
  it('stands for its key until it ends, and says when it was used', async () => {
    await using store = await open();
    await store.addPass(passOf('one'));
    expect(await store.pass('one', at(99))).toEqual(passOf('one'));
    expect(await store.pass('one', at(100))).toBeUndefined();
    expect(await store.pass('two', at(0))).toBeUndefined();
    await store.usePass('one', at(50));
    expect(await store.pass('one', at(99))).toEqual(passOf('one', { usedAt: at(50) }));
  });

  it('is taken by one of many callers, and by none when it has ended', async () => {
    await using store = await open();
    for (const digest of ['one', 'late']) await store.addPass(passOf(digest));
    const taken = await Promise.all(range(5).map(() => store.takePass('one', at(99))));
    expect(taken.filter((pass) => pass !== undefined)).toEqual([passOf('one')]);
    expect(await store.takePass('late', at(100))).toBeUndefined();
    expect(await store.pass('late', at(0))).toBeUndefined();
    expect(await store.takePass('unknown', at(0))).toBeUndefined();
  });

  it('makes room for a new one of the same key: the one that was used longest ago goes', async () => {
    await using store = await open();
    for (const index of range(PASSES_OF_KEY)) await store.addPass(passOf(`${index}`, { usedAt: at(index) }));
    await store.addPass(passOf('of another key', { keyId: 'key_2', usedAt: at(-1) }));
    await store.usePass('0', at(99));
    await store.addPass(passOf('new', { usedAt: at(99) }));
    const there = async (digest: string) => (await store.pass(digest, at(0))) !== undefined;
    expect([await there('0'), await there('1'), await there('2')]).toEqual([true, false, true]);
    expect([await there('new'), await there('of another key')]).toEqual([true, true]);
  });
}
