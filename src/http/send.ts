/** Answers as they leave: the headers that every one has, the short way out for JSON that is there as a whole, and who has gone. */
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

const JSON_TYPE = 'application/json; charset=utf-8';
const JSON_HEADERS = Object.entries({ ...SECURITY_HEADERS, 'Content-Type': JSON_TYPE }).flat();

/** Headers that a route has set already are its own choice. */
export function withHeaders(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) if (!reply.hasHeader(name)) reply.header(name, value);
  return reply.header('X-Request-Id', request.id);
}

/** Most answers. They are written past the framework, whose own way takes as long as the rest of a short request. */
export function sendJson(request: FastifyRequest, reply: FastifyReply, body: string | Buffer): void {
  const own = reply.getHeaders() as Record<string, string>;
  reply.hijack();
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  reply.raw.writeHead(200, jsonHeaders(request.id, bytes.length, own));
  // Node keeps the bytes of an answer to HEAD to itself.
  reply.raw.end(bytes);
}

/**
 * A document whose last part alone depends on who asks. What is common to all is in memory once, however many read it, and
 * however slowly.
 */
export function sendDocument(request: FastifyRequest, reply: FastifyReply, common: Buffer, rest: string): void {
  const own = reply.getHeaders() as Record<string, string>;
  reply.hijack();
  const bytes = Buffer.from(rest);
  reply.raw.writeHead(200, jsonHeaders(request.id, common.length + bytes.length, own));
  reply.raw.write(common);
  reply.raw.end(bytes);
}

function jsonHeaders(requestId: string, length: number, own: Readonly<Record<string, string>>): string[] {
  const headers = [...JSON_HEADERS, 'X-Request-Id', requestId, 'Content-Length', String(length)];
  for (const name in own) headers.push(name, own[name]!);
  return headers;
}

/** Aborts when the caller goes away before its answer was written. */
export function goneSignal(response: ServerResponse): AbortSignal {
  if (response.destroyed) return AbortSignal.abort(new Error(GONE));
  const controller = new AbortController();
  // An abort costs an error with its stack; only a caller that went away early is worth one.
  response.once('close', () => response.writableFinished || controller.abort(new Error(GONE)));
  return controller.signal;
}

const GONE = 'The reader went away.';
