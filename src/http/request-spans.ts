/** Traces of requests: one server span for each, under the caller's own trace where the headers name one. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  readTraceContext,
  type SpanAttributes,
  type TraceContext,
  type Tracer,
  type TraceSpan,
} from '../base/tracing.ts';

const spans = new WeakMap<IncomingMessage, TraceSpan>();

/** The span of a request; undefined where traces are off. */
export const traceOf = (request: IncomingMessage): TraceContext | undefined => spans.get(request)?.context;

/** Asked every few seconds by machines: their traces would hide the others. */
const PROBES = new Set(['/healthz', '/readyz', '/metrics']);
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);

export function addRequestSpans(app: FastifyInstance, tracer: Tracer): void {
  app.addHook('onRequest', (request, reply, done) => {
    const route = request.is404 ? undefined : request.routeOptions.url;
    if (!PROBES.has(route ?? '')) {
      const span = requestSpan(tracer, request, route);
      spans.set(request.raw, span);
      // Also when the caller goes away first, as every reader of a stream does in the end.
      reply.raw.once('close', () => endRequest(span, reply.raw));
    }
    done();
  });
}

function endRequest(span: TraceSpan, { headersSent, statusCode }: ServerResponse): void {
  if (headersSent) span.set({ 'http.response.status_code': statusCode });
  if (headersSent && statusCode >= 500) span.fail(String(statusCode));
  span.end();
}

function requestSpan(tracer: Tracer, request: FastifyRequest, route: string | undefined): TraceSpan {
  const { traceparent, tracestate } = request.headers;
  const cause = readTraceContext(traceparent, tracestate);
  const method = METHODS.has(request.method) ? request.method : '_OTHER';
  return tracer.begin(route === undefined ? nameOf(method) : `${nameOf(method)} ${route}`, {
    kind: 'server',
    causes: cause === undefined ? [] : [cause],
    attributes: attributesOf(request, method, route),
  });
}

/** The conventions' name of a span whose method is not one of theirs. */
const nameOf = (method: string): string => (method === '_OTHER' ? 'HTTP' : method);

function attributesOf(request: FastifyRequest, method: string, route: string | undefined): SpanAttributes {
  const { hostname, port, protocol } = request;
  return {
    'http.request.method': method,
    'url.scheme': protocol,
    'url.path': pathOf(route),
    'network.protocol.version': request.raw.httpVersion,
    ...(route !== undefined && { 'http.route': route }),
    ...(hostname !== '' && { 'server.address': hostname }),
    ...(port !== null && { 'server.port': port }),
  };
}

/** The value of a parameter may be a secret, as in the address of a feed; and an unknown path may hold anything. */
const pathOf = (route = '/*'): string => route.replace(/:\w+(\([^()]*\))?|\*/g, 'REDACTED');
