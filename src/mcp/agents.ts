import type { Caller } from '../service/access/caller.ts';
import type { Context } from '../service/context.ts';

/** What the tool server is made of. */
export interface Agents {
  readonly context: Context;
  /** The page that an agent without these tools begins with. */
  readonly llmsText: () => string;
}

export interface Connection {
  readonly caller: Caller;
  /** Ends whatever a call is still waiting for. */
  readonly signal: AbortSignal;
  /** Whether the protocol can tell this client of changes. */
  readonly canSubscribe: boolean;
}
