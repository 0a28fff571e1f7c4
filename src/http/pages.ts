/** The pages beside the operations: the descriptions of the service. They need no key. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { trimEnd } from '../base/parse-url.ts';
import { SCHEMAS_PATH } from '../domain/webhook.ts';
import { ServiceError } from '../service/errors.ts';
import { asyncApi, dataSchemas } from './asyncapi.ts';
import { ownAddress } from './feeds.ts';
import type { JsonObject } from './json-schemas.ts';
import { llmsText } from './llms.ts';
import { openApi } from './openapi.ts';
import type { HttpAppOptions } from './options.ts';
import { addReference } from './reference/reference.ts';
import { sendDocument } from './send.ts';

export function addPages(app: FastifyInstance, { context, publicUrl }: HttpAppOptions): void {
  const { version } = context.settings;
  const urlFor = (request: FastifyRequest) => ownAddress(request, publicUrl);
  // Made for the first reader: together they take a twentieth of the time that a start takes.
  let operations: Promise<JsonObject> | undefined;
  const document = () => (operations ??= openApi(version));
  let common: Promise<Buffer> | undefined;
  app.get('/openapi.json', async (request, reply) => {
    common ??= document().then(beforeServers);
    sendDocument(request, reply, await common, `${JSON.stringify([{ url: urlFor(request) }])}}`);
  });
  let messages: Promise<Buffer> | undefined;
  app.get('/asyncapi.json', async (request, reply) => {
    messages ??= asyncApi(version).then(beforeServers);
    sendDocument(request, reply, await messages, `${JSON.stringify(serversAt(urlFor(request)))}}`);
  });
  addSchemas(app, urlFor);
  app.get('/llms.txt', async (request, reply) =>
    reply.type('text/plain; charset=utf-8').send(llmsText(urlFor(request))),
  );
  addServerCard(app, publicUrl, version);
  addReference(app, document);
}

/** A document as text, up to the one field that depends on how the reader reached us. */
const beforeServers = (document: JsonObject): Buffer =>
  Buffer.from(`${JSON.stringify(document).slice(0, -1)},"servers":`);

/** `dataschema` of CloudEvents leads here. Each schema stands alone: a receiver that reads it needs no other document. */
function addSchemas(app: FastifyInstance, urlFor: (request: FastifyRequest) => string): void {
  let schemas: ReturnType<typeof dataSchemas> | undefined;
  app.get<{ Params: { name: string } }>(`${SCHEMAS_PATH}/:name`, (request, reply) => {
    schemas ??= dataSchemas();
    const name = /^(\w+)\.json$/.exec(request.params.name)?.[1] ?? '';
    const schema = schemas.get(name);
    if (schema === undefined)
      throw new ServiceError('not_found', 'There is no such schema. /asyncapi.json names them.');
    const { $schema, ...rest } = schema;
    const $id = `${urlFor(request)}${SCHEMAS_PATH}/${name}.json`;
    return reply.type('application/schema+json; charset=utf-8').send(JSON.stringify({ $schema, $id, ...rest }));
  });
}

/** A server of AsyncAPI is a host and a protocol. */
function serversAt(url: string) {
  const { host, protocol, pathname } = new URL(url);
  return { here: { host, protocol: protocol.slice(0, -1), ...(pathname !== '/' && { pathname }) } };
}

const CARD_PATHS = ['/mcp/server-card', '/.well-known/mcp/server-card.json'];

/** As in `server.json`. Who publishes a copy puts a namespace of their own in both places. */
export const SERVER_NAME = 'example.sluice/sluice';
export const SERVER_DESCRIPTION = 'Watch live posts and web pages by rules; get matches, and be woken by them.';

function addServerCard(app: FastifyInstance, publicUrl: string | undefined, version: string): void {
  if (publicUrl === undefined) return;
  const base = trimEnd(publicUrl, '/');
  const card = {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: SERVER_NAME,
    version,
    title: 'Sluice',
    description: SERVER_DESCRIPTION,
    websiteUrl: base,
    remotes: [{ type: 'streamable-http', url: `${base}/mcp` }],
  };
  for (const path of CARD_PATHS) {
    app.get(path, (_, reply) =>
      reply
        .type('application/mcp-server-card+json; charset=utf-8')
        .headers({
          'Access-Control-Allow-Origin': '*',
          'Cross-Origin-Resource-Policy': 'cross-origin',
          'Cache-Control': 'public, max-age=300',
        })
        .send(JSON.stringify(card)),
    );
  }
}
