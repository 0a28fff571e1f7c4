/**
 * The ring of recent events, for preview. Most events match nothing and leave the ring within minutes, so they are not
 * rows of their own: a commit's events are packed into a few rows of lines, `["account", "post id", payload]` each.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Platform } from '../../domain/platform.ts';
import { pack, type RecentLimits, type RecentRow, type RecentTotals, type RingEvent } from '../rows/recent.ts';
import { transaction } from './connection.ts';

const TOTALS = 'SELECT events, bytes FROM recent_totals WHERE platform = ?';
const totalsIn = (row: unknown): RecentTotals => (row as RecentTotals | undefined) ?? { events: 0, bytes: 0 };

/** Rows searched at a time. */
const SLICE = 32;

export function recentWrites(db: DatabaseSync, limits: RecentLimits) {
  const insert = db.prepare('INSERT INTO recent (platform, at, events, bytes, lines) VALUES (?, ?, ?, ?, ?)');
  const totals = db.prepare(TOTALS);
  const setTotals = db.prepare(
    `INSERT INTO recent_totals (platform, events, bytes) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET events = excluded.events, bytes = excluded.bytes`,
  );
  const oldest = db.prepare('SELECT number, events, bytes FROM recent WHERE platform = ? ORDER BY number');
  const remove = db.prepare('DELETE FROM recent WHERE number = ?');
  const someRows = db.prepare(
    `SELECT number FROM recent WHERE platform = ? AND number > ? ORDER BY number LIMIT ${SLICE}`,
  );
  const holding = db.prepare(
    'SELECT number, lines FROM recent WHERE platform = ? AND number > ? AND number <= ? AND instr(lines, ?) > 0',
  );
  const rewrite = db.prepare('UPDATE recent SET lines = ?, events = ?, bytes = ? WHERE number = ?');

  const totalsOf = (platform: Platform): RecentTotals => totalsIn(totals.get(platform));

  /** Rows go from the old end while the rest alone fills the ring, or while it holds too many bytes. */
  function makeRoom(platform: Platform, events: number, bytes: number): RecentTotals {
    const gone: number[] = [];
    for (const row of oldest.iterate(platform) as IterableIterator<{ number: number; events: number; bytes: number }>) {
      if (events - row.events < limits.events && bytes <= limits.bytes) break;
      events -= row.events;
      bytes -= row.bytes;
      gone.push(row.number);
    }
    for (const number of gone) remove.run(number);
    return { events, bytes };
  }

  function replace(
    platform: Platform,
    row: { number: number; lines: string },
    had: number,
    kept: readonly string[],
  ): void {
    const lines = kept.join('\n');
    const length = Buffer.byteLength(lines);
    rewrite.run(lines, kept.length, length, row.number);
    const { events, bytes } = totalsOf(platform);
    setTotals.run(platform, events - had + kept.length, bytes - Buffer.byteLength(row.lines) + length);
  }

  return {
    keep(platform: Platform, at: number, events: readonly RingEvent[]): void {
      if (events.length === 0 || limits.events === 0) return;
      const rows = pack(events);
      const had = totalsOf(platform);
      const bytes = rows.reduce((sum, row) => sum + row.bytes, had.bytes);
      // Room first: the pages that become free are the ones written again.
      const left = makeRoom(platform, had.events + events.length, bytes);
      for (const row of rows) insert.run(platform, at, row.events, row.bytes, row.lines);
      setTotals.run(platform, left.events, left.bytes);
    },

    /** Takes a post out of a slice of rows: what this account sees of it. Answers where the next slice begins. */
    eraseRecent(accountId: string, platform: Platform, postId: string, after: number): number | undefined {
      const upTo = (someRows.all(platform, after) as { number: number }[]).at(-1)?.number;
      if (upTo === undefined) return undefined;
      const post = `,${JSON.stringify(postId)},`;
      const starts = [`[""${post}`, `[${JSON.stringify(accountId)}${post}`];
      transaction(db, () => {
        for (const row of holding.all(platform, after, upTo, post) as { number: number; lines: string }[]) {
          const lines = row.lines.split('\n');
          const kept = lines.filter((line) => !starts.some((start) => line.startsWith(start)));
          if (kept.length < lines.length) replace(platform, row, lines.length, kept);
        }
      });
      return upTo;
    },
  };
}

export function recentReads(db: DatabaseSync) {
  const totals = db.prepare(TOTALS);
  const before = db.prepare(
    'SELECT number, at, lines FROM recent WHERE platform = ? AND number < ? ORDER BY number DESC LIMIT 1',
  );
  return {
    recentBefore: (platform: Platform, number: number): RecentRow | undefined =>
      before.get(platform, number) as RecentRow | undefined,
    recentTotals: (platform: Platform): RecentTotals => totalsIn(totals.get(platform)),
  };
}
