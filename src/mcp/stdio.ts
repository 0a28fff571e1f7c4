/** The tool server over standard input and output, for the one program that started us. Nothing else is written there. */
import type { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Caller } from '../service/access/caller.ts';
import { operations } from '../service/operations.ts';
import { perform } from '../service/perform/perform.ts';
import type { AgentDeps } from './agent-deps.ts';
import { type ChannelOptions, runChannel } from './channel.ts';
import { CHANNEL_METHOD } from './channel-event.ts';
import { createAgentServer } from './server.ts';
import { createStdioSubscriptions } from './stdio-subscriptions.ts';

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
  const transport = new StdioServerTransport();
  const subscriptions = createStdioSubscriptions(context, caller, stopping.signal);
  const handle = serveStdio(
    ({ era }) => {
      const ended = new AbortController();
      // Channels are of the older revisions: what is pushed before the handshake ends would be lost.
      const hasChannel = channel !== undefined && era === 'legacy';
      const signal = AbortSignal.any([stopping.signal, ended.signal]);
      const server = createAgentServer(agents, { caller, signal, canSubscribe: true, hasChannel });
      Object.assign(server.server, { onclose: () => ended.abort() });
      if (hasChannel) Object.assign(server.server, { oninitialized: () => openChannel(channel, server, signal) });
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
