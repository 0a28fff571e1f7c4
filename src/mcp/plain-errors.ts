/**
 * What is wrong with the parameters of a request, in a sentence. The library sends the JSON of its own checks, and calls them
 * an internal error, which a client may take for one of ours and try again.
 */
import type { JSONRPCMessage, McpServer, Transport } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { INVALID_PARAMS } from './events/wire.ts';

/** Mistakes that a sentence names. */
const MAX_NAMED = 3;

const checks = z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })).min(1);

export function withPlainErrors(server: McpServer): McpServer {
  const connect = server.server.connect.bind(server.server);
  Object.assign(server.server, {
    connect(transport: Transport): Promise<void> {
      const send = transport.send.bind(transport);
      transport.send = (message, options) => send(plain(message), options);
      return connect(transport);
    },
  });
  return server;
}

function plain(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message)) return message;
  const found = checksIn(message.error.message);
  return found === undefined ? message : { ...message, error: { code: INVALID_PARAMS, message: sentenceOf(found) } };
}

/** A text may stand before them. */
function checksIn(message: string): z.output<typeof checks> | undefined {
  try {
    return checks.safeParse(JSON.parse(message.slice(message.indexOf('[')))).data;
  } catch {
    return undefined;
  }
}

function sentenceOf(found: z.output<typeof checks>): string {
  const named = found.slice(0, MAX_NAMED).map(({ path, message }) => {
    const reason = message.replace(/^Invalid (?:input|option)(?:: )?/, '');
    return `\`${path.join('.').slice(0, 200)}\`${reason === '' ? '' : ` (${reason})`}`;
  });
  const others = found.length > MAX_NAMED ? ` and ${found.length - MAX_NAMED} more` : '';
  return `These parameters are wrong: ${named.join(', ')}${others}.`;
}
