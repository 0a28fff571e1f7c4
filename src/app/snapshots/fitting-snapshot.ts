/** Whether a snapshot is one of this store and this program. */
import { SNAPSHOT_MARK } from '../../service/cluster/load-rules.ts';
import type { Store } from '../../store/store.ts';
import { openSnapshotFile, SnapshotError, type SnapshotFile } from './snapshot-file.ts';

/**
 * Returns undefined when there is no file. Throws `SnapshotError` when it is damaged, or not one of this store and
 * program.
 */
export async function fittingSnapshot(
  path: string,
  store: Pick<Store, 'ruleChanges'>,
  fingerprint: () => string,
): Promise<SnapshotFile | undefined> {
  const file = await openSnapshotFile(path);
  if (file === undefined) return undefined;
  try {
    if (file.fingerprint !== fingerprint()) throw new SnapshotError('another version of the program has made it');
    // A log that has dropped the mark, one of another store or of an older state of this store does not have it there.
    const [marked] = await store.ruleChanges(file.position - 1, 1);
    if (marked?.number !== file.position || marked.ruleId !== SNAPSHOT_MARK + file.token)
      throw new SnapshotError('it is not one of this database');
    return file;
  } catch (error) {
    await file[Symbol.asyncDispose]();
    throw error;
  }
}
