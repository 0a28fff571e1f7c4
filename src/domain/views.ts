/** The things that a shared feed lists. */
export const FEED_CONTENTS = ['matches', 'stories'] as const;

/** Matches or stories for feed readers, at an address that is a secret. It rests while its rule is deleted, and ends with it. */
export interface SharedFeed {
  readonly id: string;
  readonly accountId: string;
  /** It is undefined for a feed of all rules of the account. */
  readonly ruleId: string | undefined;
  readonly contents: (typeof FEED_CONTENTS)[number];
  /** The title that readers see. */
  readonly name: string;
  /** How the text of an entry is written. Undefined: as it is. */
  readonly template?: string | undefined;
  readonly createdAt: Date;
}

/** A filter of matches that people come back to. */
export interface MatchView {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** The query string of the page of matches in the console. */
  readonly query: string;
  readonly createdAt: Date;
}
