/** Rows of matches with their payloads, wherever these lie. */
import type { ColdObject } from '../cold-reading.ts';
import type { Db } from '../db.ts';
import { StoreError } from '../error.ts';
import { unreadableObject } from './cold-reader.ts';
import { isCold } from './cold-text.ts';
import type { MatchRow } from './match-rows.ts';
import { type MatchSlice, READ_AT_ONCE, type WalkSteps } from './walk.ts';

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
