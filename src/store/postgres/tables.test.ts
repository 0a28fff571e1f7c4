import { afterAll, beforeAll, describe } from 'vitest';
import { tableCases } from '../../../test/conformance/tables.ts';
import { startPostgresWithTables, type TestPostgres } from '../../../test/stages/postgres.ts';
import { storeOn } from '../postgres.ts';
import { connectPostgres } from './connection.ts';

let server: TestPostgres | undefined;
beforeAll(async () => {
  server = await startPostgresWithTables();
});
afterAll(() => server?.[Symbol.asyncDispose]());

describe('the tables of PostgreSQL', () => {
  tableCases(async (options) => {
    const database = connectPostgres(await server!.newDatabase());
    return { store: storeOn(database, options), rows: (text) => database.rows(text) };
  });
});
