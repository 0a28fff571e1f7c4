/**
 * Objects with the payloads of old matches. The rows of matches stay in the database: lists, counts, ratings and
 * stories go by them. Only the payload, the long part of a match, lies in the object that has its position.
 *
 * An object has all matches of its account from its first position to its last, and no two of an account overlap. Its
 * key is a leftover before it is written, and in use when one transaction has recorded it and emptied the payloads: a
 * crash leaves an object that nobody reads, and that is deleted later. When a match in it is erased, the object is
 * stale: it is written anew without the match, and the old one is deleted.
 */
import { type ColdObject, type Db, insertRow } from '../../db.ts';
import { type Position, timeOf } from '../../order.ts';
import { lockColdObjects } from '../../rows/locks.ts';
import { objectOf, objectsOf } from '../../rows/whole-rows.ts';

export interface ColdObjectStore {
  /** Says that an object will be written, and is to be deleted when it is not in use by this time. */
  planColdObject(key: string, due: Date): Promise<void>;
  /** Takes a planned object into use. False when something in it went meanwhile, or its time is over: it is deleted then. */
  recordColdObject(draft: ColdDraft): Promise<boolean>;
  /** Takes a planned object into use in the place of another one; without one, nothing was left to write. */
  replaceColdObject(key: string, draft: ColdObject | undefined): Promise<boolean>;
  /** Takes a planned object into use in the place of several. False when one of them is gone or stale, or a match in it went. */
  recordColdMerge(merge: ColdMerge): Promise<boolean>;
  /** One with a match that went. */
  staleColdObject(after: string): Promise<ColdObject | undefined>;
  /** Keys of objects that are to be deleted, now: nobody takes them into use any more. */
  takeColdLeftovers(now: Date, limit: number): Promise<string[]>;
  /** They are deleted. */
  forgetColdLeftovers(keys: readonly string[]): Promise<void>;
  /** Says when an object was last written, or could not be. */
  noteColdOutcome(outcome: ColdOutcome, at: Date): Promise<void>;
  coldFigures(): Promise<ColdFigures>;
}

export interface ColdFigures {
  readonly objects: number;
  readonly matches: number;
  readonly bytes: number;
  /** The day of the oldest of them. */
  readonly oldest: Date | undefined;
  readonly lastWrite: Date | undefined;
  readonly lastFailure: Date | undefined;
}

export type ColdOutcome = 'written' | 'failed';

/** A written object, and what stands in the place of its payloads from now on, by event. */
export interface ColdDraft extends ColdObject {
  readonly events: readonly { readonly number: number; readonly text: string }[];
}

/** A written object, and those in whose place it stands. */
export interface ColdMerge extends ColdObject {
  readonly of: readonly string[];
}

export const COLUMNS = 'account, first, last, matches, bytes, digest, key';
/** Objects past retention that go in one transaction. */
const SLICE = 500;

export const coldObjectReads = (db: Db): Pick<ColdObjectStore, 'staleColdObject' | 'coldFigures'> => ({
  staleColdObject: (after) =>
    db.row<ColdObject>(
      `SELECT ${COLUMNS} FROM cold_objects /*sqlite INDEXED BY cold_objects_stale */ WHERE stale = 1 AND key > $1 ORDER BY key LIMIT 1`,
      [after],
    ),
  async coldFigures() {
    const rows = await db.rows<{ name: string; value: number }>(
      `SELECT name, value FROM state
       WHERE name IN ('cold_objects', 'cold_matches', 'cold_bytes', 'cold_written', 'cold_failed')`,
    );
    const oldest = await db.row<{ first: Position }>(
      'SELECT first FROM cold_objects WHERE last > 0 ORDER BY last LIMIT 1',
    );
    const figure = (name: string): number => rows.find((row) => row.name === name)?.value ?? 0;
    const time = (milliseconds: number): Date | undefined => (milliseconds === 0 ? undefined : new Date(milliseconds));
    return {
      objects: figure('cold_objects'),
      matches: figure('cold_matches'),
      bytes: figure('cold_bytes'),
      oldest: oldest && new Date(timeOf(oldest.first)),
      lastWrite: time(figure('cold_written')),
      lastFailure: time(figure('cold_failed')),
    };
  },
});

