/** The parts and settings of the HTTP server. */
import type { IncomingHttpHeaders } from 'node:http';
import type { TraceContext } from '../base/tracing.ts';
import type { Caller } from '../service/access/caller.ts';
import type { Context } from '../service/context.ts';
import type { ExportFormat } from '../service/matches/export-matches.ts';
import type { OperationName } from '../service/operations.ts';

export interface HttpAppOptions extends ConsoleOptions {
  readonly context: Context;
  /** Requests a minute for one key; undefined when there is no limit. */
  readonly rateLimit: number | undefined;
  /** Requests a minute for all keys of one account; undefined when there is no limit. */
  readonly accountRateLimit: number | undefined;
  readonly trustProxy: readonly string[];
  /** Origins whose pages may call with a key of their own; `*` for all. */
  readonly corsOrigins: readonly string[];
  /** The WebSub hub that feeds name. */
  readonly websubHub?: string | undefined;
  readonly metrics: HttpMetrics;
  /** It is undefined for a process that does other work and answers for its own health alone. */
  readonly agents: AgentEndpoint | undefined;
}

export interface HttpMetrics {
  request(route: string, method: string, status: number, seconds: number): void;
  /** An export has ended; `isWhole` is false when its reader went away, or it failed. */
  exported(format: ExportFormat, sent: { readonly rows: number; readonly bytes: number }, isWhole: boolean): void;
  readonly contentType: string;
  print(): Promise<string>;
}

export interface ConsoleOptions {
  readonly context: Context;
  readonly publicUrl: string | undefined;
  /** The folder of the built console; undefined where there is none. */
  readonly consoleDir: string | undefined;
}

export interface AgentCall {
  readonly name: OperationName;
  readonly input: unknown;
}

/** The tool server for agents, as `/mcp` needs it. */
export interface AgentEndpoint {
  /** Why a request is refused by its headers alone; undefined when it is not. */
  refusal(headers: IncomingHttpHeaders): string | undefined;
  /** The operations behind the tools that a message calls. */
  operationsIn(message: unknown): readonly AgentCall[];
  answer(request: Request, caller: Caller, body: unknown, trace?: TraceContext): Promise<Response>;
  /** Ends every request that is still waiting. */
  close(): Promise<void>;
}
