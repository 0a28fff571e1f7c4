/**
 * `/docs`: the interface description as a page. Its script is a third of the whole program, so it is loaded when the
 * page is first requested; the page's policy lets it ask no other server.
 */
import { randomBytes } from 'node:crypto';
import { type FastifyInstance, fastify } from 'fastify';

interface ReferencePages {
  readonly html: string;
  readonly script: Buffer;
}

/** Stands for the nonce until an answer gets its own. */
const NONCE = 'nonce-of-the-answer';

export function addReference(app: FastifyInstance): void {
  let made: Promise<ReferencePages> | undefined;
  const pages = () => {
    made ??= renderPages();
    return made;
  };
  app.get('/docs', (_, reply) => reply.redirect('/docs/', 301));
  app.get('/docs/', async (_, reply) => {
    const nonce = randomBytes(16).toString('base64');
    return reply
      .headers({ 'Content-Security-Policy': policyWith(nonce), 'Content-Type': 'text/html; charset=utf-8' })
      .send((await pages()).html.replaceAll(NONCE, nonce));
  });
  app.get('/docs/js/scalar.js', async (_, reply) =>
    reply.type('text/javascript; charset=utf-8').send((await pages()).script),
  );
}

/** The plugin serves its page from an application of its own. It is asked once, and the server answers with its own headers. */
async function renderPages(): Promise<ReferencePages> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const pages = fastify();
  await pages.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Sluice: the HTTP interface',
      nonce: NONCE,
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  const [html, script] = [await pages.inject('/docs/'), await pages.inject('/docs/js/scalar.js')];
  await pages.close();
  return { html: html.body, script: script.rawPayload };
}

const policyWith = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
