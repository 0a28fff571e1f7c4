/** The store on a real PostgreSQL, held to what every store must do. */
import { afterAll, beforeAll } from 'vitest';
import { storeConformance } from '../../test/conformance/store.ts';
import { startPostgresWithTables, type TestPostgres } from '../../test/stages/postgres.ts';
import { openPostgres } from './postgres.ts';

let server: TestPostgres | undefined;
beforeAll(async () => {
  // Migrated once: every test begins with a copy.
  server = await startPostgresWithTables();
});
afterAll(() => server?.[Symbol.asyncDispose]());

storeConformance('PostgreSQL', async (options) => openPostgres(await server!.newDatabase(), options));
