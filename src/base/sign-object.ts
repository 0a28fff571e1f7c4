/** Requests to S3-compatible stores, signed with a key (Signature Version 4). */
import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';

const CREDENTIAL = /^([^:\s]{1,256}):([^:\s]{1,512})(?::([^:\s]{1,3000}))?$/;
export const CREDENTIAL_FORM =
  'The credential must be <access key id>:<secret access key>, and for a temporary key :<session token> after them.';

export const objectCredentialProblem = (credential: string): string | undefined =>
  CREDENTIAL.test(credential) ? undefined : CREDENTIAL_FORM;

export interface ObjectRequest {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bytes?: Uint8Array;
}

/** `credential` has the right form. */
export async function signObject(
  { method, url, headers, bytes = new Uint8Array() }: ObjectRequest,
  { credential, region, now }: { readonly credential: string; readonly region: string; readonly now: Date },
): Promise<{ url: string; headers: Record<string, string> }> {
  const [, accessKeyId = '', secretAccessKey = '', sessionToken] = CREDENTIAL.exec(credential)!;
  const signer = new AwsV4Signer({
    method,
    url,
    headers: { ...headers, 'x-amz-content-sha256': createHash('sha256').update(bytes).digest('hex') },
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    service: 's3',
    region,
    datetime: now.toISOString().replaceAll(/[-:]|\.\d{3}/g, ''),
  });
  const signed = await signer.sign();
  return { url: signed.url.href, headers: Object.fromEntries(signed.headers) };
}

/** The code that a store gave with a refusal. */
export const refusalCode = (answer: string): string | undefined => /<Code>(\w{1,60})<\/Code>/.exec(answer)?.[1];
