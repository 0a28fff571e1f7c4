/**
 * `/docs`: the OpenAPI document as a page. The server makes it once, when it is first requested; all of it is text, so the
 * browser's own search finds everything. Its only script is the console's, which applies the theme that the user chose there.
 */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { JsonObject } from '../json-schemas.ts';
import { makeDocument } from '../openapi.ts';
import { type ApiDocument, referencePage } from './page.ts';
import { STYLE } from './style.ts';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

interface Page {
  readonly text: string;
  readonly etag: string;
}

export function addReference(app: FastifyInstance, document: () => Promise<JsonObject>): void {
  let page: Promise<Page> | undefined;
  const style = pageOf(STYLE);
  app.get('/docs', (_, reply) => reply.redirect('/docs/', 301));
  app.get('/docs/', async (request, reply) => {
    page ??= makePage(document);
    const html = reply.header('Content-Security-Policy', POLICY).type('text/html; charset=utf-8');
    return sendPage(request, html, await page);
  });
  app.get('/docs/style.css', (request, reply) => sendPage(request, reply.type('text/css; charset=utf-8'), style));
}

const pageOf = (text: string): Page => ({
  text,
  etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`,
});

async function makePage(document: () => Promise<JsonObject>): Promise<Page> {
  const described = (await document()) as unknown as ApiDocument;
  return pageOf(await makeDocument(referencePage(described)));
}

/** A reader who comes back gets the text only when the program has changed. */
function sendPage(request: FastifyRequest, reply: FastifyReply, { text, etag }: Page): FastifyReply {
  reply.headers({ 'Cache-Control': 'no-cache', ETag: etag });
  return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(text);
}
