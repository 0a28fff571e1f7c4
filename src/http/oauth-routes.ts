/** The endpoints that agents' programs call: authorize, token, revoke and register. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../service/context.ts';
import { isOff } from '../service/oauth/addresses.ts';
import type { OAuthEndpoints } from '../service/oauth/oauth.ts';
import { OAuthError, type OAuthErrorCode } from '../service/oauth/oauth-error.ts';
import { familyOf } from '../service/oauth/secrets.ts';
import type { Admission } from './admission.ts';
import type { Auth } from './auth.ts';
import { readJson } from './body.ts';
import { failureOf, isDefect, RequestError } from './errors.ts';
import { addConsent } from './oauth-consent.ts';
import { addOAuthMetadata, CROSS_ORIGIN, OAUTH_PATHS } from './oauth-metadata.ts';
import { createLimiter, type Limiter, networkOf } from './rate-limit.ts';

const FORM_LIMIT = 16 * 1024;
/** Registrations of one address: 20 at once, and 20 an hour. */
const REGISTRATIONS = { perMinute: 20 / 60, burst: 20 };
/** Refreshes of one grant. Several workers may share it; each refresh is written, and all nodes look up callers anew. */
const REFRESHES = { perMinute: 20, burst: 60 };
/** Any page may call these: they take no cookie, and no page learns more than a program would. */
const OPEN_TO_PAGES = { 'Access-Control-Allow-Origin': '*', ...CROSS_ORIGIN };

export async function addOAuth(app: FastifyInstance, context: Context, admission: Admission): Promise<void> {
  const { endpoints, address } = context.oauth;
  if (endpoints === undefined) return addReasons(app, isOff(address) ? address.off : '');
  addOAuthMetadata(app, endpoints);
  app.get('/oauth/authorize', (request, reply) => authorize(endpoints, admission.auth, request, reply));
  await app.register(async (scope) => addTokenEndpoints(scope, endpoints, admission.auth, context));
  if (endpoints.hasRegistration) await app.register(async (scope) => addRegistration(scope, endpoints, context));
  await addConsent(app, endpoints, admission);
}

function addReasons(app: FastifyInstance, reason: string): void {
  for (const url of OAUTH_PATHS)
    app.route({
      method: ['GET', 'POST'],
      url,
      onRequest: async () => {
        throw new RequestError('not_found', `OAuth is off. ${reason}`);
      },
      handler: () => undefined,
    });
}

/** Sends the browser to the page that asks. What is wrong beyond doubt is said at once, to the client or to the person. */
async function authorize(
  oauth: OAuthEndpoints,
  auth: Auth,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const raw = request.raw.url!.split('?').slice(1).join('?');
  const known = await oauth.preview(raw);
  if (known !== undefined && 'problem' in known) {
    const refusal = auth.wrongSecret(request.ip);
    if (refusal !== undefined) throw refusal;
    return sendProblem(reply, known.problem);
  }
  const page = `${oauth.address.issuer}/consent#/authorize?request=${encodeURIComponent(raw)}`;
  return reply.header('X-Frame-Options', 'DENY').redirect(known?.redirect ?? page, 302);
}

function sendProblem(reply: FastifyReply, problem: string): FastifyReply {
  const text = problem.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return reply
    .code(400)
    .header('X-Frame-Options', 'DENY')
    .type('text/html; charset=utf-8')
    .send(`<!doctype html><title>Sluice</title><h1>This agent cannot be connected</h1><p>${text}</p>\n`);
}

