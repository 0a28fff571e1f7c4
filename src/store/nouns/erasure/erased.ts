/**
 * Posts that an account has erased from its previews: hidden at once, and taken out of the account's own rows by slices of
 * housekeeping. Each entry has the number of the newest row at that time: rows up to it are hidden, and what arrives later shows
 * again. One pass through the rows serves every erasure that waits for it.
 */
import type { Payload } from '../../../domain/match.ts';
import type { Platform } from '../../../domain/platform.ts';
import type { Db } from '../../db.ts';
import { type CarriedPost, carriedPosts, mayCarry } from '../../rows/carried.ts';
import { RING_LOCK } from '../../rows/locks.ts';
import { encodeText, parseColumn } from '../../rows/texts.ts';
import {
  ALL_ACCOUNTS,
  type ErasedRow,
  EVERY_POST,
  enough,
  type RecentTotals,
  SHARED,
  withoutPosts,
} from '../recent.ts';

/** The most entries of an account on a platform. One more, and all rows up to now are hidden by a single entry. */
const MAX_ERASED = 1_000;
/** Rows whose sizes are looked at together before they are searched. */
const ROWS = 256;

const NEWEST = {
  sqlite: `SELECT seq AS number FROM sqlite_sequence WHERE name = 'recent'`,
  postgres: 'SELECT max(number) AS number FROM recent',
};

const oldestOf = (owner: string): string =>
  `coalesce((SELECT number FROM recent WHERE platform = $2 AND owner = ${owner} ORDER BY number LIMIT 1), $3)`;

/** Hides what the rings have of a post up to now. */
export async function hideRecent(
  db: Db,
  whose: readonly [accountId: string, platform: Platform],
  postId: string,
  most = MAX_ERASED,
): Promise<void> {
  const newest = await db.row<{ number: number | null }>(NEWEST[db.dialect]);
  if (newest === undefined || newest.number === null) return;
  // An entry is of no more use when all rows from its time have left the rings.
  await db.run(
    `DELETE FROM recent_erased WHERE account = $1 AND platform = $2 AND walked >= number
       AND number < ${oldestOf(`'${SHARED}'`)} AND number < ${oldestOf('$1')}`,
    [...whose, Number.MAX_SAFE_INTEGER],
  );
  const held = await db.row<{ entries: number }>(
    'SELECT count(*) AS entries FROM recent_erased WHERE account = $1 AND platform = $2',
    whose,
  );
  const isFull = held!.entries >= most;
  if (isFull) await db.run('DELETE FROM recent_erased WHERE account = $1 AND platform = $2', whose);
  await db.run(
    `INSERT INTO recent_erased (account, platform, post_id, number, walked) VALUES ($1, $2, $3, $4, 0)
     ON CONFLICT (account, platform, post_id) DO UPDATE SET number = excluded.number, walked = 0`,
    [...whose, isFull ? EVERY_POST : encodeText(postId), newest.number],
  );
}

/** The accounts whose events are in the rings of a platform. The empty name stands for events that all accounts see. */
export const ringOwners = async (db: Db, platform: Platform): Promise<string[]> =>
  (
    await db.rows<{ owner: string }>('SELECT owner FROM recent_totals WHERE platform = $1 AND owner <> $2', [
      platform,
      ALL_ACCOUNTS,
    ])
  ).map(({ owner }) => owner);

export interface WaitingErasure extends ErasedRow {
  /** The number of the last row that was searched for it. */
  readonly walked: number;
}

/** One pass through an account's rows: from where to where, and what to take out. */
export interface ErasurePass {
  readonly walked: number;
  readonly end: number;
  isErased(row: number, encodedPostId: string): boolean;
}

/** A pass that has begun is finished with its posts alone: those that came meanwhile share the next one. */
export function erasurePassOf(waiting: readonly WaitingErasure[]): ErasurePass {
  const walked = Math.max(...waiting.map((one) => one.walked));
  const now = waiting.filter((one) => one.walked === walked);
  const numbers = new Map(now.map(({ post_id, number }) => [post_id, number]));
  const isIn = (row: number, post: string): boolean => row <= (numbers.get(post) ?? -1);
  return {
    walked,
    end: Math.max(...now.map(({ number }) => number)),
    isErased: (row, post) => isIn(row, EVERY_POST) || isIn(row, post),
  };
}

