/**
 * One process of the real program on a PostgreSQL and a NATS of the test file, started as `startServer` starts it on
 * SQLite: every data folder has a database of its own, and the next server with that folder goes on with it.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type StartServer, startServer } from '../black-box/server.ts';
import { startNats, type TestNats } from '../stages/nats.ts';
import { startPostgresWithTables, type TestPostgres } from '../stages/postgres.ts';

/** For the suites beside which it is called: PostgreSQL and NATS are there as long as these run. */
export function onPostgresAndNats(): StartServer {
  const parts = new AsyncDisposableStack();
  let postgres: TestPostgres;
  let nats: TestNats;
  beforeAll(async () => {
    postgres = parts.use(await startPostgresWithTables());
    nats = parts.use(await startNats());
  });
  afterAll(() => parts.disposeAsync());

  const databases = new Map<string, string>();
  async function databaseOf(dataDir: string): Promise<string> {
    const known = databases.get(dataDir);
    if (known !== undefined) return known;
    // The stream has one name: what a server that was killed left in it must not be matched by the rules of another.
    await nats.restart({ wipe: true });
    const database = await postgres.newDatabase();
    databases.set(dataDir, database);
    return database;
  }

  async function start(settings?: Record<string, string>, dataDir = mkdtempSync(join(tmpdir(), 'sluice-'))) {
    const shared = { SLUICE_STORE_URL: await databaseOf(dataDir), SLUICE_NATS_URL: nats.url };
    return startServer({ ...shared, ...settings }, dataDir);
  }
  return start;
}
