/**
 * `/docs`: the interface description as a page. Its script is a third of the whole program, so it is loaded when the
 * page is first asked for; the page's policy lets it ask nobody but this server.
 */
import { randomBytes } from 'node:crypto';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';

export function addReference(app: FastifyInstance): void {
  let pages: Promise<FastifyInstance> | undefined;
  const hand = async (request: FastifyRequest, reply: FastifyReply) => {
    pages ??= createPages();
    const inner = await pages;
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value);
    reply.hijack();
    inner.routing(request.raw, reply.raw);
  };
  for (const path of ['/docs', '/docs/', '/docs/js/scalar.js']) app.get(path, hand);
}

async function createPages(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const pages = fastify();
  const nonce = randomBytes(16).toString('base64');
  pages.addHook('onRequest', async (_, reply) => void reply.header('Content-Security-Policy', policyWith(nonce)));
  await pages.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Sluice: the HTTP interface',
      nonce,
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  await pages.ready();
  return pages;
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
