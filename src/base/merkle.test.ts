import { describe, expect, it } from 'vitest';
import { plainRoot } from '../../test/stages/plain-merkle.ts';
import {
  appended,
  consistencyProof,
  entryHash,
  inclusionProof,
  type NodePlace,
  treeRoot,
  withNodes,
} from './merkle.ts';

/** A log in memory that counts how often it is read, and how many nodes it gives. */
async function logOf(entries: readonly (string | Buffer)[]) {
  const nodes = new Map<string, Buffer>();
  const counts = { reads: 0, nodes: 0 };
  const read = async (places: readonly NodePlace[]) => {
    counts.reads++;
    counts.nodes += places.length;
    return places.map(({ level, index }) => nodes.get(`${level} ${index}`)!);
  };
  for (const [size, entry] of entries.entries()) {
    const added = await withNodes(read, (node) => appended(size, entryHash(entry), node));
    for (const { level, index, hash } of added) nodes.set(`${level} ${index}`, hash);
  }
  return { read, nodes, counts };
}

/** The entries and roots that implementations of RFC 6962 and RFC 9162 share as test vectors. */
const VECTORS = [
  ['', '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'],
  ['00', 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
  ['10', 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77'],
  ['2021', 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7'],
  ['3031', '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4'],
  ['40414243', '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef'],
  ['5051525354555657', 'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c'],
  ['606162636465666768696a6b6c6d6e6f', '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328'],
] as const;

const hex = (hashes: readonly Buffer[]): string[] => hashes.map((hash) => hash.toString('hex'));

describe('a log', () => {
  it('has the roots of the known test vectors', async () => {
    const { read } = await logOf(VECTORS.map(([entry]) => Buffer.from(entry, 'hex')));
    for (const [at, [, root]] of VECTORS.entries())
      expect((await withNodes(read, (node) => treeRoot(at + 1, node))).toString('hex')).toBe(root);
  });

  it('has the proofs of the known test vectors', async () => {
    const { read } = await logOf(VECTORS.map(([entry]) => Buffer.from(entry, 'hex')));
    expect(hex(await withNodes(read, (node) => inclusionProof(5, 8, node)))).toEqual([
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
    expect(hex(await withNodes(read, (node) => consistencyProof(6, 8, node)))).toEqual([
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
  });

  it('has the root that its definition gives, at every size', async () => {
    const entries = Array.from({ length: 70 }, (_, at) => `certificate ${at}`);
    const { read, nodes } = await logOf(entries);
    for (let size = 0; size <= entries.length; size++)
      expect(hex([await withNodes(read, (node) => treeRoot(size, node))])).toEqual(
        hex([plainRoot(entries.slice(0, size))]),
      );
    expect(nodes.size).toBeLessThan(entries.length * 2);
  });

  it('reads once, and at most two nodes of each level, however large it is', async () => {
    const { read, counts } = await logOf(Array.from({ length: 1_023 }, (_, at) => `certificate ${at}`));
    const works = [
      () => withNodes(read, (node) => treeRoot(999, node)),
      () => withNodes(read, (node) => inclusionProof(500, 999, node)),
      () => withNodes(read, (node) => consistencyProof(333, 999, node)),
      () => withNodes(read, (node) => appended(1_023, entryHash('new'), node)),
    ];
    for (const work of works) {
      Object.assign(counts, { reads: 0, nodes: 0 });
      await work();
      expect(counts.reads).toBe(1);
      expect(counts.nodes).toBeLessThanOrEqual(2 * 10);
    }
  });

  it('has proofs of at most two kilobytes with a billion entries', async () => {
    const read = async (places: readonly NodePlace[]) => places.map(() => entryHash('any'));
    const size = 2 ** 30;
    const proofs = [
      await withNodes(read, (node) => inclusionProof(12_345, size - 1, node)),
      await withNodes(read, (node) => consistencyProof(size / 2 + 1, size - 1, node)),
    ];
    for (const proof of proofs) {
      expect(proof.length).toBeGreaterThan(25);
      const answer = { from: size - 1, to: size, proof: proof.map((hash) => hash.toString('base64url')) };
      expect(JSON.stringify(answer).length).toBeLessThanOrEqual(2_000);
    }
  });
});