/** Takes erased posts out of a slice of an account's rows. False when nothing waits for it. */
export async function eraseSlice(db: Db): Promise<boolean> {
  const next = await db.row<{ account: string; platform: Platform }>(
    `SELECT account, platform FROM recent_erased /*sqlite INDEXED BY recent_erased_waiting */
     WHERE walked < number ORDER BY account, platform LIMIT 1`,
  );
  if (next === undefined) return false;
  const whose = [next.account, next.platform];
  // `keep_recent` takes the same lock, so no row changes under us.
  if (db.dialect === 'postgres')
    await db.run('SELECT pg_advisory_xact_lock($1, hashtext($2))', [RING_LOCK, next.platform]);
  const waiting = await db.rows<WaitingErasure>(
    'SELECT post_id, number, walked FROM recent_erased WHERE account = $1 AND platform = $2 AND walked < number',
    whose,
  );
  if (waiting.length === 0) return true;
  const pass = erasurePassOf(waiting);
  const sizes = await db.rows<{ number: number; bytes: number }>(
    `SELECT number, bytes FROM recent
     WHERE owner = $1 AND platform = $2 AND number > $3 AND number <= $4 ORDER BY number LIMIT ${ROWS}`,
    [...whose, pass.walked, pass.end],
  );
  const numbers = enough(sizes);
  const rows = await db.rows<OwnRow>('SELECT number, events, bytes, lines FROM recent WHERE number = ANY($1)', [
    numbers,
  ]);
  for (const row of rows) {
    const isErased = (post: string) => pass.isErased(row.number, post);
    const left = withoutPosts(
      row.lines,
      (post, line) => isErased(post) || carriedIn(next.platform, line).some((one) => isErased(encodeText(one.postId))),
    );
    if (left !== undefined) await rewrite(db, next, row, left);
  }
  await db.run(
    'UPDATE recent_erased SET walked = $4 WHERE account = $1 AND platform = $2 AND walked = $3 AND walked < number',
    [...whose, pass.walked, numbers.at(-1) ?? pass.end],
  );
  return true;
}

/** Takes lines out of some rows after a number, of whoever they are. Answers the last number; undefined at the end. */
export async function eraseLines(
  db: Db,
  after: number,
  isErased: (platform: Platform, payload: string) => boolean,
): Promise<number | undefined> {
  const sizes = await db.rows<{ number: number; bytes: number }>(
    `SELECT number, bytes FROM recent WHERE number > $1 ORDER BY number LIMIT ${ROWS}`,
    [after],
  );
  const numbers = enough(sizes);
  for (const number of numbers) {
    const at = await db.row<{ platform: Platform }>('SELECT platform FROM recent WHERE number = $1', [number]);
    if (db.dialect === 'postgres' && at !== undefined)
      await db.run('SELECT pg_advisory_xact_lock($1, hashtext($2))', [RING_LOCK, at.platform]);
    const row = await db.row<OwnRow & { platform: Platform; owner: string }>(
      'SELECT number, platform, owner, events, bytes, lines FROM recent WHERE number = $1',
      [number],
    );
    const left =
      row &&
      withoutPosts(row.lines, (_, line) => isErased(row.platform, JSON.stringify(parseColumn<unknown[]>(line)[2])));
    if (left !== undefined) await rewrite(db, { account: row!.owner, platform: row!.platform }, row!, left);
  }
  return numbers.at(-1);
}

/** The posts that a line of the ring carries. */
function carriedIn(platform: Platform, line: string): readonly CarriedPost[] {
  if (!mayCarry(line)) return [];
  const [, postId, payload] = parseColumn<[string, string, Payload]>(line);
  return carriedPosts(platform, payload, postId);
}

interface OwnRow extends RecentTotals {
  readonly number: number;
  readonly lines: string;
}

async function rewrite(
  db: Db,
  { account, platform }: { readonly account: string; readonly platform: Platform },
  row: OwnRow,
  { lines, events, bytes }: RecentTotals & { lines: string },
): Promise<void> {
  if (events === 0) await db.run('DELETE FROM recent WHERE number = $1', [row.number]);
  else
    await db.run('UPDATE recent SET lines = $2, events = $3, bytes = $4 WHERE number = $1', [
      row.number,
      lines,
      events,
      bytes,
    ]);
  await db.run(
    'UPDATE recent_totals SET events = events + $3, bytes = bytes + $4 WHERE platform = $1 AND owner = ANY($2)',
    [platform, account === SHARED ? [SHARED] : [account, ALL_ACCOUNTS], events - row.events, bytes - row.bytes],
  );
}
