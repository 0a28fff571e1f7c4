/**
 * The two requests of the page that asks a person: what is asked, and the answer. They take a session of the console and
 * nothing else, from our own page and no other: the header of the session, the origin, and a token for this one request.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { GRANT_SCOPES } from '../domain/account.ts';
import { unauthenticated } from '../service/access/keys.ts';
import { ServiceError } from '../service/errors.ts';
import { type Decider, MAX_RULES_OF_GRANT } from '../service/oauth/consent.ts';
import type { OAuthEndpoints } from '../service/oauth/oauth.ts';
import { checkInput } from '../service/perform/perform.ts';
import { type Admission, admit } from './admission.ts';
import { sessionToken } from './auth.ts';
import { readJsonBody } from './body.ts';

/** To show what is asked a document may have to be read from another host. */
const ASK_COST = 10;

const raw = z.string().min(1).max(8_192);
const asked = z.strictObject({ request: raw });
const answered = z.strictObject({
  request: raw,
  token: z.string().max(100),
  allow: z.boolean(),
  scopes: z.array(z.enum(GRANT_SCOPES)).max(GRANT_SCOPES.length).default([]),
  rule_ids: z.array(z.string().max(100)).min(1).max(MAX_RULES_OF_GRANT).optional(),
});

export async function addConsent(app: FastifyInstance, oauth: OAuthEndpoints, admission: Admission): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) =>
      readJsonBody(body),
    );
    scope.post('/oauth/consent', async (request, reply) => {
      const decider = await deciderOf(oauth, admission, request, reply, ASK_COST);
      const view = await oauth.ask(decider, checkInput(asked, request.body).request);
      return reply.send('token' in view ? consentToJson(view) : view);
    });
    scope.post('/oauth/consent/decision', async (request, reply) => {
      const decider = await deciderOf(oauth, admission, request, reply, 1);
      const { request: asking, rule_ids, ...decision } = checkInput(answered, request.body);
      return reply.send(await oauth.decide(decider, asking, { ...decision, ruleIds: rule_ids }));
    });
  });
}

async function deciderOf(
  { address }: OAuthEndpoints,
  admission: Admission,
  request: FastifyRequest,
  reply: FastifyReply,
  cost: number,
): Promise<Decider> {
  const session = sessionToken(request.headers, admission.cookie.name);
  if (session === undefined || request.headers.authorization !== undefined) throw unauthenticated();
  if (request.headers.origin !== address.origin)
    throw new ServiceError('permission_denied', `Only the page at ${address.origin} may ask for this.`);
  return { caller: await admit(admission, { access: 'full', cost }, request, reply), session };
}

type View = Extract<Awaited<ReturnType<OAuthEndpoints['ask']>>, { token: string }>;

const consentToJson = ({ account, client, redirect, scopes, expiresAt, token }: View) => ({
  account,
  client_name: client.name,
  client_host: client.host ?? null,
  redirect_host: redirect.host,
  is_this_computer: redirect.isThisComputer,
  scopes,
  expires_at: expiresAt.toISOString(),
  token,
});
