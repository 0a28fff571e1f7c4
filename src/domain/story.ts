import type { Match, StoredMatch } from './match.ts';
import type { Platform } from './platform.ts';

/** The story that several matches of an account tell, on any platform and by any source. */
export interface StoredStory {
  readonly id: string;
  /** How many matches it has. */
  readonly size: number;
  /** The match that began it. */
  readonly began: StoredMatch;
  /** The first of the matches that are asked about: of one rule, or on one platform. */
  readonly first: StoredMatch;
  readonly lastAt: Date;
  readonly platforms: readonly Platform[];
  readonly sources: readonly string[];
  readonly ruleIds: readonly string[];
}

/** A story as it is given out. */
export interface Story extends StoredStory {
  readonly first: Match;
}