/** `freed` hears that the disk has room that nothing uses. */
export const coldObjectWrites = (db: Db, freed: () => void = () => {}) => ({
  async planColdObject(key: string, due: Date): Promise<void> {
    await db.run('INSERT INTO cold_leftovers (key, due) VALUES ($1, $2)', [key, due]);
  },
  recordColdObject: (draft: ColdDraft): Promise<boolean> => {
    freed();
    return db.transaction((tx) => record(tx, draft));
  },
  replaceColdObject: (key: string, draft: ColdObject | undefined): Promise<boolean> =>
    db.transaction((tx) => replace(tx, key, draft)),
  recordColdMerge: (merge: ColdMerge): Promise<boolean> => db.transaction((tx) => recordMerge(tx, merge)),
  async noteColdOutcome(outcome: ColdOutcome, at: Date): Promise<void> {
    await db.run(
      'INSERT INTO state (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      [`cold_${outcome}`, at],
    );
  },
  async takeColdLeftovers(now: Date, limit: number): Promise<string[]> {
    const due = await db.rows<{ key: string }>('SELECT key FROM cold_leftovers WHERE due <= $1 ORDER BY due LIMIT $2', [
      now,
      limit,
    ]);
    if (due.length === 0) return [];
    const keys = due.map(({ key }) => key);
    // A process that records an object removes its key from the leftovers, unless it was taken here.
    const taken = await db.rows<{ key: string }>(
      'UPDATE cold_leftovers SET due = 0 WHERE key = ANY($1) AND due <= $2 RETURNING key',
      [keys, now],
    );
    return taken.map(({ key }) => key);
  },
  async forgetColdLeftovers(keys: readonly string[]): Promise<void> {
    await db.run('DELETE FROM cold_leftovers WHERE key = ANY($1) AND due = 0', [keys]);
  },
});

async function record(db: Db, draft: ColdDraft): Promise<boolean> {
  await lockColdObjects(db);
  if (!(await takeIntoUse(db, draft))) return false;
  const { account, first, last, matches, bytes, digest, key } = draft;
  const added = await db.run(
    `INSERT INTO cold_objects (${COLUMNS}) SELECT $1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::text, $7::text
     WHERE NOT EXISTS (SELECT 1 FROM cold_objects WHERE account = $1 AND first =
       (SELECT max(first) FROM cold_objects WHERE account = $1 AND first <= $3) AND last >= $2)`,
    [account, first, last, matches, bytes, digest, key],
  );
  if (added === 0) {
    await leave(db, [key]);
    return false;
  }
  await countObjects(db, { objects: 1, matches, bytes });
  await emptyPayloads(db, draft);
  return true;
}

/** Nothing is stored behind a position that was given out: as many matches as were written are the same ones. */
async function takeIntoUse(db: Db, object: ColdObject): Promise<boolean> {
  if ((await db.run('DELETE FROM cold_leftovers WHERE key = $1 AND due > 0', [object.key])) === 0) return false;
  if ((await matchesIn(db, object)) === object.matches) return true;
  await leave(db, [object.key]);
  return false;
}

const ONE_LEG = (sign: string, platform: string): string =>
  `(SELECT count(*) FROM matches /*sqlite INDEXED BY matches_of_account */
    WHERE account = ${sign}$1 AND platform = '${platform}' AND position >= $2 AND position <= $3)`;

async function matchesIn(db: Db, { account, first, last }: ColdObject): Promise<number> {
  const legs = [ONE_LEG('', 'x'), ONE_LEG('', 'firehose'), ONE_LEG('-', 'x'), ONE_LEG('-', 'firehose')];
  const row = await db.row<{ matches: number }>(`SELECT ${legs.join(' + ')} AS matches`, [account, first, last]);
  return row!.matches;
}

/** An event may have matches of several accounts: its payload goes when the last of them is in an object. */
const EMPTY = {
  sqlite: emptySql(''),
  // The matches of an event are of one day.
  postgres: emptySql('AND m.position >= $3 AND m.position <= $4'),
};

function emptySql(within: string): string {
  return `UPDATE events SET payload = n.text FROM json_to_recordset($1) AS n (number bigint, text text)
    WHERE events.number = ANY($2) AND events.number = n.number AND NOT EXISTS (SELECT 1 FROM matches m
      WHERE m.event = events.number ${within} AND NOT EXISTS (SELECT 1 FROM cold_objects o
        WHERE ${objectOf('abs(m.account)', 'm.position')}))`;
}

const DAY_OF_POSITIONS = 24 * 60 * 60 * 1_000 * 4_096;

