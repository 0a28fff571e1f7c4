/** Erasing posts for all accounts. Streams forget what they keep, on this node at once and on the others before it returns. */
import type { Live } from '../../delivery/live/live.ts';
import type { Platform } from '../../domain/platform.ts';
import type { AnnouncedOptions, Erasure, Store } from '../../store/store.ts';

interface ErasureDeps {
  readonly store: Pick<Store, 'eraseEverywhere' | 'eraseAnnounced'>;
  readonly live: Pick<Live, 'forget'>;
  readonly nodes: { caughtUp(): Promise<void> };
}

export const eraseForAll = async (deps: ErasureDeps, platform: Platform, postId: string): Promise<number> =>
  forgotten(deps, await deps.store.eraseEverywhere(platform, postId));

/** Posts that a platform announced to be deleted. */
export const eraseAnnounced = async (
  deps: ErasureDeps,
  platform: Platform,
  postIds: readonly string[],
  options: AnnouncedOptions = {},
): Promise<number> => forgotten(deps, await deps.store.eraseAnnounced(platform, postIds, options));

async function forgotten({ live, nodes }: ErasureDeps, { matches, accountIds }: Erasure): Promise<number> {
  for (const accountId of accountIds) live.forget(accountId);
  if (accountIds.length > 0) await nodes.caughtUp();
  return matches;
}
