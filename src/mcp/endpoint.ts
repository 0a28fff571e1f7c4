/**
 * The tool server over HTTP. Every request stands alone: who calls comes from its key, and nothing is kept between two
 * of them, so that any process can answer. The newest revision of the protocol and the older ones are served alike.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { TraceContext } from '../base/tracing.ts';
import type { Caller } from '../service/access/caller.ts';
import type { AgentDeps } from './agent-deps.ts';
import { type Doors, hostRefusal } from './guard.ts';
import { wrongParams } from './params.ts';
import { createAgentServer } from './server.ts';
import { createSubscriptions, isSubscription } from './subscriptions.ts';
import { operationsIn } from './tools.ts';

/** Messages of one batch, which only the revision 2025-03-26 has. The library answers all of them in one turn of the event loop. */
const MAX_BATCH = 10;

export function createAgentEndpoint(agents: AgentDeps, doors: Doors) {
  const { log } = agents.context;
  const stopping = new AbortController();
  const subscriptions = createSubscriptions(agents.context, stopping.signal);

  const handlerFor = (caller: Caller, carrier: TraceContext | undefined): McpHttpHandler =>
    createMcpHandler(
      ({ era }) =>
        createAgentServer(agents, { caller, signal: stopping.signal, canSubscribe: era === 'modern', carrier }),
      { onerror: (error) => log.info({ reason: error.message }, 'a request to the tool server was refused') },
    );

  return {
    /** Why a request is refused by its headers alone; undefined when it is not. */
    refusal: (headers: IncomingHttpHeaders): string | undefined => hostRefusal(headers, doors),
    operationsIn,
    async answer(request: Request, caller: Caller, body: unknown, trace?: TraceContext): Promise<Response> {
      if (Array.isArray(body) && body.length > MAX_BATCH) return tooLong();
      const refused = wrongParams(body);
      if (refused !== undefined) return refused;
      const handler = handlerFor(caller, trace);
      return isSubscription(body)
        ? subscriptions.open(handler, request, caller, body)
        : handler.fetch(request, { ...(body !== undefined && { parsedBody: body }) });
    },
    /** Ends every request that is still waiting. */
    async close(): Promise<void> {
      stopping.abort();
      await subscriptions.close();
    },
  };
}

const tooLong = (): Response =>
  Response.json(
    { jsonrpc: '2.0', id: null, error: { code: -32_600, message: `A batch has at most ${MAX_BATCH} messages.` } },
    { status: 400 },
  );
