/** How matches become objects: which are due, and the object that holds them. What is read here is not changed. */
import { PLATFORMS } from '../../../domain/platform.ts';
import type { ColdObject, ColdReader, ColdRow, Db } from '../../db.ts';
import { StoreError } from '../../error.ts';
import { type Position, positionAt, timeOf } from '../../order.ts';
import { coldText, isCold } from '../../rows/carried.ts';
import { coldRowOf, writeColdFile } from '../../rows/cold-file.ts';
import type { MatchRow } from '../../rows/match-rows.ts';
import { decodeText } from '../../rows/texts.ts';
import type { Walk, WalkSteps } from '../../rows/walk.ts';
import { digestOfBytes, unreadableObject } from '../../rows/whole-rows.ts';
import { oldestOf } from '../matches.ts';
import type { ColdDraft } from './cold-objects.ts';

export interface ColdDraftStore {
  /** The first account after one whose matches before a time are due to be written. It looks at a few accounts at a time. */
  nextColdTask(after: number, before: Date): Promise<ColdSearch>;
  /** Writes the first matches of a task as an object; undefined when none are left. */
  writeColdObject(task: ColdTask, key: string): Promise<ColdDraft | undefined>;
  /** Writes an object again, without the matches that went; undefined when none are left. */
  rewriteColdObject(object: ColdObject, key: string): Promise<ColdObject | undefined>;
}

export interface ColdSearch {
  readonly task: ColdTask | undefined;
  /** The account to look at next; undefined when all accounts were looked at. */
  readonly after: number | undefined;
}

/** Matches of one account and one day. */
export interface ColdTask {
  readonly account: number;
  readonly accountId: string;
  /** As `2026-11-15`. */
  readonly day: string;
  readonly above: Position;
  readonly below: Position;
}

const DAY = 24 * 60 * 60 * 1_000;
/** Accounts looked at in one call. */
const ACCOUNTS = 20;
/** An object has so many matches at most, and ends with the one that brings its payloads to so many characters. */
export const MOST_MATCHES = 5_000;
export const CHARACTERS_OF_OBJECT = 8 * 1024 * 1024;

const startOfDay = (time: number): number => Math.floor(time / DAY) * DAY;

export const dayOf = (position: Position): number => startOfDay(timeOf(position));

export const coldDraftReads = (db: Db, steps: WalkSteps): ColdDraftStore => ({
  async nextColdTask(after, before) {
    const accounts = await db.rows<{ number: number; id: string }>(
      `SELECT number, id FROM accounts WHERE number > $1 ORDER BY number LIMIT ${ACCOUNTS}`,
      [after],
    );
    for (const { number, id } of accounts) {
      const task = await taskOf(
        db,
        steps,
        { account: number, accountId: id },
        positionAt(startOfDay(before.getTime())),
      );
      if (task !== undefined) return { task, after: number - 1 };
    }
    return { task: undefined, after: accounts.length < ACCOUNTS ? undefined : accounts.at(-1)!.number };
  },
  async writeColdObject(task, key) {
    const rows = await rowsOfObject(steps, task);
    if (rows.length === 0) return undefined;
    const range = { account: task.account, first: rows[0]!.position, last: rows.at(-1)!.position };
    const object = await putObject(coldOf(db), key, range, rows.map(coldRowOf));
    return { ...object, events: eventsOf(coldOf(db), rows) };
  },
  async rewriteColdObject(object, key) {
    const file = await coldOf(db).file(object);
    if (file === undefined) throw unreadableObject(object.key, 'it is not there');
    const kept: ColdRow[] = [];
    for (let group = 0; group < file.groups; group++) kept.push(...(await stillThere(db, await file.rows(group))));
    const { account, first, last } = object;
    return kept.length === 0 ? undefined : putObject(coldOf(db), key, { account, first, last }, kept);
  },
});

/** The first matches of a task, as many as an object has. */
async function rowsOfObject(steps: WalkSteps, task: ColdTask): Promise<MatchRow[]> {
  const rows: MatchRow[] = [];
  let length = 0;
  for await (const row of rowsOf(steps, task)) {
    if (isCold(row.payload))
      throw new StoreError('busy', `Another node has moved the match at the position ${row.position} meanwhile.`);
    rows.push(row);
    length += row.payload.length;
    if (rows.length >= MOST_MATCHES || length >= CHARACTERS_OF_OBJECT) break;
  }
  return rows;
}

export function coldOf({ cold }: Db): ColdReader {
  if (cold === undefined) throw new StoreError('defect', 'This store was not told where objects lie.');
  return cold;
}

