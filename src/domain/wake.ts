import type { Change } from './change.ts';
import type { Platform } from './platform.ts';

/** When matches may wake their reader. A match that does not wake is held, and is in the next digest. */
export interface WakeContract {
  /** `story`: a story wakes once; its further matches are held. */
  readonly per: WakeUnit;
  /** The most matches that wake in an hour or a day of UTC. */
  readonly atMost?: WakeLimit | undefined;
  /** From 0 to 1: a match of less relevance is held. A match of unknown relevance wakes. */
  readonly minRelevance?: number | undefined;
  /** Nothing wakes in these hours, and no digest goes out. */
  readonly quiet?: QuietHours | undefined;
  /** When held matches are told. Undefined: at the end of the hour or day of UTC. */
  readonly digest?: DigestTerms | undefined;
  /** While this rule is open, matches of others are held: for an hour after each of its matches. */
  readonly unless?: string | undefined;
  readonly when?: WakeTerms | undefined;
}

/** The conditions over several matches under which the last of them wakes. Times are in milliseconds. */
export interface WakeTerms {
  /** So many matches within the time. */
  readonly count?: number | undefined;
  /** So many different ones. */
  readonly distinct?: 'author' | 'site' | 'source' | undefined;
  readonly within?: number | undefined;
  /** A match of this rule came first, within the time. */
  readonly after?: string | undefined;
  /** No match of this rule follows within the time: what matches is decided when that is over. */
  readonly without?: string | undefined;
  /** No other match came for this time. */
  readonly quietFor?: number | undefined;
}

export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

/** From one time to another, such as 22:00 and 07:00, as clocks in the time zone show them. */
export interface QuietHours {
  readonly from: string;
  /** `24:00` is the end of the day. */
  readonly to: string;
  readonly zone: string;
  /** The days on which quiet hours begin. Undefined: every day. */
  readonly days?: readonly (typeof WEEKDAYS)[number][] | undefined;
}

interface DigestTerms {
  /** Every day at this time of the zone. */
  readonly at?: string | undefined;
  readonly zone?: string | undefined;
  /** As soon as so many matches wait. */
  readonly whenWaiting?: number | undefined;
}

export const WAKE_UNITS = ['match', 'story'] as const;
type WakeUnit = (typeof WAKE_UNITS)[number];

interface WakeLimit {
  readonly count: number;
  readonly window: 'hour' | 'day';
}

/** The counts of a contract in one window: an hour or a day of UTC. */
export interface WakeAccount {
  readonly windowFrom: Date;
  readonly wakes: number;
  readonly held: number;
  /** Stories among the matches that woke or were held. A match without a story counts as one. */
  readonly stories: number;
  /** The matches that wait for the digest due at a time in milliseconds. Kept for contracts that count them. */
  readonly waiting?: { readonly dueAt: number; readonly count: number } | undefined;
  /** The memory of terms over several matches, by the times at which matches were stored. It outlasts the window. */
  readonly memory?:
    | {
        /** The matches that count so far: their times, and the key by which they are told apart. */
        readonly recent?: readonly (readonly [time: number, key: string])[];
        /** The last match of the rule that comes first. */
        readonly firstAt?: number;
        /** The last match of the rule that keeps others from waking. */
        readonly openedAt?: number;
        /** The last match that could have woken. */
        readonly lastAt?: number;
      }
    | undefined;
}

/** The state of a story: whether it woke the reader, and the window (in milliseconds) in which it was last counted. */
export interface WakeStory {
  readonly woke: boolean;
  readonly seen: number;
}

/** `offered`: handed over at least once. `expired`: nobody acknowledged it in time, or every attempt to hand it over has failed. */
export const WAKE_STATES = ['pending', 'offered', 'acknowledged', 'expired'] as const;
export type WakeState = (typeof WAKE_STATES)[number];

/** While it holds, matches that it covers wake nobody. A match is covered when everything that the silence names holds of it. */
export interface Silence {
  readonly id: string;
  readonly accountId: string;
  readonly ruleIds?: readonly string[] | undefined;
  /** The sources that brought the event. */
  readonly sourceIds?: readonly string[] | undefined;
  readonly storyId?: string | undefined;
  /** The name of an author, or the host of a site. */
  readonly author?: string | undefined;
  /** A part of the text, whatever its case. */
  readonly text?: string | undefined;
  readonly until: Date;
  readonly reason: string;
  readonly createdAt: Date;
  readonly by: Change['by'];
}

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
