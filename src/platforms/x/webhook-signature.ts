/**
 * How X proves that a delivery is its own, and how we prove that the endpoint is ours: a keyed digest under the consumer
 * secret of the app. Both use one key and no label, so whoever may choose the text of a challenge could have a body signed.
 * A challenge is therefore answered only if its text cannot be a body: it has no brackets, quotes or blanks.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

const CHALLENGE = /^[\w+/=.~-]{1,256}$/;
const PREFIX = 'sha256=';

const signatureOf = (secret: string, content: string | Uint8Array): string =>
  `${PREFIX}${createHmac('sha256', secret).update(content).digest('base64')}`;

/** The answer to a challenge; undefined if it is none. */
export const challengeAnswer = (secret: string, token: unknown): string | undefined =>
  typeof token === 'string' && CHALLENGE.test(token) ? signatureOf(secret, token) : undefined;

/** Whether the header signs exactly these bytes. It takes as long for a wrong signature as for a right one. */
export function isSigned(secret: string, body: Uint8Array, header: unknown): boolean {
  if (typeof header !== 'string') return false;
  const [given, right] = [Buffer.from(header), Buffer.from(signatureOf(secret, body))];
  return given.length === right.length && timingSafeEqual(given, right);
}