/** While an active webhook is owed matches of a day, neither that day of the account nor a later one is drafted. */
async function taskOf(
  db: Db,
  steps: WalkSteps,
  { account, accountId }: Pick<ColdTask, 'account' | 'accountId'>,
  before: Position,
): Promise<ColdTask | undefined> {
  const written = await db.row<{ last: Position }>(
    'SELECT last FROM cold_objects WHERE account = $1 ORDER BY first DESC LIMIT 1',
    [account],
  );
  const above = Math.max(written?.last ?? 0, (await oldestOf(db)) - 1);
  const { value: first, done } = await rowsOf(steps, { account, above, below: before }, 1).next();
  if (done) return undefined;
  const day = dayOf(first.position);
  const owed = await oldestOwed(db, account);
  if (owed !== undefined && owed < positionAt(day + DAY)) return undefined;
  return { account, accountId, day: new Date(day).toISOString().slice(0, 10), above, below: positionAt(day + DAY) };
}

/** The position of the oldest match that waits, or that is in the oldest delivery not made yet. */
async function oldestOwed(db: Db, account: number): Promise<Position | undefined> {
  const row = await db.row<{ oldest: Position | null }>(
    `SELECT min(oldest) AS oldest FROM (
       SELECT (SELECT position FROM owed WHERE webhook = w.number AND delivery IS NULL ORDER BY position LIMIT 1) AS oldest
         FROM webhooks w WHERE w.account = $1 AND w.status = 'active'
       UNION ALL SELECT (SELECT position FROM owed WHERE delivery =
           (SELECT number FROM deliveries WHERE webhook = w.number AND status = 'pending' ORDER BY number LIMIT 1)
           ORDER BY position LIMIT 1)
         FROM webhooks w WHERE w.account = $1 AND w.status = 'active') waiting`,
    [account],
  );
  return row?.oldest ?? undefined;
}

type Range = Pick<ColdTask, 'account' | 'above' | 'below'>;

/** All matches of the account, oldest first, those of deleted rules that may be restored among them. */
async function* rowsOf(steps: WalkSteps, range: Range, atOnce = steps.most): AsyncGenerator<MatchRow, undefined> {
  const leg = (account: number) => legOf(steps, { ...range, account }, atOnce);
  const [shown, hidden] = [leg(range.account), leg(-range.account)];
  let [one, other] = [await shown.next(), await hidden.next()];
  let last = range.above;
  while (!one.done || !other.done) {
    const isShown = other.done || (!one.done && one.value.position <= other.value.position);
    const row = isShown ? one.value! : other.value!;
    // One that was hidden or shown between the two reads may be in both, or in none: who records the object counts.
    if (row.position > last) yield row;
    last = row.position;
    if (isShown) one = await shown.next();
    else other = await hidden.next();
  }
  return undefined;
}

async function* legOf(
  { slice }: WalkSteps,
  { account, above, below }: Range,
  atOnce: number,
): AsyncGenerator<MatchRow, undefined> {
  const plan: Omit<Walk, 'above'> = {
    subject: { column: 'account', number: account },
    platforms: PLATFORMS,
    order: 'ASC',
    below,
    wanted: MOST_MATCHES,
    keeps: () => true,
  };
  for (let after = above; ; ) {
    const { rows, isCut } = await slice({ ...plan, above: after }, atOnce);
    yield* rows;
    if (rows.length === 0 || (rows.length < atOnce && !isCut)) return undefined;
    after = rows.at(-1)!.position;
  }
}

/** Each event once: its matches follow each other, and have one payload. */
function eventsOf({ textKey }: ColdReader, rows: readonly MatchRow[]): ColdDraft['events'] {
  const byEvent = new Map(rows.map((row) => [row.event, row]));
  return [...byEvent.values()].map(({ event, platform, payload, post_id }) => ({
    number: event,
    text: coldText(platform, payload, decodeText(post_id), textKey),
  }));
}

/** An object is used when it was read back from where it lies, and has what was written. */
export async function putObject(
  cold: ColdReader,
  key: string,
  range: Pick<ColdObject, 'account' | 'first' | 'last'>,
  rows: readonly ColdRow[],
): Promise<ColdObject> {
  const bytes = await writeColdFile(rows);
  await cold.objects.put(key, bytes);
  const object = { ...range, matches: rows.length, bytes: bytes.length, digest: digestOfBytes(bytes), key };
  const file = await cold.file(object);
  if (file === undefined) throw unreadableObject(key, 'it was written, and is not there');
  const found = new Map<Position, string>();
  for (let group = 0; group < file.groups; group++)
    for (const [position, payload] of await file.payloads(group)) found.set(position, payload);
  if (found.size !== rows.length || rows.some(({ position, payload }) => found.get(Number(position)) !== payload))
    throw unreadableObject(key, 'it was written, and reads otherwise');
  return object;
}

async function stillThere(db: Db, rows: readonly ColdRow[]): Promise<ColdRow[]> {
  const found = await db.rows<{ position: Position }>('SELECT position FROM matches WHERE position = ANY($1)', [
    rows.map(({ position }) => Number(position)),
  ]);
  const there = new Set(found.map(({ position }) => position));
  return rows.filter(({ position }) => there.has(Number(position)));
}
