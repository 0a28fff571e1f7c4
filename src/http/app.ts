/**
 * The HTTP server: thin adapters over the service's operations, the pages that need no key, and one error shape for
 * everything that fails. What a request means is decided in `src/service`; nothing here knows a rule from a match.
 */
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type FastifyBodyParser, type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Context } from '../service/context.ts';
import type { OperationName } from '../service/operations/operations.ts';
import { type AgentEndpoint, addAgents } from './agents.ts';
import { createAuth } from './auth.ts';
import { BODY_LIMIT, readJsonBody, readLines } from './body.ts';
import * as connections from './connections.ts';
import { addConsole, type ConsoleOptions } from './console.ts';
import { failureOf, isDefect, RequestError, unreadable } from './errors.ts';
import { addOperation, type Gate } from './handler.ts';
import { addPages, addProbes } from './pages.ts';
import { createLimiter, requestPolicy } from './rate-limit.ts';
import { requestId } from './request-id.ts';
import { ROUTES } from './routes.ts';
import { withHeaders } from './send.ts';
import { sessionCookie } from './session-cookie.ts';
import { withShortcut } from './shortcut.ts';
import { addStream } from './stream.ts';

export interface HttpOptions extends ConsoleOptions {
  readonly context: Context;
  /** Requests a minute a key; undefined when there is no limit. */
  readonly rateLimit: number | undefined;
  readonly trustProxy: readonly string[];
  /** Why matching is not complete or the store not writable; empty when all is well. */
  notReady(): readonly string[];
  /** False for a process that does other work: it answers for its own health alone. */
  readonly hasApi: boolean;
  readonly metrics: HttpMetrics;
  readonly agents: AgentEndpoint;
}

export interface HttpMetrics {
  request(route: string, method: string, status: number, seconds: number): void;
  readonly contentType: string;
  print(): Promise<string>;
}

export async function createHttp(options: HttpOptions): Promise<FastifyInstance> {
  const gate = createGate(options);
  const app = createServer(options, gate);
  addAnswers(app, options);
  addProbes(app, options, gate);
  if (options.hasApi) await addApi(app, options, gate);
  return app;
}

async function addApi(app: FastifyInstance, options: HttpOptions, gate: Gate): Promise<void> {
  const add = (names: readonly OperationName[], types: string[], read: BodyReader) =>
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(types, { parseAs: 'buffer' }, read);
      for (const name of names) addOperation(scope, name, options.context, gate);
    });
  app.removeAllContentTypeParsers();
  const json = 'application/json';
  const names = Object.keys(ROUTES) as OperationName[];
  await add(
    names.filter((name) => name !== 'pushEvents'),
    [json],
    jsonBody,
  );
  await add(['pushEvents'], ['application/x-ndjson', 'application/ndjson'], (_: FastifyRequest, body: Buffer) =>
    readLines(body),
  );
  await addAgents(app, options.agents, gate);
  addStream(app, options.context, gate);
  addPages(app, options);
  addConsole(app, options, gate);
}

type BodyReader = FastifyBodyParser<Buffer>;

const jsonBody = (_: FastifyRequest, body: Buffer, done: (error: Error | null, body?: unknown) => void): void => {
  try {
    done(null, readJsonBody(body));
  } catch (error) {
    done(error as Error);
  }
};

function createServer(options: HttpOptions, gate: Gate): FastifyInstance {
  const { trustProxy, hasApi } = options;
  const behindProxy = trustProxy.length > 0;
  const sockets = connections.watchSockets();
  const app = fastify({
    bodyLimit: BODY_LIMIT,
    serverFactory(framework) {
      const onClose = ({ socket }: IncomingMessage) => sockets.onResponse(socket);
      const listener = hasApi ? withShortcut(framework, options, gate, onClose) : framework;
      return createHttpServer(connections.serverLimits(behindProxy), listener);
    },
    trustProxy: behindProxy ? [...trustProxy] : false,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    clientErrorHandler: (error, socket) => sockets.onError(error, socket),
    // These come before any hook.
    frameworkErrors(error, request, reply) {
      reply.raw.once('close', () => sockets.onResponse(request.raw.socket));
      answer(error, withHeaders(request, reply));
    },
    // Requests that are under way when the server stops are finished, those on open connections too.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  });
  connections.guardConnections(app.server, { behindProxy });
  app.server.on('request', ({ socket }) => sockets.onRequest(socket));
  app.addHook('onResponse', (request, _, done) => {
    sockets.onResponse(request.raw.socket);
    done();
  });
  app.addHook('preClose', async () => sockets.stop());
  return app;
}

/** What is true of every answer, and of every failure. */
function addAnswers(app: FastifyInstance, { context, metrics }: HttpOptions): void {
  const methods = methodsByPath(app);
  // These run for every request: a callback costs a fraction of what a promise costs here.
  app.addHook('onRequest', (request, _, done) => done(refusalOf(request, methods)));
  app.addHook('onSend', (request, reply, payload, done) => {
    withHeaders(request, reply);
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    metrics.request(request.routeOptions.url ?? 'none', request.method, reply.raw.statusCode, reply.elapsedTime / 1000);
    done();
  });
  app.setNotFoundHandler((request) => {
    throw unknownRoute(request, methods);
  });
  app.setErrorHandler((error, request, reply) => {
    if (isDefect(error))
      context.log.error({ err: error, request_id: request.id, route: request.routeOptions.url }, 'a request failed');
    return answer(error, reply);
  });
}

/** What is wrong with a request before a body of any kind is looked at. */
function refusalOf(request: FastifyRequest, methods: Map<string, string[]>): RequestError | undefined {
  const { host, 'content-encoding': encoding = 'identity' } = request.headers;
  if (host === undefined && request.raw.httpVersion === '1.1') return unreadable('The Host header is missing.');
  if (encoding !== 'identity') return unreadable('A compressed body is not accepted.', 415);
  return request.is404 ? unknownRoute(request, methods) : undefined;
}

/** The connection stays open although a body was not read: a client that is cut off in the middle never sees why. */
function answer(error: unknown, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = failureOf(error);
  reply.removeHeader('connection');
  return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** Which methods each path answers, kept as routes are added. */
function methodsByPath(app: FastifyInstance): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    methods.set(url, [...new Set([...(methods.get(url) ?? []), ...[method].flat()])]);
  });
  return methods;
}

function unknownRoute(request: FastifyRequest, methods: Map<string, string[]>): RequestError {
  const allowed = methods.get(request.url.split('?', 1)[0]!);
  if (allowed === undefined) return new RequestError('not_found', 'There is nothing at this path.');
  return new RequestError('unimplemented', `This path does not answer ${request.method}.`, {
    headers: { Allow: allowed.join(', ') },
  });
}

function createGate({ context, rateLimit, publicUrl }: HttpOptions): Gate {
  const cookie = sessionCookie(publicUrl);
  return {
    auth: createAuth(context, { cookie: cookie.name, limited: rateLimit !== undefined }),
    limiter:
      rateLimit === undefined
        ? undefined
        : createLimiter(
            requestPolicy(rateLimit),
            () => context.clock.now(),
            () => context.nodes.apis,
          ),
    cookie,
  };
}
