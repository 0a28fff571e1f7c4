/**
 * The rings of recent events, for previews. Most events match nothing and leave the ring within minutes, so they are not
 * rows of their own: a commit's events are packed into a few rows of lines. Every ring is trimmed by its totals, so a commit
 * costs the same whatever the ring holds. Rows go before new ones come: the new ones take their pages, which are written once then,
 * and not a first time as overwritten ones.
 */
import type { Platform } from '../../domain/platform.ts';
import { ALL_ACCOUNTS, type RecentLimits, type RecentTotals, SHARED } from '../nouns/recent.ts';
import type { PackedRow } from '../rows/packed-ring.ts';
import type { Sql } from './sql.ts';

const NOTHING: RecentTotals = { events: 0, bytes: 0 };

/** Part of every commit. */
export function keepRecent(
  sql: Sql,
  platform: Platform,
  at: number,
  rows: readonly PackedRow[],
  limits: RecentLimits,
): void {
  if (limits.events === 0) return;
  for (const { owner, events: count, bytes, lines } of rows) {
    const ring = owner === SHARED ? SHARED : ALL_ACCOUNTS;
    addTotals(sql, platform, owner, { events: count, bytes });
    makeRoom(sql, platform, ring, limits);
    sql.run('INSERT INTO recent (platform, owner, at, events, bytes, lines) VALUES (?, ?, ?, ?, ?, CAST(? AS TEXT))', [
      platform,
      owner,
      at,
      count,
      bytes,
      lines,
    ]);
    // The row alone may be more than the ring holds.
    makeRoom(sql, platform, ring, limits);
  }
}

/**
 * Rows go from the old end while the rest alone fills the ring, or while it holds too many bytes. The totals have the row that
 * is about to come.
 */
function makeRoom(sql: Sql, platform: Platform, ring: string, limits: RecentLimits): void {
  for (;;) {
    const { events, bytes } = totalsOf(sql, platform, ring);
    if (events <= limits.events && bytes <= limits.bytes) return;
    const owner = ring === SHARED ? SHARED : largest(sql, platform, events > limits.events ? 'events' : 'bytes');
    const oldest = sql.row<RecentTotals & { number: number }>(
      'SELECT number, events, bytes FROM recent WHERE platform = ? AND owner = ? ORDER BY number LIMIT 1',
      [platform, owner],
    );
    if (oldest === undefined) return;
    if (events - oldest.events < limits.events && bytes <= limits.bytes) return;
    sql.run('DELETE FROM recent WHERE number = ?', [oldest.number]);
    addTotals(sql, platform, owner, { events: -oldest.events, bytes: -oldest.bytes });
  }
}

/** The account that holds most of a platform's ring. */
const largest = (sql: Sql, platform: Platform, by: 'events' | 'bytes'): string =>
  sql.row<{ owner: string }>(
    `SELECT owner FROM recent_totals INDEXED BY recent_totals_by_${by}
     WHERE platform = ? AND owner NOT IN ('${SHARED}', '${ALL_ACCOUNTS}') ORDER BY ${by} DESC LIMIT 1`,
    [platform],
  )!.owner;

const totalsOf = (sql: Sql, platform: Platform, owner: string): RecentTotals =>
  sql.row<RecentTotals>('SELECT events, bytes FROM recent_totals WHERE platform = ? AND owner = ?', [
    platform,
    owner,
  ]) ?? NOTHING;

/** Adds to the totals of the owner and, if it is an account, to those of all accounts together. */
function addTotals(sql: Sql, platform: Platform, owner: string, { events, bytes }: RecentTotals): void {
  for (const whose of owner === SHARED ? [SHARED] : [owner, ALL_ACCOUNTS])
    sql.run(
      `INSERT INTO recent_totals (platform, owner, events, bytes) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET events = events + excluded.events, bytes = bytes + excluded.bytes`,
      [platform, whose, events, bytes],
    );
}
