/** Whether a delivery is from the Sluice server that knows the secret: a Standard Webhooks signature over the very bytes. */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface SignedRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Seconds that the two clocks may differ. */
const TOLERANCE = 5 * 60;

/** Says what is wrong with the signature, and returns undefined when it is genuine. */
export function signatureProblem({ headers, body }: SignedRequest, secret: string, now: Date): string | undefined {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(' ') : value;
  });
  if (!id || !timestamp || !signatures) return 'A header of the signature is missing.';
  if (!/^\d{1,12}$/.test(timestamp)) return 'The timestamp is not a number.';
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > TOLERANCE)
    return 'The timestamp is more than five minutes from the present time.';
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  const isSigned = signatures
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => Buffer.from(one.slice('v1,'.length), 'base64'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
  return isSigned ? undefined : 'No signature is right.';
}
