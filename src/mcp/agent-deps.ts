import type { TraceContext } from '../base/tracing.ts';
import type { Caller } from '../service/access/caller.ts';
import type { Context } from '../service/context.ts';

/** The parts of the tool server. */
export interface AgentDeps {
  readonly context: Context;
  /** The page that an agent without these tools begins with. */
  readonly llmsText: () => string;
}

/** One client of the tool server. */
export interface AgentConnection {
  readonly caller: Caller;
  /** Ends every call that is still waiting. */
  readonly signal: AbortSignal;
  /** Whether the protocol can tell this client of changes. */
  readonly canSubscribe: boolean;
  /** Whether matches are pushed into its session. */
  readonly hasChannel?: boolean;
  /** The span of the HTTP request that carries the call, where traces are on. */
  readonly carrier?: TraceContext | undefined;
}
