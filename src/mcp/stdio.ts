/** The tool server over standard input and output, for the one program that started us. Nothing else is written there. */
import type { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Caller } from '../service/access/caller.ts';
import type { AgentDeps } from './agent-deps.ts';
import { beginFollowing, followMatches } from './notify-subscribers.ts';
import { createAgentServer } from './server.ts';

export function serveAgentStdio(agents: AgentDeps, caller: Caller): AsyncDisposable {
  const { log } = agents.context;
  const stopping = new AbortController();
  const handle = serveStdio(
    ({ era }) => {
      const ended = new AbortController();
      const signal = AbortSignal.any([stopping.signal, ended.signal]);
      const server = createAgentServer(agents, { caller, signal, canSubscribe: true });
      Object.assign(server.server, { onclose: () => ended.abort() });
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
