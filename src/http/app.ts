/**
 * The HTTP server: thin adapters over the service's operations, the pages that need no key, and one error shape for
 * everything that fails. `src/service` decides what a request means; this folder knows nothing of rules and matches.
 */
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { createServer as createHttpServer } from '../base/node-http.ts';
import type { Context } from '../service/context.ts';
import { ServiceError } from '../service/errors.ts';
import { NOT_READY } from '../service/readiness.ts';
import { type Admission, admit, createAdmission, fewAtOnce } from './admission.ts';
import { BODY_LIMIT } from './body.ts';
import * as connections from './connections.ts';
import { requestId } from './connections.ts';
import { consolePage } from './console.ts';
import { createCors } from './cors.ts';
import { failureOf, isDefect, isStoreAway, RequestError, unreadable } from './errors.ts';
import type { HttpAppOptions } from './options.ts';
import { addRequestSpans } from './request-spans.ts';
import { withHeaders } from './send.ts';

export async function createHttpApp(options: HttpAppOptions): Promise<FastifyInstance> {
  const admission = createAdmission(options);
  const app = createServer(options);
  const { tracer } = options.context;
  if (tracer !== undefined) addRequestSpans(app, tracer);
  addAnswers(app, options);
  addProbes(app, options, admission);
  if (options.agents !== undefined) {
    // Most of this program is the operations: a process that answers none does not load them.
    const { addApi } = await import('./api.ts');
    await addApi(app, { ...options, agents: options.agents }, admission);
  }
  return app;
}

/** Routes that every process has, whatever its role. */
function addProbes(app: FastifyInstance, { metrics, context }: HttpAppOptions, admission: Admission): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', (request) => answerReady(context, request));
  app.get('/metrics', async (request, reply) => {
    const { auth } = admission;
    // While the store is away, figures are what the operator looks at.
    const caller = request.headers.authorization === undefined ? auth.caller : auth.callerWithoutStore;
    await admit(admission, { access: 'operator', cost: 1 }, request, reply, caller(request));
    return reply.type(metrics.contentType).send(await metrics.print());
  });
}

async function answerReady({ ingest, readiness }: Context, request: FastifyRequest): Promise<object> {
  // A balancer of pushes for the log asks so: they need no store, and a process that is about to stop takes none.
  const isForLog = (request.query as Record<string, unknown>)['ack'] === 'log';
  if (isForLog) await ingest.confirmLog();
  const reasons = readiness.notReady().filter((code) => !isForLog || code === 'stopping');
  if (reasons.length > 0)
    throw new ServiceError('unavailable', `Not ready: ${reasons.map((code) => NOT_READY[code]).join('; ')}.`, {
      details: { reasons },
      retryAfter: 1,
    });
  const told = readiness.warnings();
  return { status: 'ready', ...(told.length > 0 && { warnings: told }) };
}

function createServer({ trustProxy, context }: HttpAppOptions): FastifyInstance {
  const sockets = connections.watchSockets();
  const app = fastify({
    bodyLimit: BODY_LIMIT,
    serverFactory: (listener) => createHttpServer(connections.SERVER_LIMITS, fewAtOnce(listener)),
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    clientErrorHandler: (error, socket) => sockets.onError(error, socket),
    // These come before any hook.
    frameworkErrors: (error, request, reply) => void answer(error, withHeaders(request, reply)),
    // Requests that are under way when the server stops are finished, those on open connections too.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  });
  connections.guardConnections(app.server, trustProxy, context.readiness);
  app.server.on('request', sockets.onRequest);
  app.server.on('timeout', sockets.onTimeout);
  app.addHook('preClose', async () => sockets.stop());
  return app;
}

/** Headers, metrics and the error shape of every answer. */
function addAnswers(app: FastifyInstance, { context, metrics, corsOrigins }: HttpAppOptions): void {
  const methods = methodsByPath(app);
  const cors = createCors(corsOrigins);
  // These run for every request: a callback costs a fraction of what a promise costs here.
  app.addHook('onRequest', (request, reply, done) => {
    cors?.mark(request, reply);
    if (cors?.answersPreflight(request, reply, methods.get(pathOf(request))) === true) return;
    const page = request.is404 ? consolePage(request) : undefined;
    if (page === undefined) done(headProblem(request, methods));
    else void reply.redirect(page);
  });
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
    const fields = { err: error, request_id: request.id, route: request.routeOptions.url };
    if (isDefect(error)) context.log.error(fields, 'a request failed');
    else if (isStoreAway(error)) context.log.warn(fields, 'a request was refused: the store cannot be reached');
    return answer(error, reply);
  });
}

/** Checks the head of a request before its body is read. */
function headProblem(request: FastifyRequest, methods: Map<string, string[]>): RequestError | undefined {
  const { host, 'content-encoding': encoding = 'identity' } = request.headers;
  if (host === undefined && request.raw.httpVersion === '1.1') return unreadable('The Host header is missing.');
  const twice = headerGivenTwice(request.raw.rawHeaders);
  if (twice !== undefined) return unreadable(`There is more than one ${twice} header.`);
  if (encoding !== 'identity') return unreadable('A compressed body is not accepted.', 415);
  return request.is404 ? unknownRoute(request, methods) : undefined;
}

/** Names and values take turns. Node keeps the first of these and drops the others; a proxy may have read another one. */
function headerGivenTwice(rawHeaders: readonly string[]): string | undefined {
  let [hosts, authorizations] = [0, 0];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const { length } = rawHeaders[index]!;
    if (length !== 4 && length !== 13) continue;
    const name = rawHeaders[index]!.toLowerCase();
    if (name === 'host' && ++hosts > 1) return 'Host';
    if (name === 'authorization' && ++authorizations > 1) return 'Authorization';
  }
  return undefined;
}

/**
 * The connection stays open although a body was not read: a client that is cut off in the middle never sees why. It is closed
 * where `guardConnections` says so.
 */
function answer(error: unknown, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = failureOf(error);
  const isLast = reply.raw.hasHeader('connection');
  reply.removeHeader('connection');
  if (isLast) reply.raw.setHeader('connection', 'close');
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

const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0]!;

function unknownRoute(request: FastifyRequest, methods: Map<string, string[]>): RequestError {
  const allowed = methods.get(pathOf(request));
  if (allowed === undefined) return new RequestError('not_found', 'There is nothing at this path.');
  return new RequestError('unimplemented', `This path does not answer ${request.method}.`, {
    headers: { Allow: allowed.join(', ') },
  });
}
