/**
 * SQLite files for tests that open hundreds: migrated once, then copied, and written by the bundled program where there is one.
 * Opening costs 70 ms of CPU instead of 200. That the sources open and migrate files is tried in `src/store/sqlite`.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../src/store/sqlite.ts';
import type { Store, StoreOptions } from '../../src/store/store.ts';
import { WRITER_PROGRAM } from '../black-box/program.ts';

export interface SqliteFiles extends Disposable {
  /** A store in a new file. */
  open(options?: StoreOptions): Promise<Store>;
}

export async function sqliteFiles(): Promise<SqliteFiles> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-store-'));
  const first = join(folder, 'first.db');
  // Nothing is left in its log when it is closed, so the file is all there is to copy.
  await (await openSqlite(first))[Symbol.asyncDispose]();
  let files = 0;
  return {
    open(options) {
      const file = join(folder, `${++files}.db`);
      copyFileSync(first, file);
      return openSqlite(file, options, WRITER_PROGRAM);
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}
