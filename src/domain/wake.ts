/** When matches may wake their reader. A match that does not wake is held, and is in the next digest. */
export interface WakeContract {
  /** `story`: a story wakes once; its further matches are held. */
  readonly per: WakeUnit;
  /** The most matches that wake in an hour or a day of UTC. */
  readonly atMost?: WakeLimit | undefined;
  /** From 0 to 1: a match of less relevance is held. A match of unknown relevance wakes. */
  readonly minRelevance?: number | undefined;
}

export const WAKE_UNITS = ['match', 'story'] as const;
export type WakeUnit = (typeof WAKE_UNITS)[number];

export interface WakeLimit {
  readonly count: number;
  readonly window: 'hour' | 'day';
}

/** What a contract has come to in one window: an hour or a day of UTC. */
export interface WakeAccount {
  readonly windowFrom: Date;
  readonly wakes: number;
  readonly held: number;
  /** Stories among the matches that woke or were held. A match without a story counts as one. */
  readonly stories: number;
}

/** What is known of a story: whether it woke the reader, and the window (in milliseconds) in which it was last counted. */
export interface WakeStory {
  readonly woke: boolean;
  readonly seen: number;
}

/** `offered`: handed over at least once. `expired`: nobody acknowledged it in time, or every attempt to hand it over has failed. */
export const WAKE_STATES = ['pending', 'offered', 'acknowledged', 'expired'] as const;
export type WakeState = (typeof WAKE_STATES)[number];
