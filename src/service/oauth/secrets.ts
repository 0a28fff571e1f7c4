/** Codes, tokens and client secrets: a prefix that names the kind, and 256 random bits. Only their digests are stored. */
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

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
