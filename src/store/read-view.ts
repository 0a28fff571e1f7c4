/**
 * The store for a thread that only reads: the reads of all nouns, of matches and of stories, over connections of its own. It makes
 * no tables and settles nothing: a store has opened the database before, and goes on writing to it.
 */
import { DatabaseSync } from 'node:sqlite';
import type { ColdReader, Db } from './db.ts';
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

/**
 * `url` is that of the store: `sqlite:` and a path, or the address of a PostgreSQL database. `checkpoint` is called before each
 * statement, and throws when nobody wants the answer any more.
 */
export async function openReadView(
  url: string,
  checkpoint: () => void = () => {},
  cold?: ColdReader,
): Promise<ReadView> {
  return url.startsWith('sqlite:')
    ? onSqlite(url.slice('sqlite:'.length), checkpoint, cold)
    : onPostgres(url, checkpoint, cold);
}

function onSqlite(path: string, checkpoint: () => void, cold: ColdReader | undefined): ReadView {
  const kept = keepOpen(new DatabaseSync(path, { readOnly: true, timeout: BUSY_MILLISECONDS }), sqlOf);
  const run: typeof kept.run = async (work) => {
    checkpoint();
    return kept.run(work);
  };
  return {
    ...viewedReads({ ...readingDb(run), cold }, walkSteps(run)),
    [Symbol.asyncDispose]: async () => kept.close(),
  };
}

/** Most do without its driver. */
async function onPostgres(url: string, checkpoint: () => void, cold: ColdReader | undefined): Promise<ReadView> {
  const [{ connectPostgres }, steps] = await Promise.all([
    import('./postgres/connection.ts'),
    import('./postgres/match-steps.ts'),
  ]);
  const database = connectPostgres(url, { connections: CONNECTIONS, readOnly: true });
  const db: Db = {
    ...database,
    cold,
    async row(text, values) {
      checkpoint();
      return database.row(text, values);
    },
    async rows(text, values) {
      checkpoint();
      return database.rows(text, values);
    },
  };
  return { ...viewedReads(db, steps.walkSteps(db)), [Symbol.asyncDispose]: () => database.close() };
}
