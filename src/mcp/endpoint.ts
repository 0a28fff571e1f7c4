/**
 * The tool server over HTTP. Every request stands alone: who calls comes from its key, and nothing is kept between two
 * of them, so that any process can answer. The newest revision of the protocol and the older ones are served alike.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { TraceContext } from '../base/tracing.ts';
import type { Caller } from '../service/access/caller.ts';
import type { Context } from '../service/context.ts';
import { ServiceError } from '../service/errors.ts';
import type { AgentDeps } from './agent-deps.ts';
import { INVALID_PARAMS } from './events/wire.ts';
import { type FollowedResources, followResources, listenedUris, subscribeResources } from './resource-updates.ts';
import { createAgentServer } from './server.ts';
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
    async answer(request: Request, caller: Caller, given: unknown, trace?: TraceContext): Promise<Response> {
      const wrong = wrongBatch(given) ?? wrongParams(given);
      if (wrong !== undefined) return wrong;
      const body = withoutCancelled(given);
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

const identified = z.object({ id: z.union([z.string(), z.number()]) });
const asking = identified.extend({ method: z.string() });

/** The library runs both requests that have one id, and answers one of them. */
function wrongBatch(body: unknown): Response | undefined {
  if (!Array.isArray(body)) return undefined;
  if (body.length > MAX_BATCH) return refusedBatch(`A batch has at most ${MAX_BATCH} messages.`);
  const ids = body.flatMap((message) => asking.safeParse(message).data?.id ?? []);
  return new Set(ids).size === ids.length ? undefined : refusedBatch('Two requests of the batch have one id.');
}

const refusedBatch = (message: string): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_600, message } }, { status: 400 });

const noObject = asking.extend({
  params: z.union([z.null(), z.string(), z.number(), z.boolean(), z.array(z.unknown())]),
});

/** The library takes such a message for none at all. What is wrong within an object is told by the server. */
function wrongParams(body: unknown): Response | undefined {
  const read = noObject.safeParse(body);
  if (!read.success) return undefined;
  const error = { code: INVALID_PARAMS, message: '`params` must be an object.' };
  return Response.json({ jsonrpc: '2.0', id: read.data.id, error });
}

const cancellation = z.object({
  method: z.literal('notifications/cancelled'),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
});

/**
 * A batch without the requests that it takes back itself. Nothing answers them, and the library would wait with the end of the
 * answer for them, for ever.
 */
function withoutCancelled(body: unknown): unknown {
  if (!Array.isArray(body)) return body;
  const cancelled = body.flatMap((message) => cancellation.safeParse(message).data?.params.requestId ?? []);
  return body.filter((message) => !cancelled.includes(identified.safeParse(message).data?.id ?? NaN));
}

/** Open subscriptions that one key may have. */
const MAX_SUBSCRIPTIONS = 10;

interface Subscriptions {
  /** A handler of its own tells the caller of its own matches and no others. */
  open(handler: McpHttpHandler, request: Request, caller: Caller, body: unknown): Promise<Response>;
  close(): Promise<void>;
}

/** Until it ends. Then the stream does. */
async function follow(
  context: Context,
  handler: McpHttpHandler,
  caller: Caller,
  to: FollowedResources,
  signal: AbortSignal,
): Promise<void> {
  try {
    await followResources(context, caller, to, signal, ({ uri, _meta }) =>
      handler.bus.publish({ kind: 'resource_updated', uri, params: { _meta } }),
    );
  } catch (error) {
    context.log.info({ err: error }, 'a subscription ended');
  }
  await handler.close();
}

function createSubscriptions(context: Context, stopping: AbortSignal): Subscriptions {
  /** By the id of the key. */
  const keyIds = new Map<McpHttpHandler, string>();

  return {
    async open(handler, request, caller, body) {
      const held = [...keyIds.values()].filter((keyId) => keyId === caller.key.id).length;
      if (held >= MAX_SUBSCRIPTIONS)
        return refused(
          body,
          `This key has ${MAX_SUBSCRIPTIONS} open subscriptions, which is the limit. Close one first.`,
        );
      // Its place is taken before the first wait: requests that come at once share the limit.
      keyIds.set(handler, caller.key.id);
      try {
        const to = await subscribeResources(context, caller, listenedUris(body) ?? []);
        const response = await handler.fetch(request, { parsedBody: body });
        const signal = AbortSignal.any([request.signal, stopping]);
        void follow(context, handler, caller, to, signal).finally(() => keyIds.delete(handler));
        return response;
      } catch (error) {
        keyIds.delete(handler);
        if (error instanceof ServiceError) return refused(body, error.message, INVALID_PARAMS);
        throw error;
      }
    },
    async close() {
      await Promise.all([...keyIds.keys()].map((handler) => handler.close()));
    },
  };
}

const isSubscription = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'method' in body && body.method === 'subscriptions/listen';

function refused(body: unknown, message: string, code = -32_603): Response {
  const { id = null } = body as { id?: string | number | null };
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } });
}

/**
 * Against pages in a browser that reach for a server on the same machine: the Host must be one that we answer to, and
 * an Origin, which programs do not send, must be our own. Without it a name that is made to point here would do.
 */
interface Doors {
  /** The address that is listened on. */
  readonly host: string;
  readonly publicUrl: string | undefined;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const EVERY_ADDRESS = ['0.0.0.0', '::'];

/** Why the request is refused; undefined when it is not. */
export function hostRefusal(headers: { host?: string | undefined; origin?: string | undefined }, doors: Doors) {
  const host = hostnameOf(headers.host ?? '');
  if (host === undefined || !isOurs(host, doors)) {
    return 'This Host is not one that the tool server answers to. SLUICE_PUBLIC_URL sets another.';
  }
  if (headers.origin !== undefined && !isOurOrigin(headers.origin, doors)) {
    return 'Pages of this Origin may not use the tool server.';
  }
  return undefined;
}

function hostnameOf(host: string): string | undefined {
  if (!/^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(host) || !URL.canParse(`http://${host}`)) return undefined;
  return new URL(`http://${host}`).hostname;
}

function isOurs(hostname: string, { host, publicUrl }: Doors): boolean {
  if (LOOPBACK.includes(hostname) || hostname === asHostname(host)) return true;
  if (publicUrl !== undefined && hostname === new URL(publicUrl).hostname) return true;
  // An address cannot be made to point elsewhere; where we listen on all of them, each is ours.
  return EVERY_ADDRESS.includes(host) && isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0;
}

function isOurOrigin(origin: string, doors: Doors): boolean {
  if (!/^https?:\/\/[^/?#@\s]+$/i.test(origin) || !URL.canParse(origin)) return false;
  const { publicUrl } = doors;
  const url = new URL(origin);
  if (publicUrl !== undefined && url.hostname === new URL(publicUrl).hostname) {
    return url.origin === new URL(publicUrl).origin;
  }
  return isOurs(url.hostname, doors);
}

const asHostname = (host: string): string => (host.includes(':') ? `[${host}]` : host.toLowerCase());
