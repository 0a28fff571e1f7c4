/**
 * Tombstones of erased posts: what they are digests of, how long they last, and what they refuse. One that was asked for has the
 * id of an event. One that a platform announced has the id of a post, and refuses its versions too: their ids go on with a slash.
 * They are written with an erasure, looked at by every commit and every preview, and carried from one database to another. A
 * rating keeps the digests of its post, and goes with the first tombstone that has one of them.
 */
import { hash } from 'node:crypto';
import type { Payload } from '../../../domain/match.ts';
import type { Platform } from '../../../domain/platform.ts';
import { type Db, deleteSlice } from '../../db.ts';
import type { Position } from '../../order.ts';
import {
  carriedPosts,
  coldCarried,
  coldMarks,
  coldOwnMark,
  comparedTexts,
  isCold,
  mayCarry,
  ownText,
  textMark,
} from '../../rows/carried.ts';
import { accountNumber } from '../../rows/locks.ts';
import { raiseRelevance } from '../../rows/rule-rows.ts';
import { encodeText, parseColumn } from '../../rows/texts.ts';

export interface TombstoneStore {
  /** The tombstones of the digests after one of them, in order, of this many digests, with their key. Not scoped. */
  tombstones(after: string, limit: number): Promise<Tombstones>;
  /** Takes tombstones of an earlier export in. False, and nothing done, when this database has some under another key. */
  addTombstones(tombstones: Tombstones): Promise<boolean>;
  /** Whether an erasure is under way that has taken matches of the account: the audit log has them when it is done. */
  isErasing(accountId: string): Promise<boolean>;
}

export interface Tombstones {
  /** Digests of one key say nothing under another. */
  readonly key: string;
  /** Whether some are of texts. */
  readonly hasTexts?: boolean | undefined;
  readonly tombstones: readonly Tombstone[];
}

export interface Tombstone {
  readonly digest: string;
  /** It is undefined when the tombstone holds for all accounts. */
  readonly accountId: string | undefined;
  readonly until: Date;
}

/** Tombstones that go in one slice of removal. */
const OLD_SLICE = 1_000;
const DAY = 24 * 60 * 60 * 1_000;
/** A source may bring a post again for this long: Jetstream keeps three days, Firehose one. */
const ANNOUNCED_DAYS = 4;

/** The account number of a tombstone that holds for all. */
export const EVERY_ACCOUNT = 0;

export const eventText = (platform: Platform, postId: string): string => `${platform} ${encodeText(postId)}`;

export const postText = (platform: Platform, postId: string): string => `${platform} post ${encodeText(postId)}`;

/** `mark` stands for a text, on every platform. */
export const markText = (mark: string): string => `text ${mark}`;

const digestedText = (key: string, text: string): string => `${key} ${text}`;

export const tombstoneEnd = (now: Date, days: number): number => now.getTime() + days * DAY;

export const announcedEnd = (now: Date): number => tombstoneEnd(now, ANNOUNCED_DAYS);

/** Between these two are the encoded ids of a post's versions. */
export function versionsOf(postId: string): { from: string; below: string } {
  const start = encodeText(postId).slice(0, -1);
  return { from: `${start}/`, below: `${start}0` };
}

/** An event with the ids under which it, or what it carries, may have been erased. */
export interface Named {
  readonly postId: string;
  readonly earlier?: readonly string[] | undefined;
  /** Or its JSON. */
  readonly payload?: Payload | string | undefined;
}

/** The texts whose tombstones refuse an event. */
export function textsOf(platform: Platform, { postId, earlier = [], payload }: Named, textKey?: Uint8Array): string[] {
  const carried = payload === undefined ? [] : carriedIds(platform, payload, postId);
  const marks = payload === undefined || textKey === undefined ? [] : marksOf(platform, payload, textKey);
  const ids = new Set([postId, ...earlier, ...carried]);
  return [
    ...[...ids].map((id) => eventText(platform, id)),
    ...[...ids, ...startsOf(postId)].map((id) => postText(platform, id)),
    ...marks.map(markText),
  ];
}

