/**
 * Pages of other origins, where the operator lists them. A page sends a key of its own; cookies of the console never count
 * across origins, so credentials are not allowed for any origin. An origin that is not listed is answered as ever, and
 * its browser keeps the answer from the page.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The headers that our own client sends, and that a resumed stream needs. */
const ALLOWED_HEADERS = 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID';
const EXPOSED_HEADERS = 'X-Request-Id, RateLimit, RateLimit-Policy, Retry-After';
/** Seconds for which a browser need not ask again. */
const MAX_AGE = '600';

export interface Cors {
  /** Marks an answer as one that the page may read. */
  mark(request: FastifyRequest, reply: FastifyReply): void;
  /** Answers a browser that asks before it sends; false when this is no such question, or not for this origin to ask. */
  answersPreflight(request: FastifyRequest, reply: FastifyReply, methods: readonly string[] | undefined): boolean;
}

/** Returns undefined when no origin is listed: then nothing is looked at. */
export function createCors(origins: readonly string[]): Cors | undefined {
  if (origins.length === 0) return undefined;
  const isForAll = origins.includes('*');
  const listed = new Set(origins);
  const allowed = ({ headers: { origin } }: FastifyRequest): string | undefined => {
    if (isForAll) return origin === undefined ? undefined : '*';
    return origin !== undefined && listed.has(origin) ? origin : undefined;
  };
  return {
    mark(request, reply) {
      // The answer differs by origin, so a cache must not hand it to another.
      if (!isForAll) reply.header('Vary', 'Origin');
      const origin = allowed(request);
      if (origin === undefined) return;
      reply.header('Access-Control-Allow-Origin', origin).header('Access-Control-Expose-Headers', EXPOSED_HEADERS);
    },
    answersPreflight(request, reply, methods) {
      const isQuestion = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
      if (!isQuestion || methods === undefined || allowed(request) === undefined) return false;
      reply
        .code(204)
        .headers({
          'Access-Control-Allow-Methods': methods.join(', '),
          'Access-Control-Allow-Headers': ALLOWED_HEADERS,
          'Access-Control-Max-Age': MAX_AGE,
        })
        .send();
      return true;
    },
  };
}
