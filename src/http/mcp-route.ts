/** `/mcp`: the route of the tool server for agents. It admits the caller; `src/mcp` answers. */
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../service/access/caller.ts';
import { ServiceError } from '../service/errors.ts';
import type { OAuth } from '../service/oauth/oauth.ts';
import { operations } from '../service/operations.ts';
import { type Admission, admit } from './admission.ts';
import { readJson } from './body.ts';
import { RequestError } from './errors.ts';
import { bearerChallenge } from './oauth-metadata.ts';
import type { AgentCall, AgentEndpoint } from './options.ts';
import { traceOf } from './request-spans.ts';
import { COSTS } from './routes.ts';

/** An agent asks for these scopes when it connects. The person may allow less. */
const WANTED_SCOPES = 'read full events';

export async function addMcp(
  app: FastifyInstance,
  endpoint: AgentEndpoint,
  { endpoints: oauth }: OAuth,
  admission: Admission,
): Promise<void> {
  const callers = new WeakMap<FastifyRequest, Caller>();
  // Before the server waits for open requests to end, those that wait for matches are told to.
  app.addHook('preClose', () => endpoint.close());
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_: FastifyRequest, body: Buffer) =>
      // The protocol decides about an empty body.
      body.length === 0 ? undefined : readJson(body),
    );
    scope.route({
      method: ['POST', 'GET', 'DELETE'],
      url: '/mcp',
      // A HEAD would be answered by the route of GET, whose answer is no text.
      exposeHeadRoute: false,
      onRequest: async (request, reply) => {
        const refusal = endpoint.refusal(request.headers);
        if (refusal !== undefined) throw new ServiceError('permission_denied', refusal);
        // A cookie is a person's, and comes by itself; a program shows its key or its token.
        const agent = admission.auth.agent(request, oauth?.address.resource);
        const admitted = admit(admission, ADMITTED, request, reply, agent);
        callers.set(request, await admitted.catch(challenging(oauth, request)));
      },
      handler: async (request, reply) => {
        const caller = callers.get(request)!;
        const calls = endpoint.operationsIn(request.body);
        refuseBeyondScope(oauth, caller, calls);
        const added = costOf(endpoint, request.body) - 1;
        if (added > 0) admission.limits.take(caller, added, reply);
        const trace = traceOf(request.raw);
        return reply.send(await endpoint.answer(webRequest(request, reply), caller, request.body, trace));
      },
    });
  });
}

const ADMITTED = { access: 'read', grants: 'rules', cost: 1 } as const;

/** Tells a client that was refused where it gets a token. */
const challenging =
  (oauth: OAuth['endpoints'], { headers }: FastifyRequest) =>
  (error: unknown): never => {
    if (oauth === undefined || !(error instanceof ServiceError) || error.code !== 'unauthenticated') throw error;
    const problem = headers.authorization === undefined ? undefined : 'invalid_token';
    throw new RequestError(error.code, error.message, {
      headers: { 'WWW-Authenticate': bearerChallenge(oauth.address, WANTED_SCOPES, problem) },
    });
  };

/** A client that is told which scope is missing asks the person for it. */
function refuseBeyondScope(oauth: OAuth['endpoints'], { grant }: Caller, calls: readonly AgentCall[]): void {
  if (oauth === undefined || grant === undefined || grant.scopes.includes('full')) return;
  if (!calls.some(({ name }) => operations[name].access === 'full')) return;
  throw new RequestError('permission_denied', 'This needs the scope `full`.', {
    headers: { 'WWW-Authenticate': bearerChallenge(oauth.address, 'full', 'insufficient_scope') },
  });
}

/** Each message of a batch counts. A tool counts what the operations behind it count. */
function costOf(endpoint: AgentEndpoint, body: unknown): number {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  const costs = messages.map((message) =>
    endpoint.operationsIn(message).reduce((sum, { name }) => sum + COSTS[name], 0),
  );
  return costs.reduce((sum, cost) => sum + Math.max(1, cost), 0);
}

/** Requests live as long as their answers: the signal of one that was collected earlier would never abort. */
const kept = new WeakMap<ServerResponse, Request>();

function webRequest({ headers: given, method }: FastifyRequest, { raw }: FastifyReply): Request {
  const gone = new AbortController();
  // One that left while a long body was read is not told of any more.
  if (raw.destroyed) gone.abort();
  else raw.once('close', () => gone.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) headers.set(name, String(value));
  }
  const request = new Request('http://localhost/mcp', { method, headers, signal: gone.signal });
  kept.set(raw, request);
  return request;
}
