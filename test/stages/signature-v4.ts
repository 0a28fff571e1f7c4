/** Signature Version 4 as a store checks it, from what came over the wire: written from Amazon's description of it. */
import { createHash, createHmac } from 'node:crypto';

export interface SignedRequest {
  readonly method: string;
  /** As it was sent, without a query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8}\/[\w-]+\/s3\/aws4_request), ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/;

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The code of the error that a store answers; undefined when the signature holds. */
export function signatureProblem(
  request: SignedRequest,
  secretOf: (keyId: string) => string | undefined,
): string | undefined {
  const { method, path, headers, body } = request;
  const [, keyId = '', scope = '', names = '', signature] = AUTHORIZATION.exec(String(headers['authorization'])) ?? [];
  if (signature === undefined) return 'AccessDenied';
  const secret = secretOf(keyId);
  if (secret === undefined) return 'InvalidAccessKeyId';
  const digest = String(headers['x-amz-content-sha256']);
  if (digest !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  const signed = names.split(';');
  const amazon = Object.keys(headers).filter((name) => name.startsWith('x-amz-'));
  if (!['host', ...amazon].every((name) => signed.includes(name))) return 'AccessDenied';
  const lines = signed.map((name) => `${name}:${String(headers[name]).trim().replaceAll(/ +/g, ' ')}\n`).join('');
  const canonical = [method, encoded(path), '', lines, names, digest].join('\n');
  const text = ['AWS4-HMAC-SHA256', String(headers['x-amz-date']), scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>((from, part) => hmac(from, part), `AWS4${secret}`);
  return hmac(key, text).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}

/** Each character but A–Z a–z 0–9 - . _ ~ / as the hexadecimal digits of its bytes. */
const encoded = (path: string): string =>
  path
    .split('/')
    .map((part) =>
      encodeURIComponent(decodeURIComponent(part)).replaceAll(
        /[!'()*]/g,
        (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
    )
    .join('/');
