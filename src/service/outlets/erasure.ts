/** Erasing posts for all accounts. Streams forget what they keep, on this node at once and on the others before it returns. */
import type { Clock } from '../../base/clock.ts';
import { newId } from '../../base/ids.ts';
import type { Live } from '../../delivery/live/live.ts';
import type { Platform } from '../../domain/platform.ts';
import type { AnnouncedOptions, Erasure, ErasureNote, Store } from '../../store/store.ts';
import { SYSTEM } from '../access/change-notes.ts';

interface ErasureDeps {
  readonly store: Pick<Store, 'eraseEverywhere' | 'eraseAnnounced'>;
  readonly live: Pick<Live, 'forget'>;
  readonly nodes: { caughtUp(): Promise<void> };
}

export const eraseForAll = async (
  deps: ErasureDeps,
  platform: Platform,
  postId: string,
  note: ErasureNote,
  sameText = false,
): Promise<number> => forgotten(deps, await deps.store.eraseEverywhere(platform, postId, note, sameText));

/** Posts that a platform announced to be deleted. */
export const eraseAnnounced = async (
  deps: ErasureDeps & { readonly clock: Clock },
  platform: Platform,
  postIds: readonly string[],
  options: Pick<AnnouncedOptions, 'onlyStored'> = {},
): Promise<number> => {
  const note = { id: newId('ers', deps.clock.now()), by: SYSTEM };
  return forgotten(deps, await deps.store.eraseAnnounced(platform, postIds, { ...options, note }));
};

async function forgotten({ live, nodes }: ErasureDeps, { matches, accountIds }: Erasure): Promise<number> {
  for (const accountId of accountIds) live.forget(accountId);
  if (accountIds.length > 0) await nodes.caughtUp();
  return matches;
}
