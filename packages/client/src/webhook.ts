/**
 * Whether a delivery to a webhook is ours: Standard Webhooks signatures, checked with what Node and browsers have built
 * in. The body must be the very bytes that came, before anything parses them.
 */
import type { CertificateHead, Digest, OperationalEvent } from './api.ts';
import type { ListedAlert, Match } from './operations.ts';

/** The body of a delivery to a webhook of format `json`. */
export interface WebhookBody {
  /** `test` for a made-up match that Test Webhook sends, `digest` for what was held, `operational` for a word on the service itself. */
  readonly type: 'matches' | 'test' | 'digest' | 'operational' | 'alert' | 'head';
  readonly webhook_id: string;
  /** With a wake contract alone: true for matches that wake, false for a digest. */
  readonly wake?: boolean;
  /** With `digest` alone. */
  readonly digest?: Digest;
  /** None with a digest, an operational event, an alert or a head. */
  readonly matches: readonly Match[];
  /** With `operational` alone. */
  readonly event?: OperationalEvent;
  /** With `alert` alone: a surge or silence that began or ended. */
  readonly alert?: ListedAlert;
  /** With `head` alone: the log of certificates has grown. */
  readonly head?: CertificateHead;
}

export interface WebhookDelivery {
  /** The webhook's secret, `whsec_…`; several while one takes over from another. */
  readonly secret: string | readonly string[];
  /** The headers of the request, as `Headers` or as Node has them. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string | Uint8Array;
  /** The time to judge by; the present when it is left out. */
  readonly now?: Date;
}

/** The request is not from the server that knows the secret, or is an old one sent again. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** Seconds that the two clocks may differ. */
const TOLERANCE = 5 * 60;

/** The body of a delivery, once it is known to be genuine; throws a `WebhookError` otherwise. */
export async function verifyWebhook({
  secret,
  headers,
  body,
  now = new Date(),
}: WebhookDelivery): Promise<WebhookBody> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => {
    const value = headerOf(headers, name);
    if (!value) throw new WebhookError(`The header ${name} is missing.`);
    return value;
  }) as [string, string, string];
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookError('The timestamp is not a number.');
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > TOLERANCE)
    throw new WebhookError('The timestamp is too far from the present time.');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  for (const one of [secret].flat()) {
    if (await isSignedWith(one, signed, signatures)) return JSON.parse(new TextDecoder().decode(bytes)) as WebhookBody;
  }
  throw new WebhookError('No signature is right.');
}

async function isSignedWith(secret: string, signed: Uint8Array<ArrayBuffer>, signatures: string): Promise<boolean> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (bytes === undefined || bytes.length === 0) throw new TypeError('The secret is not one of a webhook.');
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  for (const [, signature] of signatures.matchAll(/(?<!\S)v1,(\S+)/g)) {
    const given = fromBase64(signature!);
    // It compares in constant time.
    if (given !== undefined && (await crypto.subtle.verify('HMAC', key, given, signed))) return true;
  }
  return false;
}

function headerOf(headers: WebhookDelivery['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : found?.join(' ');
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(left.length + right.length);
  bytes.set(left);
  bytes.set(right, left.length);
  return bytes;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
