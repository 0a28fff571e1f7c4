/** The pages beside the operations: health, figures, and the descriptions of the service. Only `/metrics` needs a key. */
import { randomBytes } from 'node:crypto';
import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../service/errors.ts';
import type { HttpOptions } from './app.ts';
import { admit, type Gate } from './handler.ts';
import { llmsText } from './llms.ts';
import { openApi } from './openapi.ts';

export async function addPages(app: FastifyInstance, options: HttpOptions, gate: Gate): Promise<void> {
  const { context, metrics, publicUrl } = options;
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async () => {
    const reasons = options.notReady();
    if (reasons.length > 0)
      throw new ServiceError('unavailable', `Not ready: ${reasons.join('; ')}.`, {
        details: { reasons },
        retryAfter: 1,
      });
    return { status: 'ready' };
  });
  app.get('/metrics', async (request, reply) => {
    await admit(gate, 'operator', request, reply);
    return reply.type(metrics.contentType).send(await metrics.print());
  });

  const urlFor = (request: FastifyRequest) => publicUrl ?? `${request.protocol}://${hostOf(request)}`;
  const document = openApi(context.settings.version);
  app.get('/openapi.json', (request, reply) => reply.send({ ...document, servers: [{ url: urlFor(request) }] }));
  app.get('/llms.txt', async (request, reply) =>
    reply.type('text/plain; charset=utf-8').send(llmsText(urlFor(request))),
  );
  await app.register(addReference);
}

/** How the caller reached us. A Host header may hold anything; only what can be a host is repeated. */
const hostOf = ({ host }: FastifyRequest): string =>
  /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(host) ? host : '127.0.0.1:4800';

/** The reference page serves its own script; its policy lets it ask nobody but this server. */
async function addReference(scope: FastifyInstance): Promise<void> {
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  scope.addHook('onRequest', async (_, reply) => void reply.header('Content-Security-Policy', policy));
  await scope.register(scalar, {
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
}
