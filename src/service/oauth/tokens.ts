/** The token endpoint: a code or a refresh token for new tokens, and the end of tokens. */
import type { GrantScope } from '../../domain/account.ts';
import type { AccessToken, StoredGrant, TokenPair } from '../../store/store.ts';
import { SYSTEM } from '../access/change-notes.ts';
import { isOurResource, type OAuthAddress } from './addresses.ts';
import { knownScopes } from './authorize-request.ts';
import type { OAuthParts } from './clients.ts';
import { OAuthError } from './oauth-error.ts';
import {
  type ClientCredentials,
  checkClient,
  familyOf,
  isVerifierOf,
  newAccessToken,
  newRefreshToken,
  nextRefreshToken,
  secretDigest,
} from './secrets.ts';

const ACCESS_MS = 60 * 60 * 1_000;
const DAY = 24 * 60 * 60 * 1_000;
/** A grant ends when its agent was away this long. */
const REFRESH_MS = 30 * DAY;
/** A registered client outlives the refresh tokens that it was given. */
export const CLIENT_MS = REFRESH_MS + DAY;
/** A refresh token that was just replaced still works this long: its answer was lost, or several workers share it. */
export const GRACE_MS = 60 * 1_000;

export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

/** The fields of the form, each at most once. */
export type Form = ReadonlyMap<string, string>;

export async function exchange(
  parts: OAuthParts,
  address: OAuthAddress,
  form: Form,
  credentials: ClientCredentials,
): Promise<TokenAnswer> {
  await checkClient(parts, credentials);
  const resource = form.get('resource');
  if (resource !== undefined && !isOurResource(address, resource))
    throw new OAuthError('invalid_target', `Tokens are given for ${address.resource} alone.`);
  const answer = await forGrantType(parts, address, form, credentials.id);
  if (credentials.isRegistered) await keepClient(parts, credentials.id);
  return answer;
}

/** The code or the refresh token is spent by now: a client that is told of a failure would use it again, and lose its grant. */
async function keepClient({ store, clock, log }: OAuthParts, id: string): Promise<void> {
  try {
    await store.keepClient(id, new Date(clock.now().getTime() + CLIENT_MS));
  } catch (error) {
    log.warn(
      { err: error, clientId: id },
      'A registered client could not be kept for longer. Its next request does it.',
    );
  }
}

function forGrantType(parts: OAuthParts, address: OAuthAddress, form: Form, clientId: string): Promise<TokenAnswer> {
  switch (form.get('grant_type')) {
    case 'authorization_code':
      return redeem(parts, address, form, clientId);
    case 'refresh_token':
      return refresh(parts, address, form, clientId);
    case undefined:
      throw new OAuthError('invalid_request', 'grant_type is missing.');
    default:
      throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.');
  }
}

const invalidGrant = (what: string): OAuthError =>
  new OAuthError('invalid_grant', `The ${what} is not valid, was used already, or has ended. Sign in again.`);

async function redeem(
  parts: OAuthParts,
  { resource }: OAuthAddress,
  form: Form,
  clientId: string,
): Promise<TokenAnswer> {
  const { store, clock } = parts;
  const digest = secretDigest(form.get('code') ?? '');
  const grant = await store.grantByCode(digest);
  if (grant === undefined) throw invalidGrant('code');
  if (grant.codeUsedAt !== undefined) throw await replayed(parts, grant, 'code');
  const isTheirs =
    grant.clientId === clientId &&
    grant.resource === resource &&
    grant.redirectUri === form.get('redirect_uri') &&
    isVerifierOf(grant.challenge, form.get('code_verifier') ?? '');
  if (!isTheirs) throw invalidGrant('code');
  const made = newTokens(grant, newRefreshToken(), grant.scopes, clock.now());
  if (await store.redeemCode(digest, made.pair, clock.now())) return made.answer;
  // It ended, or another request with the same code was faster.
  const now = await store.grantByCode(digest);
  throw now?.codeUsedAt === undefined ? invalidGrant('code') : await replayed(parts, now, 'code');
}

/** A code or a refresh token was presented a second time: one of the two who had it is a thief, so all of it ends. */
async function replayed(
  parts: OAuthParts,
  { accountId, id, clientId }: StoredGrant,
  what: string,
): Promise<OAuthError> {
  parts.log.warn({ accountId, grantId: id, clientId }, `A ${what} was used twice: its grant was revoked.`);
  await parts.revoke(accountId, id, SYSTEM);
  return invalidGrant(what);
}

