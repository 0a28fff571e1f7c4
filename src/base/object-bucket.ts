/** Objects in a bucket of an S3-compatible store. */
import { systemClock } from './clock.ts';
import { readObjectAddress } from './object-address.ts';
import { type ObjectStore, objectFolder } from './object-store.ts';
import { type ObjectRequest, refusalCode, signObject } from './sign-object.ts';

/** The place of objects: a folder, or `s3://bucket/prefix?endpoint=…&region=…` with a key. Plain data for threads. */
export interface ObjectPlace {
  readonly url: string;
  readonly credential?: string | undefined;
}

const S3 = 's3://';

export const isBucket = (url: string): boolean => url.startsWith(S3);

export const openObjects = (place: ObjectPlace): ObjectStore =>
  isBucket(place.url) ? objectBucket(place) : objectFolder(place.url);

/** An answer comes within this time, or the request has failed. */
const PATIENCE_MS = 20_000;
const NOT_FOUND = 404;
/** An earlier request put it there whose answer was lost: no key is used twice. */
const ALREADY_THERE = 412;

function objectBucket({ url, credential = '' }: ObjectPlace, clock = systemClock): ObjectStore {
  const { region, prefix, urlOf } = readObjectAddress(url);
  async function ask(request: Omit<ObjectRequest, 'url'>, key: string): Promise<Response> {
    const { method, bytes } = request;
    const whole = { ...request, url: urlOf(`${prefix}${key}`) };
    const signed = await signObject(whole, { credential, region, now: clock.now() });
    const body = bytes && new Uint8Array(bytes);
    return fetch(signed.url, {
      method,
      headers: signed.headers,
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body && { body }),
    });
  }
  return {
    async put(key, bytes) {
      const headers = { 'content-type': 'application/vnd.apache.parquet', 'if-none-match': '*' };
      const answer = await ask({ method: 'PUT', headers, bytes }, key);
      const said = await answer.text();
      if (!answer.ok && answer.status !== ALREADY_THERE) throw refused(answer.status, said);
    },
    async get(key) {
      const answer = await ask({ method: 'GET' }, key);
      if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
      const said = await answer.text();
      if (answer.status === NOT_FOUND) return undefined;
      throw refused(answer.status, said);
    },
    async remove(key) {
      const answer = await ask({ method: 'DELETE' }, key);
      const said = await answer.text();
      if (!answer.ok && answer.status !== NOT_FOUND) throw refused(answer.status, said);
    },
  };
}

function refused(status: number, said: string): Error {
  const code = refusalCode(said);
  return new Error(`the store answered ${status}${code === undefined ? '' : ` (${code})`}`);
}
