/** From a request to an operation and back: admit the caller, read the input, run, answer. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Caller } from '../service/access/caller.ts';
import type { Context } from '../service/context.ts';
import { ServiceError } from '../service/errors.ts';
import { listMatchesText } from '../service/operations/matches.ts';
import type { Access, Operation, RequestInfo } from '../service/operations/operation.ts';
import { type OperationName, operations } from '../service/operations/operations.ts';
import { allow, perform, performStream } from '../service/operations/perform.ts';
import type { Auth } from './auth.ts';
import { BODY_LIMIT, EVENTS_LIMIT } from './body.ts';
import { unreadable } from './errors.ts';
import { type Limiter, limitHeaders } from './rate-limit.ts';
import { ROUTES, readRoute } from './routes.ts';
import { sendJson } from './send.ts';
import type { SessionCookie } from './session-cookie.ts';

/** What stands before every operation. */
export interface Gate {
  readonly auth: Auth;
  readonly limiter: Limiter | undefined;
  readonly cookie: SessionCookie;
}

export function addOperation(app: FastifyInstance, name: OperationName, context: Context, gate: Gate): void {
  const operation: Operation = operations[name];
  const { methods, path } = readRoute(ROUTES[name]);
  const callers = new WeakMap<FastifyRequest, Caller>();
  const run = runnerOf(name, context);
  app.route({
    method: methods,
    url: path,
    bodyLimit: operation.ndjson === undefined ? BODY_LIMIT : EVENTS_LIMIT,
    // Before the body is read: a stranger's megabytes are not worth looking at.
    onRequest: async (request, reply) => {
      const calling = name === 'createSession' ? gate.auth.visitor(request) : gate.auth.caller(request);
      callers.set(request, await admit(gate, operation.access, request, reply, calling));
    },
    handler: async (request, reply) => {
      const body = await run(callers.get(request)!, request, reply);
      if (name === 'createSession') reply.header('Set-Cookie', gate.cookie.of(body as string));
      if (body instanceof Readable) return reply.type('application/json; charset=utf-8').send(body);
      sendJson(request, reply, body);
    },
  });
}

type Run = (caller: Caller, request: FastifyRequest, reply: FastifyReply) => Promise<string | Readable>;

function runnerOf(name: OperationName, context: Context): Run {
  const operation: Operation = operations[name];
  const { stream } = operation;
  if (name === 'listMatches')
    return (caller, { raw, body }, reply) => matchesAsText(context, caller, body, requestInfo(raw, reply.raw));
  if (stream === undefined)
    return async (caller, request, reply) =>
      JSON.stringify(
        await perform(context, operation, caller, rawInput(operation, request), requestInfo(request.raw, reply.raw)),
      );
  return async (caller, request) =>
    streamed(stream.property, performStream(context, { ...operation, stream }, caller, rawInput(operation, request)));
}

const listMatchesAsText = { ...operations.listMatches, run: listMatchesText };

/** List Matches without a detour over objects. */
export const matchesAsText = async (context: Context, caller: Caller, input: unknown, info: RequestInfo) =>
  (await perform(context, listMatchesAsText, caller, input, info)) as string;

/** Who is calling, if they may and have not called too often. */
export async function admit(
  gate: Gate,
  access: Access,
  request: FastifyRequest,
  reply: FastifyReply,
  calling = gate.auth.caller(request),
): Promise<Caller> {
  const caller = await calling;
  if (gate.limiter !== undefined) {
    const taken = gate.limiter.take(caller.key.id);
    reply.headers(limitHeaders(gate.limiter, taken));
    if (!taken.allowed) {
      throw new ServiceError('resource_exhausted', 'Too many requests with this key.', {
        retryAfter: taken.retryAfter,
      });
    }
  }
  allow(access, caller);
  return caller;
}

function rawInput(operation: Operation, request: FastifyRequest): unknown {
  const query = request.query as Record<string, unknown>;
  if (operation.ndjson !== undefined) return { ...query, [operation.ndjson]: request.body ?? '' };
  if (request.method !== 'POST') return query;
  // Where there is nothing to say, nothing at all is as good as an empty object.
  if (request.body === undefined && !takesNothing(operation))
    throw unreadable('The body is empty; a JSON object is expected.');
  return request.body ?? {};
}

const takesNothing = ({ input }: Operation): boolean =>
  input instanceof z.ZodObject && Object.keys(input.shape).length === 0;

export function requestInfo({ headers }: IncomingMessage, response: ServerResponse): RequestInfo {
  const controller = new AbortController();
  // An abort costs an error with its stack; only a caller that went away early is worth one.
  response.once('close', () => response.writableFinished || controller.abort());
  return { idempotencyKey: idempotencyKey(headers['idempotency-key']), signal: controller.signal };
}

function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || header.length < 1 || header.length > 255) {
    throw unreadable('The Idempotency-Key header must have 1 to 255 characters.');
  }
  return header;
}

/** One array as JSON text, slice by slice. The first is awaited here, so that what fails at once fails as an answer. */
async function streamed(property: string, slices: AsyncIterable<readonly unknown[]>): Promise<Readable> {
  const iterator = slices[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* text() {
    let separator = `{${JSON.stringify(property)}:[`;
    for (let step = first; step.done !== true; step = await iterator.next()) {
      if (step.value.length === 0) continue;
      yield `${separator}${step.value.map((one) => JSON.stringify(one)).join(',')}`;
      separator = ',';
    }
    yield separator === ',' ? ']}' : `${separator}]}`;
  }
  return Readable.from(text());
}
