/** The log of certificates. */
import { expect, it } from 'vitest';
import { entryHash, treeRoot, withNodes } from '../../../src/base/merkle.ts';
import type { Store } from '../../../src/store/store.ts';
import { plainRoot } from '../../stages/plain-merkle.ts';
import { at, type Open, range } from './stage.ts';

const nameOf = (number: number): string => `certificate ${number}`;
const hashOf = (number: number): string => entryHash(nameOf(number)).toString('base64url');

const rootAt = async (store: Store, size: number): Promise<string> =>
  (await withNodes(store.certificateNodes, (node) => treeRoot(size, node))).toString('hex');

export function certificateLogCases(open: Open): void {
  it('begins empty, and gives each certificate the next index', async () => {
    await using store = await open();
    expect(await store.certificateLogEnd()).toEqual({ size: 0, at: undefined });
    for (const number of range(5)) expect(await store.logCertificate(hashOf(number), at(number))).toBe(number);
    expect(await store.certificateLogEnd()).toEqual({ size: 5, at: at(4) });
    expect(await store.loggedCertificates(1, 2)).toEqual([
      { hash: hashOf(1), at: at(1) },
      { hash: hashOf(2), at: at(2) },
    ]);
    expect(await store.loggedCertificates(5, 2)).toEqual([]);
    expect([await store.certificateIndex(hashOf(3)), await store.certificateIndex(hashOf(9))]).toEqual([3, undefined]);
  });

  it('has a certificate once, at the place that it was given first', async () => {
    await using store = await open();
    for (const number of [0, 1, 2]) await store.logCertificate(hashOf(number), at(0));
    expect(await store.logCertificate(hashOf(1), at(9))).toBe(1);
    expect(await store.certificateLogEnd()).toEqual({ size: 3, at: at(0) });
  });

  it('keeps the nodes that every root is made of', async () => {
    await using store = await open();
    for (const number of range(21)) await store.logCertificate(hashOf(number), at(0));
    for (const size of range(22))
      expect(await rootAt(store, size)).toBe(plainRoot(range(size).map(nameOf)).toString('hex'));
  });

  it('takes those that come at once one after another', async () => {
    await using store = await open();
    const places = await Promise.all(range(40).map((number) => store.logCertificate(hashOf(number), at(0))));
    expect(places.toSorted((one, other) => one - other)).toEqual(range(40));
    const names = range(40).toSorted((one, other) => places[one]! - places[other]!);
    expect(await rootAt(store, 40)).toBe(plainRoot(names.map(nameOf)).toString('hex'));
  });

  it('says that it was damaged when a node is missing', async () => {
    await using store = await open();
    await store.logCertificate(hashOf(0), at(0));
    await expect(store.certificateNodes([{ level: 3, index: 0 }])).rejects.toThrow('it was damaged');
  });
}
