/** Brings the database to this version, one step after another, each in a transaction; several nodes may start at once. */
import { systemClock } from '../../base/clock.ts';
import type { Db } from '../db.ts';
import { OLDER, StoreError } from '../error.ts';
import { DROP_SQL_MATCHES, MATCH_VIEW } from '../rows/match-rows.ts';
import { NEEDED, neededAfter, newerSchema, type SchemaStep } from '../schema-needs.ts';
import { POSTGRES_STEPS, RELEASED_SCHEMA, RELEASED_STEPS } from '../steps.ts';
import type { Database } from './connection.ts';

/** Any number, if all our programs take the same: the process that holds it migrates. */
const LOCK = 5_271_844;

/** A node that was killed counts as present for seven seconds: so long a start waits for nodes that it cannot work beside. */
const PATIENCE_MS = 9_000;
const ASK_EVERY_MS = 500;

/** Another node may migrate for minutes, and a step may take minutes itself: neither has a time limit. */
export async function migratePostgres(database: Database): Promise<void> {
  const begun = systemClock.elapsed();
  for (;;) {
    try {
      return await database.patiently(migrateOn, { lockMs: 0 });
    } catch (error) {
      const isMixed = error instanceof StoreError && error.reason === 'mixed';
      if (!isMixed || systemClock.elapsed() - begun > PATIENCE_MS) throw error;
    }
    await systemClock.sleep(ASK_EVERY_MS);
  }
}

async function migrateOn(db: Db): Promise<void> {
  await db.run('BEGIN');
  try {
    await db.run('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await db.run('CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY)');
    const done = new Set((await db.rows<{ name: string }>('SELECT name FROM migrations')).map(({ name }) => name));
    await checkNeeded(db, done);
    if (done.size > 0 && RELEASED_STEPS.some((name) => !done.has(name))) throw new StoreError('older', OLDER);
    const due = POSTGRES_STEPS.filter(({ name }) => !done.has(name));
    if (due.length > 0) await make(db, due, done.size === 0);
    await db.run('COMMIT');
  } catch (error) {
    await db.run('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Takes the steps that are due. On an empty database those of the release count as noted, and nobody can be present. */
async function make(db: Db, due: readonly SchemaStep[], isNew: boolean): Promise<void> {
  const needed = neededAfter(POSTGRES_STEPS, RELEASED_SCHEMA);
  if (isNew) for (const name of RELEASED_STEPS.slice(0, -1)) await note(db, name);
  else await checkPresent(db, needed);
  await db.run(DROP_SQL_MATCHES);
  for (const { name, sql } of due) {
    await db.run(sql);
    await note(db, name);
  }
  await db.run(MATCH_VIEW.postgres);
  await db.run(
    'INSERT INTO state (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    [NEEDED, needed],
  );
}

/** Tables of a newer program serve this one, unless they say that they do not. */
async function checkNeeded(db: Db, done: ReadonlySet<string>): Promise<void> {
  const names = new Set([...RELEASED_STEPS, ...POSTGRES_STEPS.map(({ name }) => name)]);
  const foreign = [...done].filter((name) => !names.has(name));
  if (foreign.length === 0) return;
  const row = await db.row<{ value: number }>('SELECT value FROM state WHERE name = $1', [NEEDED]);
  const known = RELEASED_SCHEMA + POSTGRES_STEPS.length - 1;
  const needed = row?.value ?? known + foreign.length;
  if (needed > known) throw new StoreError('newer', newerSchema({ known, needed }));
}

/** Nodes of an earlier version would fail on the new tables, or write what the new version does not expect. */
async function checkPresent(db: Db, needed: number): Promise<void> {
  const [told] = await db.rows(
    `SELECT FROM pg_attribute WHERE attrelid = 'nodes'::regclass AND attname = 'schema' AND NOT attisdropped`,
  );
  const schema = told === undefined ? String(RELEASED_SCHEMA) : `coalesce(schema, ${RELEASED_SCHEMA})`;
  const found = await db.row<{ nodes: number }>(
    `SELECT count(*) AS nodes FROM nodes WHERE until > extract(epoch FROM clock_timestamp()) * 1000 AND ${schema} < $1`,
    [needed],
  );
  if (found!.nodes === 0) return;
  const subject = found!.nodes === 1 ? 'A node' : `${found!.nodes} nodes`;
  throw new StoreError(
    'mixed',
    `${subject} of an earlier version work${found!.nodes === 1 ? 's' : ''} on it, and this version cannot work beside that. Stop every node of the earlier version first.`,
  );
}

const note = (db: Db, name: string): Promise<number> => db.run('INSERT INTO migrations (name) VALUES ($1)', [name]);
