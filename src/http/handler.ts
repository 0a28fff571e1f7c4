/** From a request to an operation and back: admit the caller, read the input, run, answer. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Caller } from '../service/access/caller.ts';
import type { Context } from '../service/context.ts';
import { type OperationName, operations, writers } from '../service/operations.ts';
import type { Operation, RequestInfo } from '../service/perform/operation.ts';
import { perform, performAsText, performStream } from '../service/perform/perform.ts';
import { type Admission, admit } from './admission.ts';
import { BODY_LIMIT, EVENTS_LIMIT } from './body.ts';
import { unreadable } from './errors.ts';
import { traceOf } from './request-spans.ts';
import { COSTS, ROUTES, readRoute } from './routes.ts';
import { goneSignal, sendJson } from './send.ts';

export function addOperation(app: FastifyInstance, name: OperationName, context: Context, admission: Admission): void {
  const operation: Operation = operations[name];
  const { auth, cookie } = admission;
  const { methods, path } = readRoute(ROUTES[name]);
  const callers = new WeakMap<FastifyRequest, Caller>();
  const run = runnerOf(name, context);
  app.route({
    method: methods,
    url: path,
    bodyLimit: operation.ndjson === undefined ? BODY_LIMIT : EVENTS_LIMIT,
    // Before the body is read: the megabytes of a caller without a key are not read at all.
    onRequest: async (request, reply) => {
      const calling = callerOf(auth, name, request);
      callers.set(request, await admit(admission, { ...operation, cost: COSTS[name] }, request, reply, calling));
    },
    handler: async (request, reply) => {
      const caller = callers.get(request)!;
      const body = await run(caller, request, reply);
      if (name === 'createSession') reply.header('Set-Cookie', cookie.of(body as string));
      if (body instanceof Readable) return reply.type('application/json; charset=utf-8').send(body);
      sendJson(request, reply, body);
    },
  });
}

function callerOf(auth: Admission['auth'], name: OperationName, request: FastifyRequest): Promise<Caller> {
  if (name === 'createSession') return auth.visitor(request);
  const { ack } = request.query as Record<string, unknown>;
  return name === 'pushEvents' && ack === 'log' ? auth.callerWithoutStore(request) : auth.caller(request);
}

type Run = (caller: Caller, request: FastifyRequest, reply: FastifyReply) => Promise<string | Buffer | Readable>;

function runnerOf(name: OperationName, context: Context): Run {
  const operation: Operation = operations[name];
  const { stream } = operation;
  const write = writers[name];
  if (write !== undefined)
    return async (caller, request, reply) =>
      // A writer answers the text itself.
      (await perform(
        context,
        { ...operation, run: write },
        caller,
        rawInput(operation, request),
        requestInfo(request, reply.raw),
      )) as Buffer;
  if (stream === undefined)
    return async (caller, request, reply) =>
      performAsText(context, operation, caller, rawInput(operation, request), requestInfo(request, reply.raw));
  return async (caller, request, reply) => {
    const [input, info] = [rawInput(operation, request), requestInfo(request, reply.raw)];
    return streamed(stream.property, performStream(context, { ...operation, stream }, caller, input, info));
  };
}

function rawInput(operation: Operation, request: FastifyRequest): unknown {
  const query = request.query as Record<string, unknown>;
  // The lines go beside the input, as they came.
  if (operation.ndjson !== undefined) return { ...query, [operation.ndjson]: '' };
  if (request.method !== 'POST') return query;
  // An operation that needs no input accepts an empty body.
  if (request.body === undefined && !takesNothing(operation.input) && operation.stream === undefined)
    throw unreadable('The body is empty; a JSON object is expected.');
  return request.body ?? {};
}

export const takesNothing = (input: z.ZodType): boolean =>
  input instanceof z.ZodObject && Object.keys(input.shape).length === 0;

function requestInfo({ raw: request, body }: FastifyRequest, response: ServerResponse): RequestInfo {
  let signal: AbortSignal | undefined;
  return {
    idempotencyKey: idempotencyKey(request.headers['idempotency-key']),
    // Most operations never look at it, and it costs as much as a short one.
    get signal() {
      signal ??= goneSignal(response);
      return signal;
    },
    trace: traceOf(request),
    ...(Buffer.isBuffer(body) && { lines: body }),
  };
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
