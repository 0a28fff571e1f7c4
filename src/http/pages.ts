/** The pages beside the operations: health, figures, and the descriptions of the service. Only `/metrics` needs a key. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../service/errors.ts';
import { NOT_READY } from '../service/readiness.ts';
import { type Admission, admit } from './admission.ts';
import { asyncApi } from './asyncapi.ts';
import { llmsText } from './llms.ts';
import { openApi } from './openapi.ts';
import type { HttpAppOptions } from './options.ts';
import { ownAddress } from './own-address.ts';
import { addReference } from './reference/reference.ts';
import { addServerCard } from './server-card.ts';

/** Routes that every process has, whatever its role. */
export function addProbes(app: FastifyInstance, { metrics, notReady }: HttpAppOptions, admission: Admission): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async () => {
    const reasons = notReady();
    if (reasons.length > 0)
      throw new ServiceError('unavailable', `Not ready: ${reasons.map((code) => NOT_READY[code]).join('; ')}.`, {
        details: { reasons },
        retryAfter: 1,
      });
    return { status: 'ready' };
  });
  app.get('/metrics', async (request, reply) => {
    await admit(admission, { access: 'operator', cost: 1 }, request, reply);
    return reply.type(metrics.contentType).send(await metrics.print());
  });
}

export function addPages(app: FastifyInstance, { context, publicUrl }: HttpAppOptions): void {
  const urlFor = (request: FastifyRequest) => ownAddress(request, publicUrl);
  const document = openApi(context.settings.version);
  app.get('/openapi.json', (request, reply) => reply.send({ ...document, servers: [{ url: urlFor(request) }] }));
  const messages = asyncApi(context.settings.version);
  app.get('/asyncapi.json', (request, reply) => reply.send({ ...messages, servers: serversAt(urlFor(request)) }));
  app.get('/llms.txt', async (request, reply) =>
    reply.type('text/plain; charset=utf-8').send(llmsText(urlFor(request))),
  );
  addServerCard(app, publicUrl, context.settings.version);
  addReference(app, document);
}

/** A server of AsyncAPI is a host and a protocol. */
function serversAt(url: string) {
  const { host, protocol, pathname } = new URL(url);
  return { here: { host, protocol: protocol.slice(0, -1), ...(pathname !== '/' && { pathname }) } };
}
