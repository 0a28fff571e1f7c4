/** Reads what a client asks for at `/oauth/authorize`. */
import { GRANT_SCOPES, type GrantScope } from '../../domain/account.ts';
import { isOurResource, isRegistered, type OAuthAddress } from './addresses.ts';
import type { OAuthClient } from './client-document.ts';
import { OAuthError } from './oauth-error.ts';

const LONGEST_STATE = 1_024;

export interface AuthorizeRequest {
  readonly client: OAuthClient;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly challenge: string;
  /** `read` is always among what may be granted. */
  readonly scopes: readonly GrantScope[];
}

/**
 * The problem that the person is told; nothing is sent to the address in the request, because it may be an attacker's.
 */
export interface RefusedRequest {
  readonly problem: string;
}

/** The id in a request; a problem when there is not exactly one. */
export function clientIdIn(query: URLSearchParams): string | RefusedRequest {
  const [id, ...more] = query.getAll('client_id');
  if (id === undefined || id === '' || more.length > 0) return { problem: 'The request must have one client_id.' };
  return id;
}

/** The request, or a problem, or the address that an error goes to. */
export function readAuthorizeRequest(
  address: OAuthAddress,
  client: OAuthClient,
  query: URLSearchParams,
): AuthorizeRequest | RefusedRequest | { readonly redirect: string } {
  const [redirectUri, ...more] = query.getAll('redirect_uri');
  if (redirectUri === undefined || more.length > 0) return { problem: 'The request must have one redirect_uri.' };
  if (!isRegistered(client.redirectUris, redirectUri))
    return { problem: `The redirect_uri is not one of those that ${client.name} has named.` };
  const states = query.getAll('state');
  const state = states.length === 1 && states[0]!.length <= LONGEST_STATE ? states[0] : undefined;
  try {
    if (states.length > 1 || (states.length === 1 && state === undefined))
      throw new OAuthError('invalid_request', `There may be one state, of up to ${LONGEST_STATE} characters.`);
    return { client, redirectUri, state, ...readRest(address, query) };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return { redirect: errorRedirect(address, { redirectUri, state }, error) };
  }
}

/** A parameter without a value counts as left out (RFC 6749, section 3.1). */
function readRest(address: OAuthAddress, query: URLSearchParams): Pick<AuthorizeRequest, 'challenge' | 'scopes'> {
  const given = (name: string): string[] => query.getAll(name).filter((value) => value !== '');
  const one = (name: string): string | undefined => {
    const [value, ...others] = given(name);
    if (others.length > 0) throw new OAuthError('invalid_request', `There is more than one ${name}.`);
    return value;
  };
  const resources = given('resource');
  if (resources.length > 1 || resources.some((resource) => !isOurResource(address, resource)))
    throw new OAuthError('invalid_target', `Tokens are given for ${address.resource} alone.`);
  if (one('response_type') !== 'code') throw new OAuthError('unsupported_response_type', 'response_type must be code.');
  if (one('code_challenge_method') !== 'S256')
    throw new OAuthError('invalid_request', 'code_challenge_method must be S256.');
  const challenge = one('code_challenge') ?? '';
  if (!/^[\w-]{43}$/.test(challenge))
    throw new OAuthError('invalid_request', 'code_challenge must be a SHA-256 digest in base64url, of 43 characters.');
  return { challenge, scopes: readScopes(one('scope')) };
}

/** Without any scope of ours it is `read`. */
function readScopes(given: string | undefined): GrantScope[] {
  const scopes = knownScopes(given);
  return scopes.length === 0 ? ['read'] : scopes;
}

/** Words that are not ours are passed over. */
export function knownScopes(given = ''): GrantScope[] {
  if (!/^[\x20\x21\x23-\x5b\x5d-\x7e]{0,1000}$/.test(given))
    throw new OAuthError('invalid_scope', 'The scope cannot be read.');
  const words = given.split(' ');
  return GRANT_SCOPES.filter((scope) => words.includes(scope));
}

type BackTo = Pick<AuthorizeRequest, 'redirectUri' | 'state'>;

export const errorRedirect = (address: OAuthAddress, to: BackTo, error: OAuthError): string =>
  redirectWith(address, to, { error: error.code, error_description: error.message });

/** Every answer names who gave it, so that a client that asked several servers is not mixed up. */
export function redirectWith(
  { issuer }: OAuthAddress,
  { redirectUri, state }: BackTo,
  answer: Readonly<Record<string, string>>,
): string {
  const query = new URLSearchParams({ ...answer, ...(state !== undefined && { state }), iss: issuer });
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query.toString()}`;
}
