/** A snapshot of the live rules as the store has them. Nothing of the program that serves is touched. */
import { systemClock } from '../../base/clock.ts';
import { PLATFORMS } from '../../domain/platform.ts';
import { changesSince, SNAPSHOT_MARK, type StoredRuleName } from '../../service/cluster/load-rules.ts';
import { createMatching, type Matching } from '../../service/ingest/matching.ts';
import { StoreError } from '../../store/error.ts';
import type { Store } from '../../store/store.ts';
import { openStore, type StoreSettings } from '../open-store.ts';
import { languagesOf, type MeaningSettings, programFingerprint } from './program-fingerprint.ts';
import { openSnapshotFile, SnapshotError, type SnapshotFile, writeSnapshotFile } from './snapshot-file.ts';

export interface SnapshotOrder {
  readonly path: string;
  readonly settings: StoreSettings & MeaningSettings;
  /** The mark of the new snapshot in the log of rule changes, and its number there. */
  readonly token: string;
  readonly position: number;
}

export interface SnapshotMade {
  readonly rules: number;
  /** Whether the snapshot before was of use. */
  readonly isRenewed: boolean;
  readonly unreadable: readonly StoredRuleName[];
}

export async function makeSnapshot({ path, settings, token, position }: SnapshotOrder): Promise<SnapshotMade> {
  await using store = await openStore(settings);
  const fingerprint = programFingerprint(settings);
  const unreadable: StoredRuleName[] = [];
  const matching = createMatching({
    languages: languagesOf(settings),
    clock: systemClock,
    isUpstream: (name) => settings.real.includes(name),
    onUnreadable: ({ id, accountId }) => unreadable.push({ ruleId: id, accountId }),
  });
  const known = await restoreInto(matching, path, store, fingerprint);
  await matching.load(known === undefined ? store.everyRule() : changesSince(store, known));
  await writeSnapshotFile(path, { fingerprint, token, position }, matching.image());
  const rules = Math.max(...PLATFORMS.map((name) => matching.size(name)));
  return { rules, isRenewed: known !== undefined, unreadable };
}

/** The position of the snapshot before; undefined where it is of no use, and nothing is restored. */
async function restoreInto(
  matching: Pick<Matching, 'restore'>,
  path: string,
  store: Store,
  fingerprint: string,
): Promise<number | undefined> {
  try {
    await using before = await fittingSnapshot(path, store, () => fingerprint);
    if (before === undefined) return undefined;
    await matching.restore(before);
    return before.position;
  } catch (error) {
    if (error instanceof StoreError) throw error;
    return undefined;
  }
}

/** Undefined when there is no file. Throws `SnapshotError` when it is damaged, or not one of this store and program. */
export async function fittingSnapshot(
  path: string,
  store: Store,
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