async function emptyPayloads(db: Db, { events, first, last }: ColdDraft): Promise<void> {
  const values = [JSON.stringify(events), events.map(({ number }) => number)];
  // On the same day as its first match, which may be of another account.
  const day = [first - DAY_OF_POSITIONS, last + DAY_OF_POSITIONS];
  await db.run(EMPTY[db.dialect], db.dialect === 'sqlite' ? values : [...values, ...day]);
}

async function replace(db: Db, key: string, draft: ColdObject | undefined): Promise<boolean> {
  await lockColdObjects(db);
  const old = await db.row<ColdObject>(`SELECT ${COLUMNS} FROM cold_objects WHERE key = $1`, [key]);
  if (old === undefined) return false;
  if (draft === undefined ? (await matchesIn(db, old)) > 0 : !(await takeIntoUse(db, draft))) return false;
  if (draft === undefined) await db.run('DELETE FROM cold_objects WHERE key = $1', [key]);
  else
    await db.run('UPDATE cold_objects SET matches = $2, bytes = $3, digest = $4, key = $5, stale = 0 WHERE key = $1', [
      key,
      draft.matches,
      draft.bytes,
      draft.digest,
      draft.key,
    ]);
  await countObjects(db, {
    objects: draft === undefined ? -1 : 0,
    matches: (draft?.matches ?? 0) - old.matches,
    bytes: (draft?.bytes ?? 0) - old.bytes,
  });
  await leave(db, [key]);
  return true;
}

/** Nobody reads the old ones from here on: they are deleted after it, and a crash before it leaves them in use. */
async function recordMerge(db: Db, { of, ...merged }: ColdMerge): Promise<boolean> {
  await lockColdObjects(db);
  if (!(await takeIntoUse(db, merged))) return false;
  const old = await db.rows<ColdObject>(`SELECT ${COLUMNS} FROM cold_objects WHERE key = ANY($1) AND stale = 0`, [of]);
  if (old.length !== of.length) {
    await leave(db, [merged.key]);
    return false;
  }
  const { account, first, last, matches, bytes, digest, key } = merged;
  await db.run('DELETE FROM cold_objects WHERE key = ANY($1)', [of]);
  await insertRow(db, 'cold_objects', { account, first, last, matches, bytes, digest, key });
  const sum = (read: (object: ColdObject) => number): number => old.reduce((total, object) => total + read(object), 0);
  await countObjects(db, {
    objects: 1 - old.length,
    matches: matches - sum((one) => one.matches),
    bytes: bytes - sum((one) => one.bytes),
  });
  await leave(db, of);
  return true;
}

/** They are to be deleted now. */
async function leave(db: Db, keys: readonly string[]): Promise<void> {
  await db.run('INSERT INTO cold_leftovers (key, due) SELECT key, 0 FROM unnest($1::text[]) AS k (key)', [keys]);
}

const countObjects = (
  db: Db,
  { objects, matches, bytes }: Pick<ColdFigures, 'objects' | 'matches' | 'bytes'>,
): Promise<number> =>
  db.run(
    `UPDATE state SET value = value + CASE name WHEN 'cold_objects' THEN $1::bigint WHEN 'cold_matches' THEN $2::bigint ELSE $3::bigint END
     WHERE name IN ('cold_objects', 'cold_matches', 'cold_bytes')`,
    [objects, matches, bytes],
  );

/** Matches go that may lie in objects: those are written anew without them. Part of a transaction. */
export async function noteColdMatchesGone(
  db: Db,
  matches: readonly { readonly account: number; readonly position: Position }[],
): Promise<void> {
  await lockColdObjects(db);
  const keys = new Set([...(await objectsOf(db, matches)).values()].map(({ key }) => key));
  if (keys.size > 0) await db.run('UPDATE cold_objects SET stale = 1 WHERE key = ANY($1)', [[...keys]]);
}

/** A slice of the objects of which all is past retention; false when there was none. */
export async function removeOldColdObjects(db: Db): Promise<boolean> {
  const rows = await db.rows<ColdObject>(
    `SELECT ${COLUMNS} FROM cold_objects
     WHERE last < (SELECT value FROM state WHERE name = 'oldest') ORDER BY last LIMIT ${SLICE} FOR UPDATE`,
  );
  if (rows.length === 0) return false;
  const keys = rows.map(({ key }) => key);
  await db.run('DELETE FROM cold_objects WHERE key = ANY($1)', [keys]);
  await leave(db, keys);
  const sum = (of: (object: ColdObject) => number): number => rows.reduce((total, object) => total - of(object), 0);
  await countObjects(db, { objects: -rows.length, matches: sum((one) => one.matches), bytes: sum((one) => one.bytes) });
  return true;
}
