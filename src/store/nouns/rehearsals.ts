/** Rehearsals: jobs that try a rule on history, and the events that they show. What `request`, `position` and `state` hold is not read here. */
import type { Highlight, Payload } from '../../domain/match.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Rehearsal, RehearsalStatus } from '../../domain/rule.ts';
import type { Db } from '../db.ts';
import { carriedPosts } from '../rows/carried.ts';
import { lockAccount, shareRules } from '../rows/locks.ts';
import { dateOrNone, decodeText, encodeText, parseColumn, textOrNull, timeOrNull } from '../rows/texts.ts';
import { noteCarriers } from './erasure/carriers.ts';
import { refusalsAmong } from './erasure/tombstones.ts';
import { checkLease, type Lease } from './upstreams.ts';

export interface RehearsalStore {
  /**
   * Adds one that waits. False when the account has its full number of unfinished ones. Finished ones beyond what is
   * kept go, the oldest first.
   */
  addRehearsal(rehearsal: Rehearsal, limits: RehearsalLimits): Promise<boolean>;
  /** With its state and samples. */
  rehearsal(accountId: string, rehearsalId: string): Promise<StoredRehearsal | undefined>;
  /** The newest first. */
  rehearsals(accountId: string, limit: number): Promise<Rehearsal[]>;
  /** False when it has ended already, or there is none. */
  cancelRehearsal(accountId: string, rehearsalId: string, now: Date): Promise<boolean>;
  /** The unfinished one that is due first. Not scoped. */
  firstRehearsal(): Promise<{ readonly id: string; readonly dueAt: Date } | undefined>;
  /** An unfinished one, to go on with. Not scoped. */
  openRehearsal(rehearsalId: string): Promise<StoredRehearsal | undefined>;
  /**
   * Keeps how far one has come, all or nothing: position, state and samples are of the same moment. Samples of erased posts
   * are left out. The account's unfinished ones are due at `dueAt` at the earliest, so that accounts take turns. False
   * when it has ended meanwhile. Throws `fenced` when another process has the lease. Not scoped.
   */
  keepRehearsal(lease: Lease, step: RehearsalStep): Promise<boolean>;
}

export interface RehearsalLimits {
  readonly unfinished: number;
  readonly kept: number;
}

export interface StoredRehearsal {
  readonly rehearsal: Rehearsal;
  readonly position: string | undefined;
  readonly state: string | undefined;
  readonly samples: readonly RehearsalSample[];
}

export interface RehearsalStep extends Pick<Rehearsal, 'id' | 'status' | 'endedAt' | 'events' | 'progress' | 'error'> {
  readonly position: string | undefined;
  readonly state: string;
  readonly samples: readonly RehearsalSample[];
  readonly dueAt: Date;
}

/** An event of the history that is shown. An erasure takes it out. */
export interface RehearsalSample {
  /** The list of the report that shows it, for instance `newest`. */
  readonly kind: string;
  readonly platform: Platform;
  readonly postId: string;
  readonly at: Date | undefined;
  readonly source: string | undefined;
  readonly payload: Payload;
  readonly highlights: readonly Highlight[];
}

interface RehearsalRow {
  readonly number: number;
  readonly id: string;
  readonly account_id: string;
  readonly status: RehearsalStatus;
  readonly created_at: number;
  readonly ended_at: number | null;
  readonly events: number;
  readonly progress: number | null;
  readonly request: string;
  readonly error: string | null;
}

interface OpenRehearsalRow extends RehearsalRow {
  readonly position: string | null;
  readonly state: string | null;
}

interface SampleRow {
  readonly kind: string;
  readonly platform: Platform;
  readonly post_id: string;
  readonly at: number | null;
  readonly source: string | null;
  readonly payload: string;
  readonly highlights: string;
}

const SAMPLE_COLUMNS = 'kind, platform, post_id, at, source, payload, highlights';

const REHEARSAL_COLUMNS =
  'r.number, r.id, a.id AS account_id, r.status, r.created_at, r.ended_at, r.events, r.progress, r.request, r.error';

const rehearsalOf = (row: RehearsalRow): Rehearsal => ({
  id: row.id,
  accountId: row.account_id,
  status: row.status,
  createdAt: new Date(row.created_at),
  endedAt: dateOrNone(row.ended_at),
  request: row.request,
  events: row.events,
  progress: row.progress ?? undefined,
  error: row.error === null ? undefined : decodeText(row.error),
});

