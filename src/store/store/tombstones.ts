/**
 * Erasure that lasts. A tombstone is a digest of a platform and a post's id, with no text: it refuses the post whenever it
 * comes again, for one account or for all, until nothing could bring the post back.
 */
import type { Platform } from '../../domain/platform.ts';

export interface ErasureStore {
  /**
   * Erases what the account holds of a post, and refuses the post from now on. Nothing that other accounts see changes.
   * Answers how many matches went. The text is off the disk after the next rounds of `removeSlice`.
   */
  deleteMatches(accountId: string, platform: Platform, postId: string): Promise<number>;
  /** The same for all accounts. Not scoped. */
  eraseEverywhere(platform: Platform, postId: string): Promise<Erasure>;
  /**
   * Posts that their platform announced to be deleted, with all their versions, whose ids go on with a slash. A post that
   * is not stored here is refused for the few days in which a source may bring it again. Not scoped.
   */
  eraseAnnounced(platform: Platform, postIds: readonly string[], options?: AnnouncedOptions): Promise<Erasure>;
  /** The tombstones of the digests after one of them, in order, of this many digests, with their key. Not scoped. */
  tombstones(after: string, limit: number): Promise<Tombstones>;
  /** Takes tombstones of an earlier export in. False, and nothing done, when this database has some under another key. */
  addTombstones(tombstones: Tombstones): Promise<boolean>;
  /**
   * Erases what is stored although a tombstone refuses it, in a restored backup: looks at a slice of the events from a
   * number on, and answers where the next slice begins; undefined at the end. Not scoped.
   */
  applyTombstones(from: number): Promise<{ erased: number; next: number | undefined }>;
}

export interface AnnouncedOptions {
  /** Posts that are not stored here are not refused: their platform announces all its deletions, and brings none of them again. */
  readonly onlyStored?: boolean;
}

export interface Erasure {
  readonly matches: number;
  /** Whose matches went. */
  readonly accountIds: readonly string[];
}

export interface Tombstones {
  /** Digests of one key say nothing under another. */
  readonly key: string;
  readonly tombstones: readonly Tombstone[];
}

export interface Tombstone {
  readonly digest: string;
  /** Undefined: it holds for all accounts. */
  readonly accountId: string | undefined;
  readonly until: Date;
}
