/**
 * Reads payloads from objects. An object is fetched whole, and its bytes are compared with the digest that the database has of it, so
 * that a damaged one is told and never read. What was read lately is kept: the next page is mostly in the same object.
 */
import { createHash } from 'node:crypto';
import { createLru } from '../../base/lru.ts';
import type { ObjectStore } from '../../base/object-store.ts';
import type { ColdFile, ColdObject, ColdReader } from '../cold-reading.ts';
import { StoreError } from '../error.ts';
import type { Position } from '../order.ts';
import { readColdFile } from './cold-file.ts';

/** Bytes of objects, and row groups that are read, which are kept. */
const KEPT_BYTES = 32 * 1024 * 1024;
const KEPT_GROUPS = 8;

export const digestOfBytes = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export function createColdReader(objects: ObjectStore, textKey?: Uint8Array): ColdReader {
  const files = createLru<string, { readonly file: ColdFile; readonly bytes: number }>({
    limit: KEPT_BYTES,
    weightOf: ({ bytes }) => bytes,
  });
  const groups = createLru<string, Map<Position, string>>({ limit: KEPT_GROUPS });

  async function file({ key, digest }: Pick<ColdObject, 'key' | 'digest'>): Promise<ColdFile | undefined> {
    const kept = files.get(key);
    if (kept !== undefined) return kept.file;
    const bytes = await fetched(objects, key);
    if (bytes === undefined) return undefined;
    if (digestOfBytes(bytes) !== digest) throw unreadableObject(key, 'its bytes are not those that were written');
    const opened = await readColdFile(bytes);
    files.set(key, { file: opened, bytes: bytes.length });
    return opened;
  }

  return {
    objects,
    textKey,
    file,
    async payload(object, position) {
      const opened = await file(object);
      const group = opened?.groupOf(position);
      if (opened === undefined || group === undefined) return undefined;
      const name = `${group} ${object.key}`;
      const payloads = groups.get(name) ?? (await opened.payloads(group));
      groups.set(name, payloads);
      return payloads.get(position);
    },
  };
}

async function fetched(objects: ObjectStore, key: string): Promise<Uint8Array | undefined> {
  try {
    return await objects.get(key);
  } catch (error) {
    throw unreadableObject(key, error instanceof Error ? error.message : String(error), error);
  }
}

export const unreadableObject = (key: string, why: string, cause?: unknown): StoreError =>
  new StoreError('cold', `The object ${key} with old matches cannot be read: ${why}.`, { cause });
