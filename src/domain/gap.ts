import type { Platform } from './platform.ts';

/** A span of time for which completeness cannot be shown. */
export interface Gap {
  readonly platform: Platform;
  readonly from: Date;
  /** Undefined while it lasts. */
  readonly to: Date | undefined;
  readonly cause: string;
  /** What was missed has been fetched since. */
  readonly recovered: boolean;
}
