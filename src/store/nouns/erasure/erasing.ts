/**
 * An erasure under way. The post itself goes at once; the reposts, quotes and edits that carry it may be a million, and go in slices
 * of one transaction each. How far it has come is a row: another process goes on with an erasure that was left. When the last
 * slice is done the row is gone, and the audit log says who erased how many matches, of whom, and nothing of what they said.
 */
import type { Change } from '../../../domain/change.ts';
import type { Platform } from '../../../domain/platform.ts';
import type { Db } from '../../db.ts';
import { lockRules } from '../../rows/locks.ts';
import { decodeText, parseColumn } from '../../rows/texts.ts';
import { noteChange } from '../changes.ts';
import { eraseSamples } from '../rehearsals.ts';
import { type Carrier, carriersOf } from './carriers.ts';
import { eraseLines } from './erased.ts';
import { bury, EVERY_ACCOUNT, eventText, marksOf, tombstoneEnd } from './tombstones.ts';

/** For the audit log. Without an account, it stands in the logs of those whose matches went. */
export interface ErasureNote {
  readonly id: string;
  readonly by: Change['by'];
  readonly accountId?: string;
}

/** The outcome of one transaction of an erasure. */
export interface ErasureStep {
  /** Matches of rules that were not deleted, by the account's id; none where all were of deleted rules. */
  readonly counts: Readonly<Record<string, number>>;
  /** The number to go on from; undefined when all is done. */
  readonly number: number | undefined;
}

export interface ErasureProgress {
  readonly platform: Platform;
  /** A number, or that of all accounts. */
  readonly account: number;
  readonly scope: 'account' | 'all_accounts' | 'announced';
  readonly note?: ErasureNote | undefined;
  /** Encoded ids whose carriers go, the next one's place, and its last carrier that went. */
  readonly posts: readonly string[];
  readonly place: number;
  readonly after: string;
  readonly counts: Readonly<Record<string, number>>;
  /** Marks of texts to erase wherever they are, the table being searched for them, and the last number searched. */
  readonly marks: readonly string[];
  readonly table: number;
  readonly walked: number;
}

export interface Erasing {
  readonly days: number;
  /** Erases the matches of these posts, of one account or of all. */
  take(
    db: Db,
    platform: Platform,
    encodedPostIds: readonly string[],
    account: number,
  ): Promise<ErasureProgress['counts']>;
}

/** Carriers whose matches go in one transaction. */
const SLICE = 200;
/** An erasure that nobody went on with for this long was left: its process is gone. */
const LEFT_MS = 60_000;

const isFound = ({ place, posts }: ErasureProgress): boolean => place >= posts.length;

/** Keeps what is to be done, or notes that all is done. */
export async function keepErasure(
  db: Db,
  progress: ErasureProgress,
  now: Date,
  row?: { readonly number: number; readonly touched: number },
): Promise<number | undefined> {
  if (isFound(progress) && (progress.marks.length === 0 || progress.table >= SEARCHED.length)) {
    if (row !== undefined) await db.run('DELETE FROM erasures WHERE number = $1', [row.number]);
    await noteErased(db, progress, now);
    return undefined;
  }
  const state = JSON.stringify(progress);
  if (row !== undefined) {
    await db.run('UPDATE erasures SET state = $2, touched = $3 WHERE number = $1', [row.number, state, row.touched]);
    return row.number;
  }
  const added = await db.row<{ number: number }>(
    'INSERT INTO erasures (platform, account, touched, state) VALUES ($1, $2, $3, $4) RETURNING number',
    [progress.platform, progress.account, now, state],
  );
  return added!.number;
}

/** One more slice; undefined when somebody else has done the last one. Commits wait, or were waited for. */
export async function goOnErasing(
  db: Db,
  erasing: Erasing,
  number: number,
  now: Date,
  touched = now.getTime(),
): Promise<ErasureStep | undefined> {
  await lockRules(db);
  const row = await db.row<{ state: string }>('SELECT state FROM erasures WHERE number = $1 FOR UPDATE', [number]);
  if (row === undefined) return undefined;
  const progress = parseColumn<ErasureProgress>(row.state);
  const step = isFound(progress)
    ? await eraseTexts(db, erasing, progress)
    : await eraseCarriers(db, erasing, progress, now);
  const next = { ...progress, ...step.moved, counts: sumOf(progress.counts, step.counts) };
  return { counts: step.counts, number: await keepErasure(db, next, now, { number, touched }) };
}

interface Moved {
  readonly moved: Partial<ErasureProgress>;
  readonly counts: ErasureProgress['counts'];
}

async function eraseCarriers(db: Db, erasing: Erasing, progress: ErasureProgress, now: Date): Promise<Moved> {
  const { carriers, ...moved } = await nextCarriers(db, progress);
  const { platform, account } = progress;
  const encoded = [...new Set(carriers.map(({ post_id }) => post_id))];
  const versions = moved.posts.slice(progress.posts.length).map((post) => eventText(platform, decodeText(post)));
  await bury(db, account, versions, tombstoneEnd(now, erasing.days));
  await eraseSamples(db, platform, encoded, account === EVERY_ACCOUNT ? undefined : account);
  return { moved, counts: await erasing.take(db, platform, encoded, account) };
}

