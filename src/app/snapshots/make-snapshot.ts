/** A snapshot of the live rules as the store has them. Nothing of the program that serves is touched. */
import { systemClock } from '../../base/clock.ts';
import { PLATFORMS } from '../../domain/platform.ts';
import { changesSince, type StoredRuleName } from '../../service/cluster/load-rules.ts';
import { MATCHED } from '../../service/ingest/live-rule.ts';
import { createMatching, type Matching } from '../../service/ingest/matching.ts';
import { StoreError } from '../../store/error.ts';
import { openReadView } from '../../store/read-view.ts';
import type { Store } from '../../store/store.ts';
import { languagesOf, type MeaningSettings, programFingerprint } from './program-fingerprint.ts';
import { fittingSnapshot, writeSnapshotFile } from './snapshot-file.ts';

export interface SnapshotOrder {
  readonly path: string;
  readonly settings: { readonly storeUrl: string } & MeaningSettings;
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
  await using store = await openReadView(settings.storeUrl);
  const fingerprint = programFingerprint(settings);
  const unreadable: StoredRuleName[] = [];
  const matching = createMatching({
    languages: languagesOf(settings),
    clock: systemClock,
    isUpstream: (name) => settings.real.includes(name),
    onUnreadable: ({ id, accountId }) => unreadable.push({ ruleId: id, accountId }),
  });
  const known = await restoreInto(matching, path, store, fingerprint);
  if (known === undefined) await matching.fill(store.everyText(MATCHED));
  else await matching.load(changesSince(store, known));
  await writeSnapshotFile(path, { fingerprint, token, position }, matching.image());
  const rules = Math.max(...PLATFORMS.map((name) => matching.size(name)));
  return { rules, isRenewed: known !== undefined, unreadable };
}

/** The position of the snapshot before; undefined where it is of no use, and nothing is restored. */
async function restoreInto(
  matching: Pick<Matching, 'restore'>,
  path: string,
  store: Pick<Store, 'ruleChanges'>,
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
