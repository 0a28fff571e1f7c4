import type { Platform } from './platform.ts';

/** A span of time for which completeness cannot be shown. */
export interface Gap {
  readonly platform: Platform;
  readonly from: Date;
  readonly to: Date;
  readonly cause: string;
  readonly recovered: boolean;
}