/** Rows whose texts are compared in one transaction. */
const COMPARED = 1_000;
/** Tables with texts, of all accounts. */
const SEARCHED = ['events', 'rehearsal_samples', 'recent'] as const;

/** A slice of a table: what has one of the texts goes. Only the operator asks for it, so it goes for all. */
async function eraseTexts(db: Db, erasing: Erasing, progress: ErasureProgress): Promise<Moved> {
  const { marks, walked } = progress;
  const table = SEARCHED[progress.table]!;
  const isErased = (platform: Platform, payload: string): boolean =>
    db.textKey !== undefined && marksOf(platform, payload, db.textKey).some((mark) => marks.includes(mark));
  if (table === 'recent') return { moved: nextPlace(progress, await eraseLines(db, walked, isErased)), counts: {} };
  const rows = await db.rows<{ number: number; platform: Platform; post_id: string; payload: string }>(
    `SELECT number, platform, post_id, payload FROM ${table} WHERE number > $1 ORDER BY number LIMIT ${COMPARED}`,
    [walked],
  );
  let counts: ErasureProgress['counts'] = {};
  const hits = rows.filter(({ platform, payload }) => isErased(platform, payload));
  for (const [platform, of] of Map.groupBy(hits, (row) => row.platform)) {
    const encoded = [...new Set(of.map(({ post_id }) => post_id))];
    await eraseSamples(db, platform, encoded);
    counts = sumOf(counts, await erasing.take(db, platform, encoded, EVERY_ACCOUNT));
  }
  return { moved: nextPlace(progress, rows.at(-1)?.number), counts };
}

/** At the end of a table comes the next one. */
const nextPlace = ({ table }: ErasureProgress, last: number | undefined): Partial<ErasureProgress> =>
  last === undefined ? { table: table + 1, walked: 0 } : { walked: last };

/** Part of housekeeping. False when none was left. It stays due until it is done. */
export async function resumeErasure(db: Db, erasing: Erasing, now: Date): Promise<boolean> {
  const left = await db.row<{ number: number; touched: number }>(
    'SELECT number, touched FROM erasures WHERE touched < $1 ORDER BY touched LIMIT 1',
    [now.getTime() - LEFT_MS],
  );
  return left !== undefined && (await goOnErasing(db, erasing, left.number, now, left.touched)) !== undefined;
}

/** A slice of carriers, and the place after it. A later version of a post is erased like the post: its carriers go too. */
async function nextCarriers(
  db: Db,
  { platform, ...progress }: ErasureProgress,
): Promise<Pick<ErasureProgress, 'posts' | 'place' | 'after'> & { readonly carriers: readonly Carrier[] }> {
  const carriers: Carrier[] = [];
  const posts = new Set(progress.posts);
  let { place, after } = progress;
  while (place < posts.size && carriers.length < SLICE) {
    const found = await carriersOf(db, platform, [...posts][place]!, after, SLICE - carriers.length);
    carriers.push(...found);
    for (const { post_id, is_edit } of found) if (is_edit === 1) posts.add(post_id);
    const isMore = carriers.length === SLICE;
    after = isMore ? found.at(-1)!.post_id : '';
    if (!isMore) place++;
  }
  return { carriers, posts: [...posts], place, after };
}

export function sumOf(one: ErasureProgress['counts'], other: ErasureProgress['counts']): ErasureProgress['counts'] {
  const sum: Record<string, number> = { ...one };
  for (const [accountId, matches] of Object.entries(other)) sum[accountId] = (sum[accountId] ?? 0) + matches;
  return sum;
}

export const totalOf = (counts: ErasureProgress['counts']): number =>
  Object.values(counts).reduce((sum, matches) => sum + matches, 0);

async function noteErased(db: Db, progress: ErasureProgress, now: Date): Promise<void> {
  const { platform, scope, note, counts, marks } = progress;
  if (note === undefined) return;
  const { id, by, accountId } = note;
  const change = (who: Change['by'], matches: number, more: object = {}): Change => ({
    at: now,
    by: who,
    what: 'post.erased',
    id,
    after: { platform, scope, matches, ...more },
  });
  if (accountId !== undefined) {
    const own = counts[accountId] ?? 0;
    const more =
      scope === 'all_accounts'
        ? { accounts: Object.keys(counts).length, own_matches: own, same_text: marks.length > 0 }
        : {};
    await noteChange(db, accountId, change(by, totalOf(counts), more));
  }
  // The others hear that it was the operator, and not by which key.
  const who = accountId === undefined ? by : { kind: 'operator' as const };
  for (const [owner, matches] of Object.entries(counts))
    if (owner !== accountId && matches > 0) await noteChange(db, owner, change(who, matches));
}
