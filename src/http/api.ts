/** A process with the role `api` answers operations, streams, documents, `/mcp`, the console. */
import type { FastifyBodyParser, FastifyInstance, FastifyRequest } from 'fastify';
import type { OperationName } from '../service/operations.ts';
import type { Admission } from './admission.ts';
import { readJsonBody, readLines } from './body.ts';
import { addCertificates } from './certificates.ts';
import { addConsole } from './console.ts';
import { addExport } from './export.ts';
import { addFeeds } from './feeds.ts';
import { addOperation } from './handler.ts';
import { addMailPages } from './mail-routes.ts';
import { addMcp } from './mcp-route.ts';
import { addOAuth } from './oauth-routes.ts';
import type { AgentEndpoint, HttpAppOptions } from './options.ts';
import { addPages } from './pages.ts';
import { ROUTES } from './routes.ts';
import { addStream } from './stream.ts';
import { addXWebhook } from './x-webhook.ts';

type ApiOptions = HttpAppOptions & { readonly agents: AgentEndpoint };

export async function addApi(app: FastifyInstance, options: ApiOptions, admission: Admission): Promise<void> {
  const add = (names: readonly OperationName[], types: string[], read: BodyReader) =>
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(types, { parseAs: 'buffer' }, read);
      for (const name of names) addOperation(scope, name, options.context, admission);
    });
  app.removeAllContentTypeParsers();
  const json = 'application/json';
  const names = Object.keys(ROUTES) as OperationName[];
  await add(
    names.filter((name) => name !== 'pushEvents'),
    [json],
    jsonBody,
  );
  await add(['pushEvents'], ['application/x-ndjson', 'application/ndjson'], async (_: FastifyRequest, body: Buffer) =>
    readLines(body),
  );
  await addMcp(app, options.agents, options.context.oauth, admission);
  await addOAuth(app, options.context, admission);
  await addMailPages(app, options.context);
  await addXWebhook(app, options.context, admission.auth);
  addStream(app, options.context, admission);
  addExport(app, options, admission);
  addFeeds(app, options);
  addCertificates(app, options);
  addPages(app, options);
  addConsole(app, options, admission);
}

type BodyReader = FastifyBodyParser<Buffer>;

const jsonBody = async (_: FastifyRequest, body: Buffer) => readJsonBody(body);