/** The marks of the texts of an event. */
export function marksOf(platform: Platform, payload: Payload | string, textKey: Uint8Array): readonly string[] {
  if (typeof payload === 'string' && isCold(payload)) return coldMarks(payload);
  const read = typeof payload === 'string' ? parseColumn<Payload>(payload) : payload;
  return comparedTexts(platform, read).map((text) => textMark(textKey, text));
}

/** The mark of its own text; undefined where that is too short to be compared. */
export function ownMarkOf(platform: Platform, payload: string, textKey: Uint8Array): string | undefined {
  if (isCold(payload)) return coldOwnMark(payload);
  const text = ownText(platform, parseColumn<Payload>(payload));
  return text && textMark(textKey, text);
}

/** A payload that is a text is read only where it may carry something. */
function carriedIds(platform: Platform, payload: Payload | string, postId: string): readonly string[] {
  if (typeof payload === 'string' && isCold(payload)) return coldCarried(payload);
  if (typeof payload === 'string' && !mayCarry(payload)) return [];
  const read = typeof payload === 'string' ? parseColumn<Payload>(payload) : payload;
  return carriedPosts(platform, read, postId).map((one) => one.postId);
}

/** The ids of which this id may be a version: that of a post, or of anything that an author wrote. */
function startsOf(postId: string): string[] {
  const last = postId.lastIndexOf('/');
  if (last <= 0) return [];
  const before = postId.lastIndexOf('/', last - 1);
  return [postId.slice(0, last), ...(before > 0 ? [postId.slice(0, before)] : [])];
}

/** Answers for the events that were asked about. */
export interface Refusals {
  /** Whether an account may no longer store matches of the event, nor see it among recent ones. */
  isRefused(event: Pick<Named, 'postId'>, account: number): boolean;
  /** Whether no account that could see the event among recent ones may do so. */
  isKeptOut(event: Pick<Named, 'postId'> & { readonly accountId?: string | undefined }): boolean;
}

export interface RefusedText {
  readonly text: string;
  readonly account: number;
  readonly account_id: string | null;
}

export const NO_REFUSALS: Refusals = { isRefused: () => false, isKeptOut: () => false };

/** `texts` are those of each event, by its id. */
export function refusalsOf(texts: ReadonlyMap<string, ReadonlySet<string>>, rows: readonly RefusedText[]): Refusals {
  if (rows.length === 0) return NO_REFUSALS;
  const byText = Map.groupBy(rows, ({ text }) => text);
  const found = ({ postId }: Pick<Named, 'postId'>): RefusedText[] =>
    [...(texts.get(postId) ?? [])].flatMap((text) => byText.get(text) ?? []);
  return {
    isRefused: (event, account) => found(event).some((one) => one.account === EVERY_ACCOUNT || one.account === account),
    isKeptOut: (event) =>
      found(event).some(
        (one) => one.account === EVERY_ACCOUNT || (event.accountId !== undefined && one.account_id === event.accountId),
      ),
  };
}

const keysIn = async (db: Db): Promise<{ key: string; texts: number }> =>
  (await db.row<{ key: string; texts: number }>('SELECT key, texts FROM erasure_key'))!;

const keyIn = async (db: Db): Promise<string> => (await keysIn(db)).key;

/** Refuses texts for all accounts, by what stands for them. */
export async function buryTexts(db: Db, marks: readonly string[], until: number): Promise<void> {
  if (marks.length === 0) return;
  await bury(db, EVERY_ACCOUNT, marks.map(markText), until);
  await db.run('UPDATE erasure_key SET texts = 1');
}

const digestOf = (key: string, text: string): string => hash('sha256', digestedText(key, text), 'base64');

const digestsOf = (key: string, texts: readonly string[]): string[] => [
  ...new Set(texts.map((text) => digestOf(key, text))),
];

const isEmpty = async (db: Db): Promise<boolean> => (await db.row('SELECT 1 FROM tombstones LIMIT 1')) === undefined;

