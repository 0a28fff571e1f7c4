/** Feeds of matches at secret addresses. The store knows a digest of each secret. */
import type { Change } from '../../domain/change.ts';
import type { SharedFeed } from '../../domain/shared-feed.ts';

export interface SharedFeedStore {
  /** False, and nothing stored, when the rule is gone by now; `full` when the account has as many feeds as the limit says. */
  addSharedFeed(feed: SharedFeed, digest: string, note?: Change, limit?: number): Promise<boolean | 'full'>;
  /** Of an account, oldest first. */
  sharedFeeds(accountId: string): Promise<SharedFeed[]>;
  /** Not scoped: who knows the secret may read the feed. */
  sharedFeedByDigest(digest: string): Promise<SharedFeed | undefined>;
  /** The address works no more; false when there was no such feed. */
  deleteSharedFeed(accountId: string, feedId: string, note?: Change): Promise<boolean>;
}
