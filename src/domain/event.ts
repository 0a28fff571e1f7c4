import type { Payload } from './match.ts';
import type { Platform } from './platform.ts';

/** One thing that happened, a post or a page, as it reaches the pipeline. */
export interface Event {
  readonly platform: Platform;
  readonly postId: string;
  readonly payload: Payload;
  /** The payload as JSON on one line, where whoever brought it still has it: it need not be made again. */
  readonly json?: string;
  /** Whose rules see it: one account's, when a key of that account pushed it; everybody's when undefined. */
  readonly accountId: string | undefined;
}