const PUT = `INSERT INTO tombstones AS t (digest, account, until)`;
const LATER = 'ON CONFLICT (digest, account) DO UPDATE SET until = greatest(t.until, excluded.until)';

/** An account number of 0 refuses them for all accounts. */
export async function bury(db: Db, account: number, texts: readonly string[], until: number): Promise<void> {
  if (texts.length === 0) return;
  const key = await keyIn(db);
  const digests = digestsOf(key, texts);
  await db.run(
    `${PUT} SELECT digest, $2::bigint, $3::bigint FROM unnest($1::text[]) AS d (digest) WHERE true ${LATER}`,
    [digests, account, until],
  );
  await forgetRated(db, digests);
}

/** Keeps with a rating what would refuse its post, so that an erasure finds it when the match has gone. */
export async function nameRating(db: Db, position: Position, platform: Platform, post: Named): Promise<void> {
  const digests = digestsOf(await keyIn(db), textsOf(platform, post, db.textKey));
  await db.run(
    `INSERT INTO rated_posts (position, digest) SELECT $1::bigint, digest FROM unnest($2::text[]) AS d (digest)
     WHERE true ON CONFLICT DO NOTHING`,
    [position, digests],
  );
}

/** The ratings that tombstones of these digests refuse. */
async function forgetRated(db: Db, digests: readonly string[]): Promise<void> {
  const rated = await db.rows<{ rule: number }>(
    `DELETE FROM ratings WHERE position IN (
       SELECT p.position FROM rated_posts p JOIN ratings q ON q.position = p.position JOIN tombstones t ON t.digest = p.digest
       WHERE p.digest = ANY($1) AND (t.account = ${EVERY_ACCOUNT} OR t.account = q.account)) RETURNING rule`,
    [digests],
  );
  await raiseRelevance(db, rated);
}

/** Which of these posts, or of their versions, were rated. */
export async function ratedAmong(db: Db, platform: Platform, postIds: readonly string[]): Promise<string[]> {
  const key = await keyIn(db);
  const posts = new Map(postIds.map((postId) => [digestOf(key, postText(platform, postId)), postId]));
  const rows = await db.rows<{ digest: string }>('SELECT DISTINCT digest FROM rated_posts WHERE digest = ANY($1)', [
    [...posts.keys()],
  ]);
  return rows.map(({ digest }) => posts.get(digest)!);
}

/** A post that is here twice has the texts of both. */
function textsByPost(platform: Platform, events: Iterable<Named>, textKey?: Uint8Array): Map<string, Set<string>> {
  const byPost = new Map<string, Set<string>>();
  for (const event of events) {
    const texts = byPost.get(event.postId) ?? new Set();
    for (const text of textsOf(platform, event, textKey)) texts.add(text);
    byPost.set(event.postId, texts);
  }
  return byPost;
}

/** The answer that a process got last. With it, a commit asks for the key and for its tombstones at once. */
export interface SeenTombstones {
  key?: string;
  texts?: number;
  any?: boolean;
}

/** Finds which of these events were erased. Without any tombstone it costs one look at an empty table. */
export async function refusalsAmong(
  db: Db,
  platform: Platform,
  events: Iterable<Named>,
  seen: SeenTombstones = {},
): Promise<Refusals> {
  const { key, texts } = seen;
  const asked = db.row<{ key: string; texts: number; found: number | null }>(
    'SELECT key, texts, (SELECT 1 FROM tombstones LIMIT 1) AS found FROM erasure_key',
  );
  const guess = key === undefined || !seen.any ? undefined : refusedBy(db, platform, events, key, texts === 1);
  guess?.catch(() => {});
  const now = (await asked)!;
  Object.assign(seen, { key: now.key, texts: now.texts, any: now.found !== null });
  if (now.found === null) return NO_REFUSALS;
  if (guess !== undefined && now.key === key && now.texts === texts) return guess;
  return refusedBy(db, platform, events, now.key, now.texts === 1);
}

