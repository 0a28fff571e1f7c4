import type { Platform } from './platform.ts';

/** The held matches, as they are written. All of them are counted; the newest stories are listed. */
export interface Digest {
  /** List Matches with these two has all that was held. */
  readonly since: string;
  readonly until: string;
  readonly match_count: number;
  readonly story_count: number;
  /** The newest ones. */
  readonly stories: readonly DigestStory[];
}

export interface DigestStory {
  readonly story_id: string | null;
  /** The title of one of its matches; empty when none of them has one. */
  readonly title: string;
  readonly url: string | null;
  /** Held matches of the story. */
  readonly size: number;
  readonly first_at: string;
  readonly last_at: string;
  readonly platforms: readonly Platform[];
  /** Authors and sites. */
  readonly by: readonly string[];
  readonly rules: readonly { readonly id: string; readonly name: string }[];
  /** Addresses of further matches. */
  readonly links: readonly string[];
  /** The newest of its matches. */
  readonly match_ids: readonly string[];
  /** The silences that held some of its matches. */
  readonly silenced_by?: readonly string[];
}