async function refresh(
  parts: OAuthParts,
  { resource }: OAuthAddress,
  form: Form,
  clientId: string,
): Promise<TokenAnswer> {
  const { store, clock } = parts;
  const token = form.get('refresh_token') ?? '';
  const family = familyOf(token);
  const find = async () => (family === undefined ? undefined : store.grantByFamily(secretDigest(family)));
  const grant = await find();
  const now = clock.now();
  if (grant === undefined || grant.clientId !== clientId || grant.resource !== resource || grant.endsAt <= now)
    throw invalidGrant('refresh token');
  const scopes = narrowed(grant.scopes, form.get('scope'));
  const made = newTokens(grant, nextRefreshToken(parts.refreshKey, token), scopes, now);
  if (grant.refreshDigest === secretDigest(token)) {
    if (await store.rotateRefresh(grant.id, secretDigest(token), made.pair, now)) return made.answer;
    const later = await find();
    if (later !== undefined) return again(parts, later, token, made);
    throw invalidGrant('refresh token');
  }
  return again(parts, grant, token, made);
}

/** The token before the newest, within its grace: the same refresh token as before, and an access token of its own. */
async function again(parts: OAuthParts, grant: StoredGrant, token: string, made: NewTokens): Promise<TokenAnswer> {
  const sinceRotation = parts.clock.now().getTime() - (grant.rotatedAt?.getTime() ?? 0);
  if (grant.previousDigest !== secretDigest(token) || sinceRotation >= GRACE_MS)
    throw await replayed(parts, grant, 'refresh token');
  await parts.store.addAccessToken(made.pair.token);
  return made.answer;
}

/** A client may ask for less than it has, never for more. One that names none of our scopes asks for all that it has. */
function narrowed(granted: readonly GrantScope[], asked: string | undefined): readonly GrantScope[] {
  const scopes = knownScopes(asked);
  if (scopes.length === 0) return granted;
  const isWithin = (scope: GrantScope) => granted.includes(scope) || scope === 'read';
  if (!scopes.every(isWithin)) throw new OAuthError('invalid_scope', `The grant has: ${granted.join(' ')}.`);
  return scopes;
}

interface NewTokens {
  readonly pair: TokenPair;
  readonly answer: TokenAnswer;
}

function newTokens(grant: StoredGrant, refreshToken: string, scopes: readonly GrantScope[], now: Date): NewTokens {
  const accessToken = newAccessToken();
  const until = (milliseconds: number) => new Date(Math.min(now.getTime() + milliseconds, grant.expiresAt.getTime()));
  const token: AccessToken = { digest: secretDigest(accessToken), grantId: grant.id, scopes, endsAt: until(ACCESS_MS) };
  return {
    pair: {
      token,
      familyDigest: secretDigest(familyOf(refreshToken)!),
      refreshDigest: secretDigest(refreshToken),
      endsAt: until(REFRESH_MS),
    },
    answer: {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: Math.floor((token.endsAt.getTime() - now.getTime()) / 1_000),
      refresh_token: refreshToken,
      scope: scopes.join(' '),
    },
  };
}

/** RFC 7009: a refresh token ends its grant, an access token itself. One that is unknown or another client's ends nothing. */
export async function endToken(parts: OAuthParts, form: Form, credentials: ClientCredentials): Promise<void> {
  await checkClient(parts, credentials);
  const token = form.get('token');
  if (token === undefined) throw new OAuthError('invalid_request', 'token is missing.');
  const family = familyOf(token);
  if (family !== undefined) {
    const grant = await parts.store.grantByFamily(secretDigest(family));
    const isTheirs = grant?.clientId === credentials.id;
    const isKnown = [grant?.refreshDigest, grant?.previousDigest].includes(secretDigest(token));
    if (grant === undefined || !isTheirs || !isKnown) return;
    await parts.revoke(grant.accountId, grant.id, { kind: 'grant', keyId: grant.id, keyName: grant.clientName });
    return;
  }
  const found = await parts.store.accessToken(secretDigest(token), parts.clock.now());
  if (found?.grant.clientId === credentials.id) await parts.endAccessToken(found.grant, secretDigest(token));
}
