/**
 * The tool server over HTTP. Every request stands alone: who calls comes from its key, and nothing is kept between two
 * of them, so that any process can answer. The newest revision of the protocol and the older ones are served alike.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { Caller } from '../service/access/caller.ts';
import type { Agents } from './agents.ts';
import { type Doors, refusalOf } from './guard.ts';
import { beginFollowing, follow } from './notify-subscribers.ts';
import { createAgentServer } from './server.ts';
import { operationsIn } from './tools.ts';

/** Open subscriptions that one key may have. */
const MAX_SUBSCRIPTIONS = 10;

export function createAgentEndpoint(agents: Agents, doors: Doors) {
  const { log } = agents.context;
  const stopping = new AbortController();
  const subscriptions = new Map<McpHttpHandler, string>();

  const handlerFor = (caller: Caller): McpHttpHandler =>
    createMcpHandler(
      ({ era }) => createAgentServer(agents, { caller, signal: stopping.signal, canSubscribe: era === 'modern' }),
      { onerror: (error) => log.info({ reason: error.message }, 'a request to the tool server was refused') },
    );

  /** The answer is a stream that stays open; a handler of its own tells it of this caller's matches and no others. */
  async function subscribe(
    handler: McpHttpHandler,
    request: Request,
    caller: Caller,
    body: unknown,
  ): Promise<Response> {
    const open = [...subscriptions.values()].filter((keyId) => keyId === caller.key.id).length;
    if (open >= MAX_SUBSCRIPTIONS) return refused(body, `A key has at most ${MAX_SUBSCRIPTIONS} subscriptions.`);
    const signal = AbortSignal.any([request.signal, stopping.signal]);
    const from = await beginFollowing(agents.context, caller, signal);
    const response = await handler.fetch(request, { parsedBody: body });
    subscriptions.set(handler, caller.key.id);
    void follow(agents.context, caller, from, signal, (uri) => handler.notify.resourceUpdated(uri))
      .catch((error: unknown) => log.info({ err: error }, 'a subscription ended'))
      .then(() => subscriptions.delete(handler))
      .then(() => handler.close());
    return response;
  }

  return {
    /** Why a request is not even looked at; undefined when it is. */
    refusal: (headers: IncomingHttpHeaders): string | undefined => refusalOf(headers, doors),
    operationsIn,
    answer(request: Request, caller: Caller, body: unknown): Promise<Response> {
      const handler = handlerFor(caller);
      return isSubscription(body)
        ? subscribe(handler, request, caller, body)
        : handler.fetch(request, { ...(body !== undefined && { parsedBody: body }) });
    },
    /** Ends whatever is still waiting. */
    async close(): Promise<void> {
      stopping.abort();
      await Promise.all([...subscriptions.keys()].map((handler) => handler.close()));
    },
  };
}

const isSubscription = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'method' in body && body.method === 'subscriptions/listen';

function refused(body: unknown, message: string): Response {
  const { id = null } = body as { id?: string | number | null };
  return Response.json({ jsonrpc: '2.0', id, error: { code: -32_603, message } });
}
