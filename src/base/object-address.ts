/**
 * The address of a bucket: `s3://bucket/prefix?endpoint=https://…&region=…`. Without an endpoint it is Amazon's of the
 * region. The characters are those that every S3-compatible store takes as they are.
 */
import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { trimEnd } from './parse-url.ts';

export interface ObjectAddress {
  readonly region: string;
  /** The address of an object. */
  urlOf(key: string): string;
  /** The host that is called. */
  readonly host: string;
  /** Ends with a slash, unless it is empty. */
  readonly prefix: string;
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^[\w!.*'()=/-]{0,512}$/;
const REGION = /^[a-z0-9-]{1,40}$/;
const USUAL_REGION = 'us-east-1';

/** Why objects cannot go to this address; undefined when they can. `hostProblem` says why an endpoint is no good. */
export function bucketAddressProblem(url: URL, hostProblem: (endpoint: URL) => string | undefined): string | undefined {
  const { host, pathname, searchParams, hash, username } = url;
  if (!BUCKET.test(host) || username !== '' || hash !== '')
    return 'The URL must be s3://<bucket>/<prefix>?endpoint=<https address>&region=<region>.';
  if (!PREFIX.test(pathname)) return "The prefix may have letters, digits and _ ! . * ' ( ) = - / in it.";
  const unknown = [...searchParams.keys()].find((name) => name !== 'endpoint' && name !== 'region');
  if (unknown !== undefined) return `The URL takes endpoint and region, and no \`${unknown.slice(0, 40)}\`.`;
  if (!REGION.test(searchParams.get('region') ?? USUAL_REGION))
    return 'The region must be a name such as eu-central-1.';
  const endpoint = searchParams.get('endpoint');
  return endpoint === null ? undefined : endpointProblem(endpoint, hostProblem);
}

function endpointProblem(endpoint: string, hostProblem: (endpoint: URL) => string | undefined): string | undefined {
  if (!URL.canParse(endpoint)) return 'The endpoint must be an https address.';
  const { pathname, search } = new URL(endpoint);
  if (pathname !== '/' || search !== '') return 'The endpoint must be a host without a path.';
  const problem = hostProblem(new URL(endpoint));
  return problem === undefined ? undefined : `The endpoint: ${problem}`;
}

/** `url` is valid. */
export function readObjectAddress(url: string): ObjectAddress {
  const { host: bucket, pathname, searchParams } = new URL(url);
  const region = searchParams.get('region') ?? USUAL_REGION;
  const endpoint = searchParams.get('endpoint');
  const base = endpoint === null ? amazon(bucket, region) : `${new URL(endpoint).origin}/${bucket}`;
  const prefix = trimEnd(pathname.replace(/^\/+/, ''), '/');
  return {
    region,
    host: new URL(base).host,
    prefix: prefix === '' ? '' : `${prefix}/`,
    urlOf: (key) => `${base}/${key}`,
  };
}

/** Amazon wants the bucket in the host name, where a certificate covers no bucket with a dot. */
const amazon = (bucket: string, region: string): string =>
  bucket.includes('.')
    ? `https://s3.${region}.amazonaws.com/${bucket}`
    : `https://${bucket}.s3.${region}.amazonaws.com`;

const CREDENTIAL = /^([^:\s]{1,256}):([^:\s]{1,512})(?::([^:\s]{1,3000}))?$/;
export const CREDENTIAL_FORM =
  'The credential must be <access key id>:<secret access key>, and for a temporary key :<session token> after them.';

/** Requests to S3-compatible stores, signed with a key (Signature Version 4). */
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
