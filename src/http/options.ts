/** What the HTTP server is made from. */
import type { Context } from '../service/context.ts';
import type { ConsoleOptions } from './console.ts';
import type { AgentEndpoint } from './mcp-route.ts';

export interface HttpOptions extends ConsoleOptions {
  readonly context: Context;
  /** Requests a minute for one key; undefined when there is no limit. */
  readonly rateLimit: number | undefined;
  /** Requests a minute for all keys of one account; undefined when there is no limit. */
  readonly accountRateLimit: number | undefined;
  readonly trustProxy: readonly string[];
  /** Why matching is not complete or the store not writable; empty when all is well. */
  notReady(): readonly string[];
  /** False for a process that does other work: it answers for its own health alone. */
  readonly hasApi: boolean;
  readonly metrics: HttpMetrics;
  readonly agents: AgentEndpoint;
}

export interface HttpMetrics {
  request(route: string, method: string, status: number, seconds: number): void;
  readonly contentType: string;
  print(): Promise<string>;
}
