import type { Payload } from './match.ts';
import type { Platform } from './platform.ts';

/** A post or a page as it enters the pipeline. */
export interface Event {
  readonly platform: Platform;
  readonly postId: string;
  readonly payload: Payload;
  /** The payload as JSON on one line, if the caller still has that text: then it need not be serialised again. */
  readonly json?: string;
  /** The account whose key pushed the event: only its rules see the event. Undefined: the rules of all accounts do. */
  readonly accountId: string | undefined;
  /** The origin of the event: a source by its name, `push`, `demo`, or an upstream by its platform. */
  readonly source?: string | undefined;
}
