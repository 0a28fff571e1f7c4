/** The store in a file, with its thread that writes, held to what every store must do. */
import { afterAll, beforeAll } from 'vitest';
import { storeConformance } from '../../test/conformance/store.ts';
import { type SqliteFiles, sqliteFiles } from '../../test/stages/sqlite-files.ts';

let files: SqliteFiles | undefined;
beforeAll(async () => {
  files = await sqliteFiles();
});
afterAll(() => files?.[Symbol.dispose]());

storeConformance('sqlite in a file', (options) => files!.open(options));
