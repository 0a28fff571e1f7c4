/**
 * An append-only log as a Merkle tree (RFC 9162): whoever keeps the root of a size can check later that an entry was in the log,
 * and that a larger log begins with the same entries.
 *
 *     size 5:        root            The nodes of complete subtrees are kept: level 0 has the hashes of entries, a node of
 *                   /    \           level 2 stands for four of them. A root or a proof takes at most two nodes of each level.
 *             (2,0)       (0,4)
 */
import { createHash } from 'node:crypto';

/** The hash of the complete subtree with number `index` among those of 2^level entries. */
export type NodeAt = (level: number, index: number) => Promise<Buffer>;

/** The place of a complete subtree. */
export interface NodePlace {
  readonly level: number;
  readonly index: number;
}

/** A complete subtree that is new with an entry. */
export interface TreeNode extends NodePlace {
  readonly hash: Buffer;
}

const hashOf = (...parts: readonly (Uint8Array | string)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** Entries and inner nodes are hashed apart, so that neither can be taken for the other. */
export const entryHash = (entry: Uint8Array | string): Buffer => hashOf(Uint8Array.of(0), entry);
const parentHash = (left: Uint8Array, right: Uint8Array): Buffer => hashOf(Uint8Array.of(1), left, right);

/**
 * Does work that asks for nodes with one read of all of them: which nodes it asks for depends on numbers alone, so a first pass
 * without hashes tells. `read` answers with the hashes in the order of the places.
 */
export async function withNodes<T>(
  read: (places: readonly NodePlace[]) => Promise<readonly Buffer[]>,
  work: (node: NodeAt) => Promise<T>,
): Promise<T> {
  const places: NodePlace[] = [];
  await work(async (level, index) => {
    places.push({ level, index });
    return Buffer.alloc(0);
  });
  const hashes = await read(places);
  const found = new Map(places.map(({ level, index }, at) => [`${level} ${index}`, hashes[at]!]));
  return work(async (level, index) => found.get(`${level} ${index}`)!);
}

/** The nodes to keep when an entry is appended to a log of `size` entries. */
export async function appended(size: number, entry: Buffer, node: NodeAt): Promise<TreeNode[]> {
  const nodes: TreeNode[] = [{ level: 0, index: size, hash: entry }];
  for (let { level, index, hash } = nodes[0]!; index % 2 === 1; ) {
    hash = parentHash(await node(level, index - 1), hash);
    level++;
    index = (index - 1) / 2;
    nodes.push({ level, index, hash });
  }
  return nodes;
}

export const treeRoot = (size: number, node: NodeAt): Promise<Buffer> =>
  size === 0 ? Promise.resolve(hashOf()) : rangeHash(0, size, node);

/** The hashes that lead from an entry to the root of a log of `size` entries. */
export const inclusionProof = (index: number, size: number, node: NodeAt): Promise<Buffer[]> =>
  pathTo(index, 0, size, node);

async function pathTo(index: number, from: number, to: number, node: NodeAt): Promise<Buffer[]> {
  if (to - from === 1) return [];
  const middle = from + splitOf(to - from);
  return index < middle
    ? [...(await pathTo(index, from, middle, node)), await rangeHash(middle, to, node)]
    : [...(await pathTo(index, middle, to, node)), await rangeHash(from, middle, node)];
}

/** The hashes that show that a log of `size` entries begins with the `first` entries of an earlier one. */
export const consistencyProof = (first: number, size: number, node: NodeAt): Promise<Buffer[]> =>
  first === 0 ? Promise.resolve([]) : pathFrom(first, 0, size, true, node);

/** `isKnown`: the range is the whole of the earlier log, whose root the verifier has. */
async function pathFrom(first: number, from: number, to: number, isKnown: boolean, node: NodeAt): Promise<Buffer[]> {
  if (first === to) return isKnown ? [] : [await rangeHash(from, to, node)];
  const middle = from + splitOf(to - from);
  return first <= middle
    ? [...(await pathFrom(first, from, middle, isKnown, node)), await rangeHash(middle, to, node)]
    : [...(await pathFrom(first, middle, to, false, node)), await rangeHash(from, middle, node)];
}

async function rangeHash(from: number, to: number, node: NodeAt): Promise<Buffer> {
  const size = to - from;
  const half = splitOf(size);
  if (size === 1 || half * 2 === size) return node(Math.log2(size), from / size);
  return parentHash(await rangeHash(from, from + half, node), await rangeHash(from + half, to, node));
}

/** The largest power of two below a size. */
const splitOf = (size: number): number => 2 ** (Math.ceil(Math.log2(size)) - 1);
