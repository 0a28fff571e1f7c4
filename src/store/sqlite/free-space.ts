/** How freed pages leave the file, and old pages the write-ahead log; and whether there is space for new ones. */
import type { Sql } from './sql.ts';

/** Pages given back in one step. */
const PAGES = 200;

/** A step towards a smaller file; false when it cannot shrink further. */
export function freePages(sql: Sql): boolean {
  const { freelist_count } = sql.row<{ freelist_count: number }>('PRAGMA freelist_count')!;
  if (freelist_count === 0) return false;
  sql.rows(`PRAGMA incremental_vacuum(${PAGES})`);
  return freelist_count > PAGES;
}

/** False when a reader, for instance a backup, still needs the log. */
export const truncateLog = (sql: Sql): boolean =>
  sql.row<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')!.busy === 0;

/**
 * Throws when a commit of so many bytes does not fit. They are written to the log and from there to the file; what is
 * freed afterwards stays in both, so that the next commit finds it there.
 */
export function checkRoom(sql: Sql, room: number): void {
  sql.run('DELETE FROM room');
  sql.run('INSERT INTO room VALUES (zeroblob(?))', [room]);
  sql.rows('PRAGMA wal_checkpoint(PASSIVE)');
  sql.run('DELETE FROM room');
}
