/**
 * Objects: bytes under a key, written once and never changed. They lie in a folder here, or in an S3-compatible store (`object-bucket.ts`).
 */
import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemClock } from './clock.ts';
import { makeFolder, syncFolder } from './durable-file.ts';
import { type ObjectRequest, readObjectAddress, refusalCode, signObject } from './object-address.ts';

export interface ObjectStore {
  /** Resolves when the bytes survive a power cut. No key is ever used twice. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Returns undefined when there is no such object. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** An object that is gone already is no error. */
  remove(key: string): Promise<void>;
}

/** The slashes of a key are folders. */
function objectFolder(folder: string): ObjectStore {
  return {
    async put(key, bytes) {
      const path = join(folder, key);
      makeFolder(dirname(path));
      const beside = `${path}.${randomUUID()}.part`;
      try {
        await writeSynced(beside, bytes);
        await rename(beside, path);
      } finally {
        await rm(beside, { force: true });
      }
      syncFolder(dirname(path));
    },
    async get(key) {
      try {
        return await readFile(join(folder, key));
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async remove(key) {
      const path = join(folder, key);
      await rm(path, { force: true });
      try {
        syncFolder(dirname(path));
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    },
  };
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(bytes);
  await file.sync();
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code));

// Objects in a bucket of an S3-compatible store.

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

function objectBucket({ url, credential = '' }: ObjectPlace): ObjectStore {
  const { region, prefix, urlOf } = readObjectAddress(url);
  async function ask(request: Omit<ObjectRequest, 'url'>, key: string): Promise<Response> {
    const { method, bytes } = request;
    const whole = { ...request, url: urlOf(`${prefix}${key}`) };
    const signed = await signObject(whole, { credential, region, now: systemClock.now() });
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
