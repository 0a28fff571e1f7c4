import type { Change } from './change.ts';

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