async function refusedBy(
  db: Db,
  platform: Platform,
  events: Iterable<Named>,
  key: string,
  hasTexts: boolean,
): Promise<Refusals> {
  const byPost = textsByPost(platform, events, hasTexts ? db.textKey : undefined);
  const texts = new Map(
    [...byPost.values()].flatMap((some) => [...some].map((text) => [digestOf(key, text), text] as const)),
  );
  const rows = await db.rows<{ digest: string; account: number; account_id: string | null }>(
    `SELECT t.digest, t.account, (SELECT id FROM accounts WHERE number = t.account) AS account_id FROM tombstones t
     WHERE t.digest = ANY($1)`,
    [[...texts.keys()]],
  );
  return refusalsOf(
    byPost,
    rows.map(({ digest, ...row }) => ({ ...row, text: texts.get(digest)! })),
  );
}

/** Which of these events the account no longer sees among recent ones. */
export async function hiddenFrom(
  db: Db,
  accountId: string,
  platform: Platform,
  events: readonly Named[],
): Promise<(event: Pick<Named, 'postId'>) => boolean> {
  const refusals = await refusalsAmong(db, platform, events);
  if (refusals === NO_REFUSALS) return () => false;
  const account = (await accountNumber(db, accountId)) ?? EVERY_ACCOUNT;
  return (event) => refusals.isRefused(event, account);
}

export const tombstoneReads = (db: Db): Pick<TombstoneStore, 'tombstones' | 'isErasing'> => ({
  async isErasing(accountId) {
    const rows = await db.rows<{ state: string }>(
      `SELECT state FROM erasures
       WHERE account = ${EVERY_ACCOUNT} OR account = (SELECT number FROM accounts WHERE id = $1)`,
      [accountId],
    );
    const countsIn = (state: string) => parseColumn<{ counts: Readonly<Record<string, number>> }>(state).counts;
    return rows.some(({ state }) => (countsIn(state)[accountId] ?? 0) > 0);
  },
  async tombstones(after, limit) {
    const rows = await db.rows<{ digest: string; account_id: string | null; until: number }>(
      `SELECT t.digest, a.id AS account_id, t.until FROM tombstones t LEFT JOIN accounts a ON a.number = t.account
       WHERE t.digest IN (SELECT DISTINCT digest FROM tombstones WHERE digest > $1 ORDER BY digest LIMIT $2)
       ORDER BY t.digest, t.account`,
      [after, limit],
    );
    const { key, texts } = await keysIn(db);
    return {
      key,
      ...(texts === 1 && { hasTexts: true }),
      tombstones: rows.map(({ digest, account_id, until }) => ({
        digest,
        accountId: account_id ?? undefined,
        until: new Date(until),
      })),
    };
  },
});

export const tombstoneWrites = (db: Db): Pick<TombstoneStore, 'addTombstones'> => ({
  addTombstones: ({ key, tombstones, hasTexts }) =>
    db.transaction(async (tx) => {
      if (key !== (await keyIn(tx))) {
        if (!(await isEmpty(tx))) return false;
        await tx.run('UPDATE erasure_key SET key = $1', [key]);
      }
      if (hasTexts) await tx.run('UPDATE erasure_key SET texts = 1');
      const rows = tombstones.map(({ digest, accountId, until }) => ({
        digest,
        account_id: accountId ?? null,
        until: until.getTime(),
      }));
      await tx.run(
        `${PUT} SELECT i.digest, coalesce(a.number, ${EVERY_ACCOUNT}), i.until
         FROM json_to_recordset($1) AS i (digest text, account_id text, until bigint)
         LEFT JOIN accounts a ON a.id = i.account_id WHERE i.account_id IS NULL OR a.number IS NOT NULL ${LATER}`,
        [JSON.stringify(rows)],
      );
      await forgetRated(
        tx,
        tombstones.map(({ digest }) => digest),
      );
      return true;
    }),
});

export const removeTombstones = async (db: Db, now: number): Promise<boolean> =>
  (await deleteSlice(db, 'tombstones', { key: 'digest, account', of: 'until < $1 ORDER BY until', limit: OLD_SLICE }, [
    now,
  ])) > 0;
