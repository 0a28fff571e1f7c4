import type { Platform } from './platform.ts';

/**
 * The feeds that bring events to a platform, or vouch for them: the stream of an upstream, an open source, pushes, the
 * demo; `audit` is the comparison of what an upstream holds with what it should hold.
 */
const FEED_KINDS = ['stream', 'source', 'push', 'demo', 'audit'] as const;

/** The last report on a feed. A feed that reports no more is not known to work. */
export interface FeedState {
  readonly platform: Platform;
  readonly kind: (typeof FEED_KINDS)[number];
  /** The name of a source; the account that pushes, empty where pushes reach every account; empty for the rest. */
  readonly name: string;
  /** In the words of the kind, such as `live`. */
  readonly state: string;
  readonly reason: string | undefined;
  /** Everything up to then has come. */
  readonly through: Date | undefined;
  /** When it was first reported; of a source, how far it was complete when that was first known. */
  readonly since: Date;
  /** When it was last reported. */
  readonly at: Date;
}
