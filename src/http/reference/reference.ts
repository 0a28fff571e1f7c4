/**
 * `/docs`: the OpenAPI document as a page. The server makes it once, when it is first requested; all of it is text, so the
 * browser's own search finds everything. Its only script is the console's, which applies the theme that the user chose there.
 */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { JsonObject } from '../json-schemas.ts';
import { makeDocument } from '../openapi.ts';
import { type ApiDocument, referencePage } from './page.ts';

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

/** The look of the reference: the console's colours, the system's fonts. */
const STYLE = `
:root {
  color-scheme: light dark;
  --canvas: light-dark(#ffffff, #0e1012);
  --sunken: light-dark(#f6f7f8, #0a0c0d);
  --line: light-dark(#e4e7ea, #24292e);
  --ink: light-dark(#16191d, #e8ebee);
  --soft: light-dark(#4a535c, #abb4bd);
  --accent: light-dark(#0b6a86, #5cc3e1);
  --warn: light-dark(#8a5200, #e8b44c);
  --mono: ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace;
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
* { box-sizing: border-box; }
body {
  margin: 0;
  display: grid;
  grid-template-columns: 17rem minmax(0, 1fr);
  background: var(--canvas);
  color: var(--ink);
  font: 0.9375rem/1.5 ui-sans-serif, system-ui, sans-serif;
}
a { color: var(--accent); text-underline-offset: 0.2em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; padding: 0.5rem; background: var(--canvas); }
nav {
  position: sticky;
  top: 0;
  height: 100vh;
  overflow-y: auto;
  padding: 1rem;
  border-right: 1px solid var(--line);
  background: var(--sunken);
  font-size: 0.8125rem;
}
nav h2 { margin: 1rem 0 0.25rem; font-size: 0.8125rem; text-transform: capitalize; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav li { padding: 0.125rem 0; overflow-wrap: anywhere; }
nav a { color: var(--soft); text-decoration: none; }
nav a:hover { color: var(--ink); text-decoration: underline; }
main { max-width: 56rem; padding: 2rem; }
h1 { margin: 0; font-size: 1.5rem; }
.lead { color: var(--soft); }
section > h2 { margin-top: 3rem; padding-bottom: 0.25rem; border-bottom: 1px solid var(--line); text-transform: capitalize; }
article { padding: 1.5rem 0; border-bottom: 1px solid var(--line); }
article:target { box-shadow: -1rem 0 var(--canvas), calc(-1rem - 3px) 0 var(--accent); }
h3 { margin: 0; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
h4 { margin: 1rem 0 0.25rem; font-size: 0.875rem; }
p { margin: 0.5rem 0; }
code, pre { font-family: var(--mono); font-size: 0.8125rem; overflow-wrap: anywhere; }
pre {
  margin: 0.5rem 0;
  padding: 0.75rem;
  max-height: 24rem;
  overflow: auto;
  border: 1px solid var(--line);
  border-radius: 6px;
  background: var(--sunken);
  white-space: pre-wrap;
}
.fields { margin: 0.25rem 0; padding: 0 0 0 0.75rem; border-left: 1px solid var(--line); list-style: none; }
.fields li { padding: 0.25rem 0; }
.fields p { margin: 0; color: var(--soft); }
.type, .limits, .media, .failures { color: var(--soft); font-size: 0.8125rem; }
.need { color: var(--warn); font-size: 0.8125rem; }
@media (max-width: 50rem) {
  body { display: block; }
  nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1rem; }
}
`;