function addTokenEndpoints(scope: FastifyInstance, oauth: OAuthEndpoints, auth: Auth, { clock }: Context): void {
  const refreshes = createLimiter(REFRESHES, () => clock.now());
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_: unknown, body: string) => formOf(body),
  );
  answerInOAuth(scope, ['/oauth/token', '/oauth/revoke']);
  const form = (request: FastifyRequest) => (request.body ?? new Map()) as ReadonlyMap<string, string>;
  scope.post('/oauth/token', { bodyLimit: FORM_LIMIT }, async (request, reply) => {
    const asked = form(request);
    const family = familyOf(asked.get('refresh_token') ?? '');
    if (family !== undefined) refuseBeyond(refreshes, family, 'refreshes of this grant');
    return reply
      .header('Pragma', 'no-cache')
      .send(await counted(auth, request.ip, oauth.exchange(asked, request.headers.authorization)));
  });
  scope.post('/oauth/revoke', { bodyLimit: FORM_LIMIT }, async (request, reply) => {
    await counted(auth, request.ip, oauth.end(form(request), request.headers.authorization));
    return reply.send({});
  });
}

const WRONG_SECRET: ReadonlySet<OAuthErrorCode> = new Set(['invalid_grant', 'invalid_client']);

/** Wrong codes, tokens and clients count as wrong keys do. */
async function counted<T>(auth: Auth, address: string, answering: Promise<T>): Promise<T> {
  try {
    return await answering;
  } catch (error) {
    const isWrong = error instanceof OAuthError && WRONG_SECRET.has(error.code);
    throw (isWrong ? auth.wrongSecret(address) : undefined) ?? error;
  }
}

/**
 * A field without a value counts as left out (RFC 6749, section 3.2). One that is there twice is refused: two readers could take
 * different ones.
 */
function formOf(body: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (value === '') continue;
    if (fields.has(name)) throw new OAuthError('invalid_request', `There is more than one ${name.slice(0, 100)}.`);
    fields.set(name, value);
  }
  return fields;
}

function addRegistration(scope: FastifyInstance, oauth: OAuthEndpoints, { clock }: Context): void {
  const limiter = createLimiter(REGISTRATIONS, () => clock.now());
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) =>
    readJson(body),
  );
  answerInOAuth(scope, ['/oauth/register']);
  scope.post('/oauth/register', { bodyLimit: FORM_LIMIT }, async (request, reply) => {
    refuseBeyond(limiter, networkOf(request.ip), 'registrations');
    return reply.code(201).send(await oauth.register(request.body));
  });
}

function refuseBeyond(limiter: Limiter, id: string, what: string): void {
  const { allowed, retryAfter } = limiter.take(id);
  if (allowed) return;
  const problem = `Too many ${what}. Try again in ${retryAfter} s.`;
  throw new OAuthError('temporarily_unavailable', problem, { status: 429, retryAfter });
}

/** Failures in the shape that OAuth clients read, and leave for pages of any site to call. */
function answerInOAuth(scope: FastifyInstance, paths: readonly string[]): void {
  scope.addHook('onRequest', async (_, reply) => void reply.headers(OPEN_TO_PAGES));
  for (const path of paths)
    scope.options(path, (_, reply) =>
      reply
        .code(204)
        .headers({
          'Access-Control-Allow-Methods': 'POST',
          'Access-Control-Allow-Headers': 'authorization, content-type',
        })
        .send(),
    );
  scope.setErrorHandler((error, request, reply) => {
    if (!(error instanceof OAuthError) && isDefect(error)) throw error;
    const { status, code, description, retryAfter } = oauthFailure(error);
    if (retryAfter !== undefined) reply.header('Retry-After', String(retryAfter));
    if (status === 401 && request.headers.authorization !== undefined) reply.header('WWW-Authenticate', 'Basic');
    return reply.code(status).send({ error: code, error_description: description });
  });
}

function oauthFailure(error: unknown) {
  if (error instanceof OAuthError) {
    const { status, code, message, retryAfter } = error;
    return { status, code, description: message, retryAfter };
  }
  const { status, body, headers } = failureOf(error);
  const code = status >= 500 || status === 429 ? 'temporarily_unavailable' : 'invalid_request';
  return { status, code, description: body.message, retryAfter: headers['Retry-After'] };
}
