/**
 * The HTTP server: thin adapters over the service's operations, the pages that need no key, and one error shape for
 * everything that fails. `src/service` decides what a request means; this folder knows nothing of rules and matches.
 */
import { type FastifyBodyParser, type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { createServer as createHttpServer } from '../base/node-http.ts';
import type { OperationName } from '../service/operations.ts';
import { type Admission, createAdmission, fewAtOnce } from './admission.ts';
import { BODY_LIMIT, readJsonBody, readLines } from './body.ts';
import { addCertificates } from './certificates.ts';
import * as connections from './connections.ts';
import { requestId } from './connections.ts';
import { addConsole, consolePage } from './console.ts';
import { createCors } from './cors.ts';
import { failureOf, isDefect, isStoreAway, RequestError, unreadable } from './errors.ts';
import { addExport } from './export.ts';
import { addFeeds } from './feeds.ts';
import { addOperation } from './handler.ts';
import { addMailPages } from './mail-routes.ts';
import { addMcp } from './mcp-route.ts';
import { addOAuth } from './oauth-routes.ts';
import type { HttpAppOptions } from './options.ts';
import { addPages, addProbes } from './pages.ts';
import { addRequestSpans } from './request-spans.ts';
import { ROUTES } from './routes.ts';
import { withHeaders } from './send.ts';
import { addStream } from './stream.ts';
import { addXWebhook } from './x-webhook.ts';

export async function createHttpApp(options: HttpAppOptions): Promise<FastifyInstance> {
  const admission = createAdmission(options);
  const app = createServer(options);
  const { tracer } = options.context;
  if (tracer !== undefined) addRequestSpans(app, tracer);
  addAnswers(app, options);
  addProbes(app, options, admission);
  if (options.hasApi) await addApi(app, options, admission);
  return app;
}

async function addApi(app: FastifyInstance, options: HttpAppOptions, admission: Admission): Promise<void> {
  const add = (names: readonly OperationName[], types: string[], read: BodyReader) =>
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(types, { parseAs: 'buffer' }, read);
      for (const name of names) addOperation(scope, name, options.context, admission);
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
  await addMcp(app, options.agents, options.context.oauth, admission);
  await addOAuth(app, options.context, admission);
  await addMailPages(app, options.context);
  await addXWebhook(app, options.context, admission.auth);
  addStream(app, options.context, admission);
  addExport(app, options, admission);
  addFeeds(app, options);
  addCertificates(app, options);
  addPages(app, options);
  addConsole(app, options, admission);
}

type BodyReader = FastifyBodyParser<Buffer>;

const jsonBody = (_: FastifyRequest, body: Buffer) => readJsonBody(body);

function createServer({ trustProxy, isStopping }: HttpAppOptions): FastifyInstance {
  const behindProxy = trustProxy.length > 0;
  const sockets = connections.watchSockets();
  const app = fastify({
    bodyLimit: BODY_LIMIT,
    serverFactory: (listener) => createHttpServer(connections.serverLimits(behindProxy), fewAtOnce(listener)),
    trustProxy: behindProxy ? [...trustProxy] : false,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    clientErrorHandler: (error, socket) => sockets.onError(error, socket),
    // These come before any hook.
    frameworkErrors: (error, request, reply) => void answer(error, withHeaders(request, reply)),
    // Requests that are under way when the server stops are finished, those on open connections too.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  });
  connections.guardConnections(app.server, { behindProxy, isStopping });
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
