/** Failures as results: what is wrong, the corrected rule where one is known, and what to do next. */
import {
  type CallToolResult,
  type JSONRPCMessage,
  type McpServer,
  ProtocolError,
  type Transport,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { createTurns } from '../base/cooperate.ts';
import type { Context } from '../service/context.ts';
import { asServiceError, type ErrorCode, type Issue, ServiceError } from '../service/errors.ts';
import { INVALID_PARAMS } from './events/wire.ts';

const MAX_ISSUES = 10;

const NEXT: Readonly<Record<ErrorCode, string>> = {
  invalid_argument: 'Correct what is listed and call again. check_rule tries a rule without creating it.',
  failed_precondition: 'Call status to see the state of the platforms.',
  unauthenticated: 'The key no longer works. Tell the person you work for; do not try other keys.',
  permission_denied: 'This key or plan does not allow it. Tell the person you work for; do not look for a way around.',
  not_found: 'Call list_rules or list_matches to see what exists; ids are never guessed.',
  unimplemented: 'Use another tool.',
  already_exists: 'Use another idempotency_key, or repeat the first request unchanged.',
  resource_exhausted: 'Wait, then call again.',
  internal: 'This is not your mistake. Try once more; then tell the person you work for.',
  unavailable: 'Wait a few seconds, then call again.',
  deadline_exceeded: 'Wait a few seconds, then call again.',
};

export function errorResult(error: ServiceError): CallToolResult {
  const issues = issueLines(error);
  const what = issues.length === 0 ? error.message : 'this must be put right.';
  const lines = [`${error.code}: ${what}`, ...issues, `Next: ${nextOf(error)}`];
  return { isError: true, content: [{ type: 'text', text: lines.join('\n') }] };
}

function issueLines({ details }: ServiceError): string[] {
  const issues = (details['issues'] ?? []) as readonly Issue[];
  const lines = issues.slice(0, MAX_ISSUES).map(({ path, message, position }) => {
    const place = position === undefined ? '' : ` (characters ${position.start} to ${position.end})`;
    return `- ${position === undefined ? message : `${path}: ${message}`}${place}`;
  });
  if (issues.length > MAX_ISSUES) lines.push(`- and ${issues.length - MAX_ISSUES} more`);
  const corrected = new Set(
    issues.flatMap(({ path, fixes = [] }) =>
      fixes.map(({ value, meaning }) => `Corrected ${path}: ${value} (${meaning})`),
    ),
  );
  return [...lines, ...corrected];
}

function nextOf({ code, details, retryAfter }: ServiceError): string {
  if (details['reason'] === 'cursor_expired') {
    return 'Call list_matches without a cursor, then go on from its cursor. What lay between is no longer kept.';
  }
  if (details['platform'] === 'x' && code === 'resource_exhausted') {
    return 'Delete a rule that is no longer needed, watch on firehose instead, or ask the person for a higher limit.';
  }
  const wait = retryAfter === undefined ? '' : ` Wait ${Math.ceil(retryAfter)} s first.`;
  return `${NEXT[code]}${wait}`;
}

/** A defect: its message stays with us. */
export const defect = (): ServiceError => new ServiceError('internal', 'Something went wrong on our side.');

/** How the library refuses a tool that this caller does not have. A model reads results, and not every client shows it errors. */
const NOT_FOUND = /\bTool (\w+) not found/;

/** Mistakes that a sentence names. */
const MAX_NAMED = 3;

const checks = z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })).min(1);

/**
 * Says what is wrong with the parameters of a request in a sentence. The library sends the JSON of its own checks, and calls them
 * an internal error, which a client may take for one of ours and try again.
 */
export function withPlainErrors(server: McpServer, whyMissing: (tool: string) => string | undefined): McpServer {
  const connect = server.server.connect.bind(server.server);
  Object.assign(server.server, {
    connect(transport: Transport): Promise<void> {
      const send = transport.send.bind(transport);
      transport.send = (message, options) => send(plain(message, whyMissing), options);
      return connect(transport);
    },
  });
  return server;
}

function plain(message: JSONRPCMessage, whyMissing: (tool: string) => string | undefined): JSONRPCMessage {
  if (!('error' in message)) return message;
  const reason = whyMissing(NOT_FOUND.exec(message.error.message)?.[1] ?? '');
  if (reason !== undefined && message.id !== undefined) {
    const result = errorResult(new ServiceError('permission_denied', reason));
    // The newest revision asks for the type, and the others let it pass.
    return { jsonrpc: '2.0', id: message.id, result: { ...result, resultType: 'complete' } };
  }
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

/** One way to answer the requests of agents: each in its turn, and each failure as a `ServiceError`. */

/** One message may ask for many things at once: each gets a turn of the event loop, so that others are answered in between. */
const oneATurn = createTurns(1);

/** `refuse` tells the agent what went wrong. A defect is logged under the name of what was asked for. */
export async function answerRequest<T>(
  { log }: Pick<Context, 'log'>,
  asked: string,
  work: () => Promise<T>,
  refuse: (error: ServiceError) => T,
): Promise<T> {
  await oneATurn(1);
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const known = asServiceError(error);
    if (known instanceof ServiceError) return refuse(known);
    log.error({ err: error, asked }, 'A request of an agent failed.');
    return refuse(defect());
  }
}
