/**
 * The store for a thread that only reads: the reads of all nouns, of matches and of stories, over connections of its own. It makes
 * no tables and settles nothing: a store has opened the database before, and goes on writing to it.
 */
import { DatabaseSync } from 'node:sqlite';
import { viewedReads } from './nouns.ts';
import { BUSY_MILLISECONDS } from './sqlite/connection.ts';
import { readingDb } from './sqlite/db.ts';
import { keepOpen } from './sqlite/keeper.ts';
import { walkSteps } from './sqlite/match-steps.ts';
import { sqlOf } from './sqlite/sql.ts';

type Reads = ReturnType<typeof viewedReads>;

export type ReadView = Reads & AsyncDisposable;

/** Connections to PostgreSQL: one thread asks few things at once. */
const CONNECTIONS = 2;

/** `url` is that of the store: `sqlite:` and a path, or the address of a PostgreSQL database. */
export async function openReadView(url: string): Promise<ReadView> {
  return url.startsWith('sqlite:') ? onSqlite(url.slice('sqlite:'.length)) : onPostgres(url);
}

function onSqlite(path: string): ReadView {
  const { run, close } = keepOpen(new DatabaseSync(path, { readOnly: true, timeout: BUSY_MILLISECONDS }), sqlOf);
  return { ...viewedReads(readingDb(run), walkSteps(run)), [Symbol.asyncDispose]: async () => close() };
}

/** Most do without its driver. */
async function onPostgres(url: string): Promise<ReadView> {
  const [{ connectPostgres }, steps] = await Promise.all([
    import('./postgres/connection.ts'),
    import('./postgres/match-steps.ts'),
  ]);
  const database = connectPostgres(url, { connections: CONNECTIONS });
  return { ...viewedReads(database, steps.walkSteps(database)), [Symbol.asyncDispose]: () => database.close() };
}
