/**
 * Objects: bytes under a key, written once and never changed. They lie in a folder here, or in an S3-compatible store (`object-bucket.ts`).
 */
import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, syncFolder } from './durable-file.ts';

export interface ObjectStore {
  /** Resolves when the bytes survive a power cut. No key is ever used twice. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Returns undefined when there is no such object. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** An object that is gone already is no error. */
  remove(key: string): Promise<void>;
}

/** The slashes of a key are folders. */
export function objectFolder(folder: string): ObjectStore {
  return {
    async put(key, bytes) {
      const path = join(folder, key);
      makeFolder(dirname(path), 0o700);
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
