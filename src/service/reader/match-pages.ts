/** Rendered pages of List Matches, kept by account and input until the store changes. */
import type { Clock } from '../../base/clock.ts';
import { createVersionedCache, type VersionedCache } from '../../base/versioned-cache.ts';
import type { Store } from '../../store/store.ts';

/** Bytes of answers that are kept. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** An answer says up to when it is complete, so it is kept for at most a second. */
export function createMatchPages(store: Pick<Store, 'version'>, clock: Clock): VersionedCache<Buffer> {
  const version = async () => `${Math.floor(clock.now().getTime() / 1_000)} ${await store.version()}`;
  return createVersionedCache(version, { limit: KEPT_BYTES, weightOf: ({ length }) => length });
}
