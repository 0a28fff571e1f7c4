/** The snapshot of one node for the others on its store: what one has made, the next to start need not make again. */
import { open, rename, rm } from 'node:fs/promises';
import type { Store } from '../../store/store.ts';

const PIECE = 1024 * 1024;
/** A larger one is kept by each node for itself. A million rules take 160 MB. */
const MOST_PIECES = 512;

type SnapshotShelf = Pick<Store, 'ruleSnapshot' | 'ruleSnapshotPiece' | 'addRuleSnapshotPiece' | 'keepRuleSnapshot'>;

/** Answers whether the others can have it. */
export async function shareSnapshot(store: SnapshotShelf, path: string, token: string): Promise<boolean> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  const pieces = Math.ceil(size / PIECE);
  if (pieces > MOST_PIECES) return false;
  for (let number = 0; number < pieces; number++) {
    const bytes = new Uint8Array(Math.min(PIECE, size - number * PIECE));
    await file.read(bytes, 0, bytes.length, number * PIECE);
    await store.addRuleSnapshotPiece(token, number, bytes);
  }
  return store.keepRuleSnapshot({ token, pieces });
}

/** Puts the one of another node in the place of the file. Answers whether it is still there. Whether it fits and is whole, its reader sees. */
export async function fetchSnapshot(
  store: SnapshotShelf,
  kept: { readonly token: string; readonly pieces: number },
  path: string,
): Promise<boolean> {
  const unfinished = `${path}.new`;
  await rm(unfinished, { force: true });
  try {
    await using file = await open(unfinished, 'wx', 0o600);
    for (let number = 0; number < kept.pieces; number++) {
      const bytes = await store.ruleSnapshotPiece(kept.token, number);
      if (bytes === undefined) return false;
      await file.writeFile(bytes);
    }
    await rename(unfinished, path);
    return true;
  } finally {
    await rm(unfinished, { force: true });
  }
}
