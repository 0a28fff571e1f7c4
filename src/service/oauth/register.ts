/** Dynamic registration (RFC 7591), for programs that have no document: open to all, and bounded. */
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { RegisteredClient, Store } from '../../store/store.ts';
import { redirectProblem } from './addresses.ts';
import { cleanName } from './client-document.ts';
import { OAuthError } from './oauth-error.ts';
import { newClientId, newClientSecret, secretDigest } from './secrets.ts';

const DAY = 24 * 60 * 60 * 1_000;
/** A client that no person has used by then is gone. */
const UNUSED_MS = DAY;
/** Clients that no person has used yet. Beyond that the oldest makes room, if it had its time. */
const MOST_UNUSED = 1_000;
const OWN_TIME_MS = 15 * 60 * 1_000;
export const AUTH_METHODS = ['none', 'client_secret_post', 'client_secret_basic'] as const;

const request = z.object({
  redirect_uris: z.array(z.string()).min(1).max(10),
  client_name: z.string().max(1_000).optional(),
  token_endpoint_auth_method: z.enum(AUTH_METHODS).optional(),
  grant_types: z.array(z.string()).max(20).optional(),
  response_types: z.array(z.string()).max(20).optional(),
});

interface Deps {
  readonly store: Pick<Store, 'addClient'>;
  readonly clock: Clock;
}

export async function registerClient({ store, clock }: Deps, body: unknown): Promise<Record<string, unknown>> {
  const { redirect_uris, client_name, token_endpoint_auth_method: method = 'none' } = readRequest(body);
  const now = clock.now();
  const secret = method === 'none' ? undefined : newClientSecret();
  const client: RegisteredClient = {
    id: newClientId(),
    name: cleanName(client_name ?? ''),
    redirectUris: redirect_uris,
    secretDigest: secret && secretDigest(secret),
    createdAt: now,
    endsAt: new Date(now.getTime() + UNUSED_MS),
  };
  const limit = { most: MOST_UNUSED, olderThan: new Date(now.getTime() - OWN_TIME_MS) };
  if (!(await store.addClient(client, limit))) {
    throw new OAuthError('temporarily_unavailable', 'Too many programs have registered lately. Try again later.', {
      status: 503,
      retryAfter: OWN_TIME_MS / 1_000,
    });
  }
  return {
    client_id: client.id,
    client_id_issued_at: Math.floor(now.getTime() / 1_000),
    client_name: client.name,
    redirect_uris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
  };
}

function readRequest(body: unknown): z.output<typeof request> {
  const parsed = request.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.join('.') ?? '';
    const code = field.startsWith('redirect_uris') ? 'invalid_redirect_uri' : 'invalid_client_metadata';
    throw new OAuthError(code, `\`${field}\`: ${issue?.message ?? 'It is wrong.'}`);
  }
  const { redirect_uris, grant_types, response_types } = parsed.data;
  for (const uri of redirect_uris) {
    const problem = redirectProblem(uri);
    if (problem !== undefined) throw new OAuthError('invalid_redirect_uri', `${uri.slice(0, 200)}: ${problem}`);
  }
  if (grant_types !== undefined && !grant_types.includes('authorization_code'))
    throw new OAuthError('invalid_client_metadata', '`grant_types` must have authorization_code.');
  if (response_types !== undefined && !response_types.includes('code'))
    throw new OAuthError('invalid_client_metadata', '`response_types` must have code.');
  return parsed.data;
}
