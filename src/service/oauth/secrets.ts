/** Codes, tokens and client secrets: a prefix that names the kind, and 256 random bits. Only their digests are stored. */
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { isDocumentId } from './client-document.ts';
import type { OAuthParts } from './clients.ts';
import { OAuthError } from './oauth-error.ts';

export const ACCESS_PREFIX = 'sla_';
const REFRESH = /^slr_([\w-]{22})([\w-]{43})$/;

const random = (bytes: number): string => randomBytes(bytes).toString('base64url');

export const newCode = (): string => `slo_${random(32)}`;
export const newAccessToken = (): string => ACCESS_PREFIX + random(32);
export const newClientId = (): string => `slc_${random(16)}`;
export const newClientSecret = (): string => `sls_${random(32)}`;
export const newConsentToken = (): string => random(32);

export const secretDigest = (secret: string): string => hash('sha256', secret, 'base64url');

/** All refresh tokens of a grant begin with the same family, so a token that was replaced long ago is still known. */
export const newRefreshToken = (): string => `slr_${random(16)}${random(32)}`;

export const familyOf = (refreshToken: string): string | undefined => REFRESH.exec(refreshToken)?.[1];

/**
 * The token that follows this one. It is computed, not drawn: a client whose answer was lost asks again and gets the same
 * token, as do ten requests at once, and nothing more than digests is stored. Without the key nobody can compute it.
 */
export function nextRefreshToken(key: Uint8Array, refreshToken: string): string {
  const secret = createHmac('sha256', key).update(`refresh token after ${refreshToken}`).digest('base64url');
  return `slr_${familyOf(refreshToken)!}${secret}`;
}

export const areEqualSecrets = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** RFC 7636: the challenge is the SHA-256 digest of the verifier. */
export const isVerifierOf = (challenge: string, verifier: string): boolean =>
  /^[A-Za-z0-9._~-]{43,128}$/.test(verifier) && areEqualSecrets(challenge, secretDigest(verifier));

export interface ClientCredentials {
  readonly id: string;
  readonly secret: string | undefined;
  /** It registered here. Others are known by the address of their document. */
  readonly isRegistered: boolean;
}

/** From the header (RFC 6749, 2.3.1) or from the form. */
export function credentialsIn(header: string | undefined, form: ReadonlyMap<string, string>): ClientCredentials {
  const basic = /^Basic ([A-Za-z0-9+/=]{1,4096})$/i.exec(header ?? '')?.[1];
  if (header !== undefined && basic === undefined) throw refused();
  const [id, secret] =
    basic === undefined ? [form.get('client_id'), form.get('client_secret')] : readBasic(basic, form.get('client_id'));
  if (id === undefined || id === '') throw new OAuthError('invalid_request', 'client_id is missing.');
  return { id, secret, isRegistered: !isDocumentId(id) };
}

function readBasic(encoded: string, inForm: string | undefined): [string, string] {
  const [id, ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  try {
    const decoded = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
    const pair: [string, string] = [decoded(id ?? ''), decoded(rest.join(':'))];
    if (inForm === undefined || inForm === pair[0]) return pair;
  } catch {
    // Not percent-encoded as it should be.
  }
  throw refused();
}

const refused = (): OAuthError =>
  new OAuthError(
    'invalid_client',
    'The client is not registered here any more, or its secret is wrong. Register again.',
  );

/** The document of a client is not read again here: its code and its grant have what is needed. */
export async function checkClient({ store, clock }: OAuthParts, credentials: ClientCredentials): Promise<void> {
  if (!credentials.isRegistered) return;
  const client = await store.client(credentials.id, clock.now());
  if (client === undefined) throw refused();
  if (client.secretDigest === undefined) return;
  if (!areEqualSecrets(client.secretDigest, secretDigest(credentials.secret ?? ''))) throw refused();
}
