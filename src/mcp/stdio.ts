/** The tool server over standard input and output, for the one program that started us. Nothing else is written there. */
import type { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Caller } from '../service/access/caller.ts';
import { operations } from '../service/operations.ts';
import { perform } from '../service/perform/perform.ts';
import type { AgentDeps } from './agent-deps.ts';
import { type ChannelOptions, runChannel } from './channel.ts';
import { CHANNEL_METHOD } from './channel-event.ts';
import { beginFollowing, followMatches } from './notify-subscribers.ts';
import { createAgentServer } from './server.ts';

/** `owner` keeps the record of its wakes; the session may be allowed less. */
type OwnChannel = ChannelOptions & { readonly owner: Caller };

export function serveAgentStdio(agents: AgentDeps, caller: Caller, channel?: OwnChannel): AsyncDisposable {
  const { context } = agents;
  const { log } = context;
  const stopping = new AbortController();
  const openChannel = (options: OwnChannel, { server }: McpServer, signal: AbortSignal) =>
    void runChannel(
      options,
      {
        call: (name, input, ended) =>
          perform(context, operations[name], options.owner, input, { idempotencyKey: undefined, signal: ended }),
        ping: async () => void (await server.ping()),
        push: ({ content, meta }) => void server.notification({ method: CHANNEL_METHOD, params: { content, meta } }),
      },
      signal,
    ).catch((error: unknown) => log.warn({ err: error }, 'the channel ended'));
  const handle = serveStdio(
    ({ era }) => {
      const ended = new AbortController();
      // Channels are of the older revisions: what is pushed before the handshake ends would be lost.
      const hasChannel = channel !== undefined && era === 'legacy';
      const signal = AbortSignal.any([stopping.signal, ended.signal]);
      const server = createAgentServer(agents, { caller, signal, canSubscribe: true, hasChannel });
      Object.assign(server.server, { onclose: () => ended.abort() });
      if (hasChannel) Object.assign(server.server, { oninitialized: () => openChannel(channel, server, signal) });
      // The newest revision keeps subscriptions itself and passes on only what was asked for.
      const wanted = era === 'legacy' ? keepSubscriptions(server) : undefined;
      void tellOfMatches(agents, caller, signal, (uri) => {
        if (wanted?.has(uri) !== false) void server.server.sendResourceUpdated({ uri });
      }).catch((error: unknown) => log.warn({ err: error }, 'subscriptions ended'));
      return server;
    },
    { onerror: (error) => log.info({ reason: error.message }, 'a message was refused') },
  );
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await handle.close();
    },
  };
}

async function tellOfMatches(
  { context }: AgentDeps,
  caller: Caller,
  signal: AbortSignal,
  tell: (uri: string) => void,
): Promise<void> {
  await followMatches(context, caller, await beginFollowing(context, caller, signal), signal, tell);
}

function keepSubscriptions({ server }: McpServer): ReadonlySet<string> {
  const wanted = new Set<string>();
  server.setRequestHandler('resources/subscribe', ({ params }) => {
    wanted.add(params.uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    wanted.delete(params.uri);
    return {};
  });
  return wanted;
}