const storedRehearsalOf = (row: OpenRehearsalRow, samples: readonly SampleRow[]) => ({
  rehearsal: rehearsalOf(row),
  position: row.position ?? undefined,
  state: row.state ?? undefined,
  samples: samples.map(sampleOf),
});

const sampleOf = (row: SampleRow): RehearsalSample => ({
  kind: row.kind,
  platform: row.platform,
  postId: decodeText(row.post_id),
  at: dateOrNone(row.at),
  source: row.source === null ? undefined : decodeText(row.source),
  payload: parseColumn<Payload>(row.payload),
  highlights: parseColumn<Highlight[]>(row.highlights),
});

/** Rehearsals that go in one slice of removal. */
const OLD_SLICE = 20;

const ONE = `SELECT ${REHEARSAL_COLUMNS}, r.position, r.state FROM rehearsals r JOIN accounts a ON a.number = r.account`;

type RehearsalReads = Pick<RehearsalStore, 'rehearsal' | 'rehearsals' | 'firstRehearsal' | 'openRehearsal'>;

export const rehearsalReads = (db: Db): RehearsalReads => ({
  async rehearsal(accountId, rehearsalId) {
    const row = await db.row<OpenRehearsalRow>(`${ONE} WHERE r.id = $1 AND a.id = $2`, [rehearsalId, accountId]);
    return row && stored(db, row);
  },
  async rehearsals(accountId, limit) {
    const rows = await db.rows<RehearsalRow>(
      `SELECT ${REHEARSAL_COLUMNS} FROM rehearsals r JOIN accounts a ON a.number = r.account
       WHERE r.account = (SELECT number FROM accounts WHERE id = $1) ORDER BY r.number DESC LIMIT $2`,
      [accountId, limit],
    );
    return rows.map(rehearsalOf);
  },
  async firstRehearsal() {
    const row = await db.row<{ id: string; due_at: number }>(
      `SELECT id, due_at FROM rehearsals /*sqlite INDEXED BY rehearsals_due */ WHERE ended_at IS NULL
       ORDER BY due_at, number LIMIT 1`,
    );
    return row && { id: row.id, dueAt: new Date(row.due_at) };
  },
  async openRehearsal(rehearsalId) {
    const row = await db.row<OpenRehearsalRow>(`${ONE} WHERE r.id = $1 AND r.ended_at IS NULL`, [rehearsalId]);
    return row && stored(db, row);
  },
});

const stored = async (db: Db, row: OpenRehearsalRow): Promise<StoredRehearsal> =>
  storedRehearsalOf(
    row,
    await db.rows<SampleRow>(`SELECT ${SAMPLE_COLUMNS} FROM rehearsal_samples WHERE rehearsal = $1 ORDER BY number`, [
      row.number,
    ]),
  );

export const rehearsalWrites = (db: Db): Omit<RehearsalStore, keyof RehearsalReads> => ({
  addRehearsal: (rehearsal, limits) => db.transaction((tx) => addRehearsal(tx, rehearsal, limits)),
  cancelRehearsal: async (accountId, rehearsalId, now) =>
    (await db.run(
      `UPDATE rehearsals SET status = 'cancelled', ended_at = $1 WHERE id = $2 AND ended_at IS NULL
         AND account = (SELECT number FROM accounts WHERE id = $3)`,
      [now, rehearsalId, accountId],
    )) > 0,
  keepRehearsal: (lease, step) =>
    db.transaction(async (tx) => {
      await checkLease(tx, lease, 'Another process rehearses by now.');
      return keepStep(tx, step);
    }),
});

async function addRehearsal(
  db: Db,
  { id, accountId, status, createdAt, request }: Rehearsal,
  limits: RehearsalLimits,
): Promise<boolean> {
  const account = await lockAccount(db, accountId);
  if (account === undefined) return false;
  const counted = await db.row<{ open: number }>(
    `SELECT count(*) AS open FROM rehearsals /*sqlite INDEXED BY rehearsals_unfinished */
     WHERE account = $1 AND ended_at IS NULL`,
    [account],
  );
  if (counted!.open >= limits.unfinished) return false;
  await db.run(
    `INSERT INTO rehearsals (id, account, status, created_at, due_at, events, request)
     VALUES ($1, $2, $3, $4, $4, 0, $5)`,
    [id, account, status, createdAt, request],
  );
  const old = await db.rows<{ number: number; ended_at: number | null }>(
    'SELECT number, ended_at FROM rehearsals WHERE account = $1 ORDER BY number DESC LIMIT ALL OFFSET $2',
    [account, limits.kept],
  );
  await removeRehearsals(
    db,
    old.filter(({ ended_at }) => ended_at !== null),
  );
  return true;
}

