/** `/mcp`: the route of the tool server for agents. It admits the caller; `src/mcp` answers. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../service/access/caller.ts';
import { unauthenticated } from '../service/access/keys.ts';
import { ServiceError } from '../service/errors.ts';
import { type Admission, admit } from './admission.ts';
import { readJson } from './body.ts';
import type { AgentCall, AgentEndpoint } from './options.ts';
import { addedCost, COSTS } from './routes.ts';

export async function addMcp(app: FastifyInstance, endpoint: AgentEndpoint, admission: Admission): Promise<void> {
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
        // A cookie is a person's, and comes by itself; a program shows its key.
        if (request.headers.authorization === undefined) throw unauthenticated();
        callers.set(request, await admit(admission, { access: 'read', cost: 1 }, request, reply));
      },
      handler: async (request, reply) => {
        const caller = callers.get(request)!;
        const added = costOf(endpoint.operationsIn(request.body)) - 1;
        if (added > 0) admission.limits.take(caller, added, reply);
        return reply.send(await endpoint.answer(webRequest(request, reply), caller, request.body));
      },
    });
  });
}

/** A tool counts what the operations behind it count. */
const costOf = (calls: readonly AgentCall[]): number =>
  calls.reduce((sum, { name, input }) => sum + COSTS[name] + addedCost(name, input), 0);

function webRequest(request: FastifyRequest, reply: FastifyReply): Request {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, String(value));
  }
  return new Request('http://localhost/mcp', { method: request.method, headers, signal: gone.signal });
}
