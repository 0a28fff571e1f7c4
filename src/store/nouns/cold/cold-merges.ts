/**
 * Several small objects of an account's day become one: a day from which much was erased would otherwise be read in as many fetches as
 * it ever had objects. They follow each other, so the one that takes their place has all matches from the first position to the last.
 */
import type { ColdObject, ColdReader, ColdRow, Db } from '../../db.ts';
import type { Position } from '../../order.ts';
import type { WalkSteps } from '../../rows/walk.ts';
import { unreadableObject } from '../../rows/whole-rows.ts';
import { CHARACTERS_OF_OBJECT, coldDraftReads, coldOf, dayOf, MOST_MATCHES, putObject } from './cold-drafts.ts';
import { COLUMNS, type ColdMerge, coldObjectReads } from './cold-objects.ts';

export interface ColdMergeStore {
  /** The first small objects of one account and day, at least two, that follow each other after a place. It looks at a few objects at a time. */
  nextColdMerge(after: ColdPlace): Promise<ColdMergeSearch>;
  /** Writes the first of them that fit in one as an object; undefined when no two do. */
  mergeColdObjects(objects: readonly ColdObject[], key: string): Promise<ColdMerge | undefined>;
}

/** The place of an object among all of them. */
export interface ColdPlace {
  readonly account: number;
  readonly first: Position;
}

export interface ColdMergeSearch {
  readonly objects: readonly ColdObject[];
  /** The place to look at next; undefined when all were looked at. */
  readonly after: ColdPlace | undefined;
}

/** Objects looked at in one call. */
const LOOKED_AT = 200;
/** An object with so many matches and bytes is small: four of them make one. */
const SMALL_MATCHES = MOST_MATCHES / 4;
const SMALL_BYTES = 512 * 1024;
/** Each is read whole. */
const MOST_MERGED = 16;

type Looked = ColdObject & { readonly stale: number };

/** All reads of old matches in objects. */
export const coldReads = (db: Db, steps: WalkSteps) => ({
  ...coldDraftReads(db, steps),
  ...coldObjectReads(db),
  ...mergeReads(db),
});

const mergeReads = (db: Db): ColdMergeStore => ({
  async nextColdMerge({ account, first }) {
    const rows = await db.rows<Looked>(
      `SELECT ${COLUMNS}, stale FROM cold_objects WHERE (account, first) > ($1, $2) ORDER BY account, first LIMIT ${LOOKED_AT}`,
      [account, first],
    );
    const found = firstRun(rows);
    if (found > 0) return { objects: runAt(rows, found - 1), after: found > 1 ? rows[found - 2]! : { account, first } };
    // The last one is looked at again, beside those that follow it.
    return { objects: [], after: rows.length < LOOKED_AT ? undefined : rows.at(-2)! };
  },
  async mergeColdObjects(objects, key) {
    const rows: ColdRow[] = [];
    const taken: ColdObject[] = [];
    let characters = 0;
    for (const object of objects) {
      const more = await rowsOf(coldOf(db), object);
      characters += more.reduce((sum, { payload }) => sum + payload.length, 0);
      if (characters > CHARACTERS_OF_OBJECT || rows.length + more.length > MOST_MATCHES) break;
      for (const row of more) rows.push(row);
      taken.push(object);
    }
    if (taken.length < 2) return undefined;
    const { account, first } = taken[0]!;
    const written = await putObject(coldOf(db), key, { account, first, last: taken.at(-1)!.last }, rows);
    return { ...written, of: taken.map((object) => object.key) };
  },
});

const isSmall = ({ matches, bytes, stale }: Looked): boolean =>
  stale === 0 && matches <= SMALL_MATCHES && bytes <= SMALL_BYTES;

const follows = (one: Looked | undefined, next: Looked): boolean =>
  one !== undefined &&
  isSmall(one) &&
  isSmall(next) &&
  one.account === next.account &&
  dayOf(one.first) === dayOf(next.first);

/** The place of the first object that follows another small one; -1 when there is none. */
const firstRun = (rows: readonly Looked[]): number => rows.findIndex((row, index) => follows(rows[index - 1], row));

function runAt(rows: readonly Looked[], from: number): ColdObject[] {
  let end = from + 1;
  while (end < rows.length && end - from < MOST_MERGED && follows(rows[end - 1], rows[end]!)) end++;
  return rows.slice(from, end);
}

async function rowsOf(cold: ColdReader, object: ColdObject): Promise<ColdRow[]> {
  const file = await cold.file(object);
  if (file === undefined) throw unreadableObject(object.key, 'it is not there');
  const rows: ColdRow[] = [];
  for (let group = 0; group < file.groups; group++) for (const row of await file.rows(group)) rows.push(row);
  return rows;
}
