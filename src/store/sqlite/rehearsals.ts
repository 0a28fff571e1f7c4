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
import { encodeText, textOrNull, timeOrNull } from '../rows/texts.ts';
import type { Lease, RehearsalLimits, RehearsalSample, RehearsalStep, StoredRehearsal } from '../store.ts';
import { accountNumber } from './accounts.ts';
import { transaction } from './connection.ts';
import type { Sql } from './sql.ts';
import { refusalsIn } from './tombstones.ts';

/** Rehearsals that go in one slice of removal. */
const OLD_SLICE = 20;

export const rehearsalReads = (sql: Sql) => ({
  rehearsal: (accountId: string, rehearsalId: string) =>
    stored(
      sql,
      sql.row<OpenRehearsalRow>(
        `SELECT ${REHEARSAL_COLUMNS}, r.position, r.state FROM rehearsals r JOIN accounts a ON a.number = r.account
         WHERE r.id = ? AND a.id = ?`,
        [rehearsalId, accountId],
      ),
    ),
  rehearsals: (accountId: string, limit: number): Rehearsal[] =>
    sql
      .rows<RehearsalRow>(
        `SELECT ${REHEARSAL_COLUMNS} FROM rehearsals r JOIN accounts a ON a.number = r.account
         WHERE r.account = (SELECT number FROM accounts WHERE id = ?) ORDER BY r.number DESC LIMIT ?`,
        [accountId, limit],
      )
      .map(rehearsalOf),
  firstRehearsal() {
    const row = sql.row<{ id: string; due_at: number }>(
      `SELECT id, due_at FROM rehearsals INDEXED BY rehearsals_due WHERE ended_at IS NULL
       ORDER BY due_at, number LIMIT 1`,
    );
    return row && { id: row.id, dueAt: new Date(row.due_at) };
  },
  openRehearsal: (rehearsalId: string) =>
    stored(
      sql,
      sql.row<OpenRehearsalRow>(
        `SELECT ${REHEARSAL_COLUMNS}, r.position, r.state FROM rehearsals r JOIN accounts a ON a.number = r.account
         WHERE r.id = ? AND r.ended_at IS NULL`,
        [rehearsalId],
      ),
    ),
});

const stored = (sql: Sql, row: OpenRehearsalRow | undefined): StoredRehearsal | undefined =>
  row &&
  storedRehearsalOf(
    row,
    sql.rows<SampleRow>(`SELECT ${SAMPLE_COLUMNS} FROM rehearsal_samples WHERE rehearsal = ? ORDER BY number`, [
      row.number,
    ]),
  );

export const rehearsalWrites = (sql: Sql) => ({
  addRehearsal: (rehearsal: Rehearsal, limits: RehearsalLimits): boolean =>
    transaction(sql, () => {
      const account = accountNumber(sql, rehearsal.accountId);
      const { open } = sql.row<{ open: number }>(
        'SELECT count(*) AS open FROM rehearsals INDEXED BY rehearsals_unfinished WHERE account = ? AND ended_at IS NULL',
        [account ?? 0],
      )!;
      if (account === undefined || open >= limits.unfinished) return false;
      sql.run(
        `INSERT INTO rehearsals (id, account, status, created_at, due_at, events, request)
         VALUES (:id, :account, :status, :at, :at, 0, :request)`,
        {
          id: rehearsal.id,
          account,
          status: rehearsal.status,
          at: rehearsal.createdAt.getTime(),
          request: rehearsal.request,
        },
      );
      const old = sql.rows<{ number: number; ended_at: number | null }>(
        'SELECT number, ended_at FROM rehearsals WHERE account = ? ORDER BY number DESC LIMIT -1 OFFSET ?',
        [account, limits.kept],
      );
      for (const { number, ended_at } of old) if (ended_at !== null) removeRehearsal(sql, number);
      return true;
    }),
  cancelRehearsal: (accountId: string, rehearsalId: string, now: Date): boolean =>
    sql.run(
      `UPDATE rehearsals SET status = 'cancelled', ended_at = ? WHERE id = ? AND ended_at IS NULL
         AND account = (SELECT number FROM accounts WHERE id = ?)`,
      [now.getTime(), rehearsalId, accountId],
    ) > 0,
  keepRehearsal: (lease: Lease, step: RehearsalStep): boolean =>
    transaction(sql, () => {
      const row = sql.row<{ fence: number }>('SELECT fence FROM leases WHERE name = ?', [lease.name]);
      if (row?.fence !== lease.fence) throw new StoreError('fenced', 'Another process rehearses by now.');
      return keepStep(sql, step);
    }),
});

function keepStep(sql: Sql, step: RehearsalStep): boolean {
  const found = sql.row<{ number: number; account: number }>(
    'SELECT number, account FROM rehearsals WHERE id = ? AND ended_at IS NULL',
    [step.id],
  );
  if (found === undefined) return false;
  const { number, account } = found;
  sql.run(
    `UPDATE rehearsals SET status = ?, ended_at = ?, events = ?, progress = ?, error = ?, position = ?, state = ?
     WHERE number = ?`,
    [
      step.status,
      timeOrNull(step.endedAt),
      step.events,
      step.progress ?? null,
      textOrNull(step.error),
      step.position ?? null,
      step.state,
      number,
    ],
  );
  sql.run('UPDATE rehearsals SET due_at = max(due_at, ?) WHERE account = ? AND ended_at IS NULL', [
    step.dueAt.getTime(),
    account,
  ]);
  sql.run('DELETE FROM rehearsal_samples WHERE rehearsal = ?', [number]);
  for (const sample of allowed(sql, account, step.samples))
    sql.run(
      `INSERT INTO rehearsal_samples (rehearsal, ${SAMPLE_COLUMNS})
       VALUES (:rehearsal, :kind, :platform, :post, :at, :source, :payload, :highlights)`,
      { rehearsal: number, ...sampleColumns(sample) },
    );
  return true;
}

/** Those of posts that were not erased. */
const allowed = (sql: Sql, account: number, samples: readonly RehearsalSample[]): RehearsalSample[] =>
  PLATFORMS.flatMap((platform) => {
    const own = samples.filter((sample) => sample.platform === platform);
    const refusals = refusalsIn(sql, platform, own);
    return own.filter((sample) => !refusals.isRefused(sample, account));
  });

/** Part of every erasure; without an account, of all. */
export function eraseSamples(sql: Sql, platform: Platform, postId: string, account?: number): void {
  sql.run(
    `DELETE FROM rehearsal_samples WHERE platform = :platform AND post_id = :post AND (:account IS NULL
       OR rehearsal IN (SELECT number FROM rehearsals WHERE account = :account))`,
    { platform, post: encodeText(postId), account: account ?? null },
  );
}

function removeRehearsal(sql: Sql, number: number): void {
  sql.run('DELETE FROM rehearsal_samples WHERE rehearsal = ?', [number]);
  sql.run('DELETE FROM rehearsals WHERE number = ?', [number]);
}

/** A slice of those that ended before a time; false when there was none. */
export function removeOldRehearsals(sql: Sql, before: number): boolean {
  const old = sql.rows<{ number: number }>(
    `SELECT number FROM rehearsals WHERE ended_at < ? ORDER BY ended_at LIMIT ${OLD_SLICE}`,
    [before],
  );
  for (const { number } of old) removeRehearsal(sql, number);
  return old.length > 0;
}
