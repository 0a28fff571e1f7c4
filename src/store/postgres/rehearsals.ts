/** Rehearsals and the events that they show. */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Rehearsal } from '../../domain/rehearsal.ts';
import { StoreError } from '../error.ts';
import {
  type OpenRehearsalRow,
  REHEARSAL_COLUMNS,
  type RehearsalRow,
  rehearsalOf,
  SAMPLE_COLUMNS,
  type SampleRow,
  sampleColumns,
  storedRehearsalOf,
} from '../rows/rehearsals.ts';
import { textOrNull, timeOrNull } from '../rows/texts.ts';
import type { RehearsalLimits, RehearsalSample, RehearsalStep, RehearsalStore, StoredRehearsal } from '../store.ts';
import type { Database, Db } from './connection.ts';
import { RULE_LOCK } from './schema.ts';
import { refusalsAmong } from './tombstones.ts';

/** Rehearsals that go in one slice of removal. */
const OLD_SLICE = 20;

export const rehearsalStore = (database: Database): RehearsalStore => ({
  ...rehearsalReads(database),
  addRehearsal: (rehearsal, limits) => database.transaction((db) => addOne(db, rehearsal, limits)),
  cancelRehearsal: async (accountId, rehearsalId, now) =>
    (await database.run(
      `UPDATE rehearsals SET status = 'cancelled', ended_at = $1 WHERE id = $2 AND ended_at IS NULL
         AND account = (SELECT number FROM accounts WHERE id = $3)`,
      [now.getTime(), rehearsalId, accountId],
    )) > 0,
  keepRehearsal: (lease, step) =>
    database.transaction(async (db) => {
      const [row] = await db.rows<{ fence: number }>('SELECT fence FROM leases WHERE name = $1 FOR SHARE', [
        lease.name,
      ]);
      if (row?.fence !== lease.fence) throw new StoreError('fenced', 'Another process rehearses by now.');
      return keepStep(db, step);
    }),
});

async function addOne(
  db: Db,
  { id, accountId, status, createdAt, request }: Rehearsal,
  limits: RehearsalLimits,
): Promise<boolean> {
  // The account's row is locked: two requests at once do not both take the last place.
  const [account] = await db.rows<{ number: number }>('SELECT number FROM accounts WHERE id = $1 FOR UPDATE', [
    accountId,
  ]);
  const [counted] = await db.rows<{ open: number }>(
    'SELECT count(*)::integer AS open FROM rehearsals WHERE account = $1 AND ended_at IS NULL',
    [account?.number ?? 0],
  );
  if (account === undefined || counted!.open >= limits.unfinished) return false;
  await db.run(
    `INSERT INTO rehearsals (id, account, status, created_at, due_at, events, request)
     VALUES ($1, $2, $3, $4, $4, 0, $5)`,
    [id, account.number, status, createdAt.getTime(), request],
  );
  const old = await db.rows<{ number: number; ended_at: number | null }>(
    'SELECT number, ended_at FROM rehearsals WHERE account = $1 ORDER BY number DESC OFFSET $2',
    [account.number, limits.kept],
  );
  await removeRehearsals(
    db,
    old.filter(({ ended_at }) => ended_at !== null),
  );
  return true;
}

const rehearsalReads = (
  database: Database,
): Pick<RehearsalStore, 'rehearsal' | 'rehearsals' | 'firstRehearsal' | 'openRehearsal'> => ({
  async rehearsal(accountId, rehearsalId) {
    const [row] = await database.rows<OpenRehearsalRow>(
      `SELECT ${REHEARSAL_COLUMNS}, r.position, r.state FROM rehearsals r JOIN accounts a ON a.number = r.account
       WHERE r.id = $1 AND a.id = $2`,
      [rehearsalId, accountId],
    );
    return row && stored(database, row);
  },
  rehearsals: async (accountId, limit) =>
    (
      await database.rows<RehearsalRow>(
        `SELECT ${REHEARSAL_COLUMNS} FROM rehearsals r JOIN accounts a ON a.number = r.account
         WHERE r.account = (SELECT number FROM accounts WHERE id = $1) ORDER BY r.number DESC LIMIT $2`,
        [accountId, limit],
      )
    ).map(rehearsalOf),
  async firstRehearsal() {
    const [row] = await database.rows<{ id: string; due_at: number }>(
      'SELECT id, due_at FROM rehearsals WHERE ended_at IS NULL ORDER BY due_at, number LIMIT 1',
    );
    return row && { id: row.id, dueAt: new Date(row.due_at) };
  },
  async openRehearsal(rehearsalId) {
    const [row] = await database.rows<OpenRehearsalRow>(
      `SELECT ${REHEARSAL_COLUMNS}, r.position, r.state FROM rehearsals r JOIN accounts a ON a.number = r.account
       WHERE r.id = $1 AND r.ended_at IS NULL`,
      [rehearsalId],
    );
    return row && stored(database, row);
  },
});

const stored = async (db: Db, row: OpenRehearsalRow): Promise<StoredRehearsal> =>
  storedRehearsalOf(
    row,
    await db.rows<SampleRow>(`SELECT ${SAMPLE_COLUMNS} FROM rehearsal_samples WHERE rehearsal = $1 ORDER BY number`, [
      row.number,
    ]),
  );

async function keepStep(db: Db, step: RehearsalStep): Promise<boolean> {
  // An erasure takes this lock alone: one that is under way ends first, and its tombstone is seen.
  await db.run('SELECT pg_advisory_xact_lock_shared($1)', [RULE_LOCK]);
  const [found] = await db.rows<{ number: number; account: number }>(
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
      timeOrNull(step.endedAt),
      step.events,
      step.progress ?? null,
      textOrNull(step.error),
      step.position ?? null,
      step.state,
    ],
  );
  await db.run('UPDATE rehearsals SET due_at = greatest(due_at, $1) WHERE account = $2 AND ended_at IS NULL', [
    step.dueAt.getTime(),
    account,
  ]);
  await db.run('DELETE FROM rehearsal_samples WHERE rehearsal = $1', [number]);
  await addSamples(db, number, await allowed(db, account, step.samples));
  return true;
}

/** Those of posts that were not erased. */
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
  if (samples.length === 0) return;
  const rows = samples.map(sampleColumns);
  await db.run(
    `INSERT INTO rehearsal_samples (rehearsal, ${SAMPLE_COLUMNS})
     SELECT $1, s.* FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[]) AS s`,
    [
      rehearsal,
      rows.map(({ kind }) => kind),
      rows.map(({ platform }) => platform),
      rows.map(({ post }) => post),
      rows.map(({ at }) => at),
      rows.map(({ source }) => source),
      rows.map(({ payload }) => payload),
      rows.map(({ highlights }) => highlights),
    ],
  );
}

/** Part of every erasure; without an account, of all. */
export async function dropSamples(
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
export async function dropOldRehearsals(db: Db, before: number): Promise<boolean> {
  const old = await db.rows<{ number: number }>(
    `SELECT number FROM rehearsals WHERE ended_at < $1 ORDER BY ended_at LIMIT ${OLD_SLICE}`,
    [before],
  );
  await removeRehearsals(db, old);
  return old.length > 0;
}
