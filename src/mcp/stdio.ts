/** The tool server over standard input and output, for the one program that started us. Nothing else is written there. */
import { type McpServer, ProtocolError, type Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import type { Caller } from '../service/access/caller.ts';
import type { Context } from '../service/context.ts';
import { ServiceError } from '../service/errors.ts';
import { operations } from '../service/operations.ts';
import { perform } from '../service/perform/perform.ts';
import type { AgentDeps } from './agent-deps.ts';
import { CHANNEL_METHOD, type ChannelOptions, runChannel } from './channel.ts';
import { defect } from './errors.ts';
import { INVALID_PARAMS } from './events/wire.ts';
import {
  followResources,
  listenedUris,
  type ResourceUpdate,
  subscribeResources,
  unsubscribeResource,
} from './resource-updates.ts';
import { createAgentServer } from './server.ts';

/** `owner` keeps the record of its wakes; the session may be allowed less. */
type OwnChannel = ChannelOptions & { readonly owner: Caller };

export function serveAgentStdio(
  agents: AgentDeps,
  caller: Caller,
  channel?: OwnChannel,
  transport: Transport = new StdioServerTransport(),
): AsyncDisposable {
  const { context } = agents;
  const { log } = context;
  const stopping = new AbortController();
  const subscriptions = createStdioSubscriptions(context, caller, stopping.signal);
  const handle = serveStdio(
    ({ era }) => {
      const ended = new AbortController();
      // Channels are of the older revisions: what is pushed before the handshake ends would be lost.
      const hasChannel = channel !== undefined && era === 'legacy';
      const signal = AbortSignal.any([stopping.signal, ended.signal]);
      const server = createAgentServer(agents, { caller, signal, canSubscribe: true, hasChannel });
      Object.assign(server.server, { onclose: () => ended.abort() });
      if (hasChannel)
        Object.assign(server.server, { oninitialized: () => openChannel(context, channel, server, signal) });
      subscriptions.serve(server, era);
      return server;
    },
    { transport, onerror: (error) => log.info({ reason: error.message }, 'a message was refused') },
  );
  subscriptions.watch(transport);
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await handle.close();
    },
  };
}

function openChannel(context: Context, channel: OwnChannel, { server }: McpServer, signal: AbortSignal): void {
  runChannel(
    channel,
    {
      call: (name, input, ended) =>
        perform(context, operations[name], channel.owner, input, { idempotencyKey: undefined, signal: ended }),
      ping: async () => void (await server.ping()),
      push: ({ content, meta }) => void server.notification({ method: CHANNEL_METHOD, params: { content, meta } }),
    },
    signal,
  ).catch((error: unknown) => context.log.warn({ err: error }, 'the channel ended'));
}

const identified = z.object({ id: z.union([z.string(), z.number()]) });
const cancellation = z.object({
  method: z.literal('notifications/cancelled'),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
});

type Key = string | number;

/** Follows resources for the client, by the address or by the request that asked for several. */
function createFollowers(context: Context, caller: Caller, stopping: AbortSignal) {
  const following = new Map<Key, AbortController>();
  const end = (key: Key): void => {
    following.get(key)?.abort();
    following.delete(key);
  };
  return {
    end,
    /** Answers why it is refused. */
    async begin(
      key: Key,
      uris: readonly string[],
      tell: (update: ResourceUpdate) => void,
    ): Promise<string | undefined> {
      try {
        const resources = await subscribeResources(context, caller, uris);
        end(key);
        const ended = new AbortController();
        following.set(key, ended);
        followResources(context, caller, resources, AbortSignal.any([stopping, ended.signal]), tell).catch(
          (error: unknown) => context.log.warn({ err: error }, 'a subscription ended'),
        );
        return undefined;
      } catch (error) {
        if (error instanceof ServiceError) return error.message;
        context.log.error({ err: error }, 'a subscription failed');
        return defect().message;
      }
    },
  };
}

/**
 * Subscriptions to resources over standard input and output. Older clients ask for one resource after the other. Of the newest
 * revision the library keeps the subscriptions and passes on what was asked for, so we read what a client asks it for.
 */
function createStdioSubscriptions(context: Context, caller: Caller, stopping: AbortSignal) {
  const followers = createFollowers(context, caller, stopping);
  let telling: McpServer['server'] | undefined;
  const tell = (update: ResourceUpdate) => void telling?.sendResourceUpdated(update);

  async function drop(uri: string): Promise<void> {
    followers.end(uri);
    await unsubscribeResource(context, caller, uri);
  }

  /** The message is passed on unless it asks for what is not there. */
  async function look(message: unknown, transport: Transport, pass: () => void): Promise<void> {
    const cancelled = cancellation.safeParse(message).data;
    if (cancelled !== undefined) followers.end(cancelled.params.requestId);
    const uris = listenedUris(message);
    const { id } = identified.safeParse(message).data ?? {};
    if (uris === undefined || id === undefined) return pass();
    const refusal = await followers.begin(id, uris, tell);
    if (refusal === undefined) return pass();
    await transport.send({ jsonrpc: '2.0', id, error: { code: INVALID_PARAMS, message: refusal } });
  }

  return {
    /** A server was made for the client. */
    serve({ server }: McpServer, era: 'legacy' | 'modern'): void {
      telling = server;
      const inTurn = <T>(work: () => Promise<T>): Promise<T> => context.locks.run('subscriptions of stdio', work);
      const begin = (uri: string) => inTurn(() => followers.begin(uri, [uri], tell));
      if (era === 'legacy') takeSubscriptions(server, begin, (uri) => inTurn(() => drop(uri)));
    },
    /** Reads along from now on, one message after the other: what takes a subscription back must come behind it. */
    watch(transport: Transport): void {
      const { onmessage: pass } = transport;
      const onmessage: typeof pass = (message) =>
        void context.locks.run('messages of stdio', () => look(message, transport, () => pass?.(message)));
      Object.assign(transport, { onmessage });
    },
  };
}

/** As clients before the newest revision ask. `begin` answers why it refuses. */
function takeSubscriptions(
  server: McpServer['server'],
  begin: (uri: string) => Promise<string | undefined>,
  drop: (uri: string) => Promise<void>,
): void {
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    const refusal = await begin(uri);
    if (refusal !== undefined) throw new ProtocolError(INVALID_PARAMS, refusal);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
    await drop(uri);
    return {};
  });
}
