/** A feed before it is written in one of its formats. Texts are by strangers, without hidden characters. */
export interface FeedDocument {
  /** A URN, which never changes. */
  readonly id: string;
  readonly title: string;
  /** This page of the feed. */
  readonly self: string;
  /** The page with older entries. */
  readonly next: string | undefined;
  /** A WebSub hub that passes the feed on. */
  readonly hub: string | undefined;
  readonly updated: Date;
  /** Newest first. */
  readonly entries: readonly SyndicatedEntry[];
}

export interface SyndicatedEntry {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** The text with markup, where the feed has a template. */
  readonly html?: string | undefined;
  /** An http or https address. */
  readonly link: string | undefined;
  readonly author: string | undefined;
  readonly published: Date;
  readonly updated: Date;
  /** The platform. */
  readonly category: string;
}

export const FEED_FORMATS = ['atom', 'rss', 'json'] as const;
export type FeedFormat = (typeof FEED_FORMATS)[number];

/** The name of the program that made the feed. */
export const GENERATOR = 'Sluice';
