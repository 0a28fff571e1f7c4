/**
 * The address of a bucket: `s3://bucket/prefix?endpoint=https://…&region=…`. Without an endpoint it is Amazon's of the
 * region. The characters are those that every S3-compatible store takes as they are.
 */
import { trimEnd } from './trim-end.ts';

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
