import type { Match } from './match.ts';
import type { Platform } from './platform.ts';

/** What several matches of an account tell, on any platform and by any source. */
export interface Story {
  readonly id: string;
  /** How many matches it has. */
  readonly size: number;
  readonly first: Match;
  readonly lastAt: Date;
  readonly platforms: readonly Platform[];
  readonly sources: readonly string[];
  readonly ruleIds: readonly string[];
}
