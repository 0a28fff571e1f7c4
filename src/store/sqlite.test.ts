import { afterAll, beforeAll } from 'vitest';
import { storeConformance } from '../../test/conformance/store.ts';
import { type SqliteFiles, sqliteFiles } from '../../test/stages/sqlite-files.ts';
import { openSqlite } from './sqlite.ts';

let files: SqliteFiles | undefined;
beforeAll(async () => {
  files = await sqliteFiles();
});
afterAll(() => files?.[Symbol.dispose]());

storeConformance('sqlite in memory', (options) => openSqlite(':memory:', options));
storeConformance('sqlite in a file', (options) => files!.open(options));