async function keepStep(db: Db, step: RehearsalStep): Promise<boolean> {
  // An erasure that is under way ends first, and its tombstone is seen.
  await shareRules(db);
  const found = await db.row<{ number: number; account: number }>(
    'SELECT number, account FROM rehearsals WHERE id = $1 AND ended_at IS NULL FOR UPDATE',
    [step.id],
  );
  if (found === undefined) return false;
  const { number, account } = found;
  await db.run(
    `UPDATE rehearsals SET status = $2, ended_at = $3, events = $4, progress = $5, error = $6, position = $7, state = $8
     WHERE number = $1`,
    [
      number,
      step.status,
      step.endedAt ?? null,
      step.events,
      step.progress ?? null,
      textOrNull(step.error),
      step.position ?? null,
      step.state,
    ],
  );
  await db.run('UPDATE rehearsals SET due_at = greatest(due_at, $1) WHERE account = $2 AND ended_at IS NULL', [
    step.dueAt,
    account,
  ]);
  await db.run('DELETE FROM rehearsal_samples WHERE rehearsal = $1', [number]);
  const samples = await allowed(db, account, step.samples);
  await addSamples(db, number, samples);
  for (const platform of PLATFORMS) {
    const carrying = samples
      .filter((sample) => sample.platform === platform)
      .map(({ postId, payload }) => ({ postId, carried: carriedPosts(platform, payload, postId) }));
    await noteCarriers(db, platform, step.dueAt.getTime(), carrying);
  }
  return true;
}

/** The samples of posts that were not erased. */
async function allowed(db: Db, account: number, samples: readonly RehearsalSample[]): Promise<RehearsalSample[]> {
  const kept: RehearsalSample[] = [];
  for (const platform of PLATFORMS) {
    const own = samples.filter((sample) => sample.platform === platform);
    const refusals = await refusalsAmong(db, platform, own);
    kept.push(...own.filter((sample) => !refusals.isRefused(sample, account)));
  }
  return kept;
}

async function addSamples(db: Db, rehearsal: number, samples: readonly RehearsalSample[]): Promise<void> {
  const rows = samples.map(({ kind, platform, postId, at, source, payload, highlights }) => ({
    kind,
    platform,
    post_id: encodeText(postId),
    at: timeOrNull(at),
    source: textOrNull(source),
    payload: JSON.stringify(payload),
    highlights: JSON.stringify(highlights),
  }));
  await db.run(
    `INSERT INTO rehearsal_samples (rehearsal, ${SAMPLE_COLUMNS}) SELECT $1, ${SAMPLE_COLUMNS} FROM json_to_recordset($2)
       AS s (kind text, platform text, post_id text, at bigint, source text, payload text, highlights text)`,
    [rehearsal, JSON.stringify(rows)],
  );
}

/** Part of every erasure; without an account, of all. */
export async function eraseSamples(
  db: Db,
  platform: Platform,
  encodedPostIds: readonly string[],
  account?: number,
): Promise<void> {
  await db.run(
    `DELETE FROM rehearsal_samples WHERE platform = $1 AND post_id = ANY($2) AND ($3::bigint IS NULL
       OR rehearsal IN (SELECT number FROM rehearsals WHERE account = $3))`,
    [platform, encodedPostIds, account ?? null],
  );
}

async function removeRehearsals(db: Db, old: readonly { readonly number: number }[]): Promise<void> {
  if (old.length === 0) return;
  const numbers = old.map(({ number }) => number);
  await db.run('DELETE FROM rehearsal_samples WHERE rehearsal = ANY($1)', [numbers]);
  await db.run('DELETE FROM rehearsals WHERE number = ANY($1)', [numbers]);
}

/** A slice of those that ended before a time; false when there was none. */
export async function removeOldRehearsals(db: Db, before: number): Promise<boolean> {
  const old = await db.rows<{ number: number }>(
    `SELECT number FROM rehearsals WHERE ended_at < $1 ORDER BY ended_at LIMIT ${OLD_SLICE}`,
    [before],
  );
  await removeRehearsals(db, old);
  return old.length > 0;
}
