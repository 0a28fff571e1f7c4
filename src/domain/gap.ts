import type { Platform } from './platform.ts';

/** A span of time in which events may be missing. */
export interface Gap {
  readonly platform: Platform;
  readonly from: Date;
  /** It is undefined while the gap lasts. */
  readonly to: Date | undefined;
  readonly cause: string;
  /** Whether the missed events have been fetched since. */
  readonly recovered: boolean;
  /** The account whose rules missed events; every account when it is left out. */
  readonly accountId?: string;
  /** The one rule of the account that missed events. */
  readonly ruleId?: string;
  /** The source whose events are missing. */
  readonly source?: string;
}
