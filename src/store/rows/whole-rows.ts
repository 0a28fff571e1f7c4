/** Rows of matches with their payloads, wherever these lie. */
import { createHash } from 'node:crypto';
import { createLru } from '../../base/lru.ts';
import type { ObjectStore } from '../../base/object-store.ts';
import type { ColdFile, ColdObject, ColdReader, Db } from '../db.ts';
import { StoreError } from '../error.ts';
import type { Position } from '../order.ts';
import { isCold } from './carried.ts';
import { readColdFile } from './cold-file.ts';
import type { MatchRow } from './match-rows.ts';
import { type MatchSlice, READ_AT_ONCE, type WalkSteps } from './walk.ts';

/** Bytes of objects, and row groups that are read, which are kept. */
const KEPT_BYTES = 32 * 1024 * 1024;
const KEPT_GROUPS = 8;

/**
 * Reads payloads from objects. An object is fetched whole, and its bytes are compared with the digest that the database has of it, so
 * that a damaged one is told and never read. What was read lately is kept: the next page is mostly in the same object.
 */
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

/** In SQL: the object `o` that has the match of an account at a position, if one has. */
export const objectOf = (account: string, position: string): string =>
  `o.account = ${account} AND o.last >= ${position} AND o.first =
    (SELECT max(c.first) FROM cold_objects c WHERE c.account = ${account} AND c.first <= ${position})`;

type Place = Pick<MatchRow, 'account' | 'position'>;

/** Which objects have these matches, by position. */
export async function objectsOf(db: Db, places: readonly Place[]): Promise<Map<number, ColdObject>> {
  const rows = await db.rows<ColdObject & { position: number }>(
    `SELECT p.position, o.account, o.first, o.last, o.matches, o.bytes, o.digest, o.key
     FROM json_to_recordset($1) AS p (account bigint, position bigint)
     /*sqlite CROSS */ JOIN cold_objects o ON ${objectOf('p.account', 'p.position')}`,
    [JSON.stringify(places.map(({ account, position }) => ({ account, position })))],
  );
  return new Map(rows.map(({ position, ...object }) => [position, object]));
}

/** The rows up to the one that makes them long. A match that went meanwhile is marked as deleted. */
async function wholeSlice(db: Db, { rows, isCut }: MatchSlice, most: number): Promise<MatchSlice> {
  const cold = rows.filter(({ payload }) => isCold(payload));
  if (cold.length === 0) return { rows, isCut };
  const objects = await objectsOf(db, cold);
  const whole: MatchRow[] = [];
  let read = 0;
  for (const row of rows) {
    const one = isCold(row.payload) ? await wholeRow(db, row, objects.get(row.position)) : row;
    whole.push(one);
    read += one.payload.length;
    if (read >= most) return { rows: whole, isCut: isCut || whole.length < rows.length };
  }
  return { rows: whole, isCut };
}

/** All of them, without those that went meanwhile. */
export async function wholeRows(db: Db, rows: readonly MatchRow[]): Promise<readonly MatchRow[]> {
  const { rows: whole } = await wholeSlice(db, { rows, isCut: false }, Number.POSITIVE_INFINITY);
  return whole === rows ? rows : whole.filter((row) => row.deleted === 0 || rows.includes(row));
}

/** Walks as before, with the payloads of cold matches. */
export const wholeSteps = (db: Db, steps: WalkSteps): WalkSteps => ({
  ...steps,
  slice: async (plan, limit) => wholeSlice(db, await steps.slice(plan, limit), READ_AT_ONCE),
});

async function wholeRow(db: Db, row: MatchRow, object: ColdObject | undefined): Promise<MatchRow> {
  if (db.cold === undefined)
    throw new StoreError('cold', 'Old matches lie in objects, and this server was not told where: set SLUICE_COLD.');
  const payload = object && (await db.cold.payload(object, row.position));
  if (payload !== undefined) return { ...row, payload };
  // The object was written anew since the row was read, or the match is gone, or it is hot again.
  const now = await db.row<{ payload: string }>(
    'SELECT e.payload FROM matches m JOIN events e ON e.number = m.event WHERE m.position = $1',
    [row.position],
  );
  if (now === undefined) return { ...row, deleted: 1, payload: '{}' };
  if (!isCold(now.payload)) return { ...row, payload: now.payload };
  const other = (await objectsOf(db, [row])).get(row.position);
  const found = other && other.key !== object?.key ? await db.cold.payload(other, row.position) : undefined;
  if (found !== undefined) return { ...row, payload: found };
  throw other === undefined
    ? new StoreError('defect', `No object has the match at the position ${row.position}.`)
    : unreadableObject(other.key, 'it is not there, or has not all its rows');
}
