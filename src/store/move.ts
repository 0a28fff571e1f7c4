/**
 * Moves everything from a SQLite file to PostgreSQL, in one transaction: all of it, or nothing. The file is locked
 * against writers meanwhile and stays as it is. What only matters while a program runs is left behind: recent events,
 * leases, sessions.
 */
import type { SQLOutputValue } from 'node:sqlite';
import type { Db } from './db.ts';
import { StoreError } from './error.ts';
import { matchKey, type Position, positionAt, timeOf } from './order.ts';
import { connectPostgres } from './postgres/connection.ts';
import { migratePostgres } from './postgres/migrate.ts';
import { createPartitions } from './postgres/partitions.ts';
import { MATCH_TAIL } from './rows/match-rows.ts';
import { decodeText } from './rows/texts.ts';
import { connect as openFile } from './sqlite/connection.ts';
import { writingDb } from './sqlite/db.ts';
import { migrate as migrateFile } from './sqlite/migrate.ts';
import { settle, writeParts } from './sqlite/settle.ts';
import { sqlOf } from './sqlite/sql.ts';

/** Tables with the same columns on both sides, each after those it points to. */
export const TABLES = [
  'accounts',
  'keys',
  'oauth_clients',
  'grants',
  'access_tokens',
  'rules',
  'shared_feeds',
  'rule_platforms',
  'past_texts',
  'account_rules',
  'tallies',
  'minutes',
  'stored',
  'answers',
  'cursors',
  'readings',
  'certificate_log',
  'webhooks',
  'wake_stories',
  'owed',
  'deliveries',
  'attempts',
  'instance',
  'registrations',
  'gaps',
  'coverage',
  'inbox',
  'feeds',
  'broken',
  'agreement',
  'usage',
  'rule_changes',
  'erasure_key',
  'tombstones',
  'carriers',
  'erasures',
  'changes',
  'story_parts',
  'story_books',
  'story_log',
  'ratings',
  'rated_posts',
  'judgements',
  'judge_spending',
  'suggestions',
  'watches',
  'alerts',
  'rehearsals',
  'rehearsal_samples',
  'views',
  'agreed_settings',
  'source_fetches',
  'account_sources',
  'source_bytes',
  'source_fetch_counts',
  'silences',
  'open_notices',
  'cold_objects',
  'cold_leftovers',
] as const;

/** Bounds of one statement: PostgreSQL takes no message of a gigabyte, and a payload may have a megabyte. */
const MOST_ROWS = 1_000;
const MOST_BYTES = 8_000_000;
const DAY = 24 * 60 * 60 * 1_000;

type Row = Readonly<Record<string, SQLOutputValue>>;

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isIdentity: boolean;
}

/** Answers how many rows of each table were moved. */
export async function moveToPostgres(file: string, url: string): Promise<Record<string, number>> {
  const from = openFile(file);
  const database = connectPostgres(url);
  try {
    migrateFile(from);
    await migratePostgres(database);
    await readyToMove(from);
    const [first] = from.prepare('SELECT min(position) AS position FROM matches').all() as {
      position: number | null;
    }[];
    const days = daysOf(first?.position ?? undefined, latestIn(from));
    const partitions = createPartitions(database);
    for (const day of days) await partitions.ready(day);
    return await database.transaction(async (to) => {
      if ((await to.rows('SELECT 1 FROM accounts LIMIT 1')).length > 0)
        throw new StoreError('exists', 'The PostgreSQL database holds accounts already: it must be an empty one.');
      await to.run('DELETE FROM erasure_key');
      const moved: Record<string, number> = {};
      for (const table of TABLES) moved[table] = await moveTable(from, to, table);
      moved['matches'] = 0;
      for (const day of days) moved['matches'] += await moveDay(from, to, day);
      await moveState(from, to);
      return moved;
    });
  } finally {
    if (from.isTransaction) from.exec('ROLLBACK');
    from.close();
    await database.close();
  }
}

/** Everything here is rolled back at the end, with the lock. */
async function readyToMove(from: File): Promise<void> {
  from.exec('BEGIN IMMEDIATE');
  await settle(writingDb(sqlOf(from)));
  // In PostgreSQL every story has parts.
  from.exec(writeParts('(SELECT DISTINCT story FROM matches WHERE story IS NOT NULL)'));
}

type File = ReturnType<typeof openFile>;

const latestIn = (from: File): Position =>
  (from.prepare(`SELECT value FROM state WHERE name = 'latest'`).get() as { value: number }).value;

function daysOf(first: Position | undefined, latest: Position): number[] {
  if (first === undefined) return [];
  const days: number[] = [];
  for (let day = Math.floor(timeOf(first) / DAY) * DAY; day <= timeOf(latest); day += DAY) days.push(day);
  return days;
}

async function moveTable(from: File, to: Db, table: string): Promise<number> {
  const columns = await columnsOf(to, table);
  let moved = 0;
  for (const batch of batches(from.prepare(`SELECT * FROM ${table}`).iterate())) {
    await insert(to, table, columns, batch);
    moved += batch.length;
  }
  // The rows with the highest numbers may have gone, or all of them: no number is given twice.
  const given = from.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').get(table)?.['seq'];
  for (const { name, isIdentity } of columns) {
    if (!isIdentity || (moved === 0 && given === undefined)) continue;
    await to.run(
      `SELECT setval(pg_get_serial_sequence($1, $2), greatest($3::bigint, (SELECT max(${name}) FROM ${table})))`,
      [table, name, speakable(given)],
    );
  }
  return moved;
}

const columnsOf = (to: Db, table: string): Promise<Column[]> =>
  to.rows<Column>(
    `SELECT column_name AS name, data_type AS type, is_identity = 'YES' AS "isIdentity" FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1 ORDER BY ordinal_position`,
    [table],
  );

function insert(to: Db, table: string, columns: readonly Column[], rows: readonly Row[]): Promise<number> {
  const names = columns.map(({ name }) => name).join(', ');
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ');
  return to.run(
    `INSERT INTO ${table} (${names}) OVERRIDING SYSTEM VALUE SELECT * FROM unnest(${arrays})`,
    columns.map(({ name }) => rows.map((row) => speakable(row[name]))),
  );
}

/** Numbers are exact: times, positions and counts. */
const speakable = (value: SQLOutputValue | undefined) => (typeof value === 'bigint' ? Number(value) : (value ?? null));

/** A day's matches, with each payload once under the number of its first match of the day. */
async function moveDay(from: File, to: Db, day: number): Promise<number> {
  const columns = { matches: await columnsOf(to, 'matches'), events: await columnsOf(to, 'events') };
  const rows = from
    .prepare(
      `SELECT m.*, ${MATCH_TAIL.sqlite} AS tail, r.id AS rule_id, e.account AS owner, e.post_id, e.payload, e.source, e.key
       FROM matches m JOIN events e ON e.number = m.event JOIN rules r ON r.number = m.rule
       WHERE m.position >= ? AND m.position < ? ORDER BY m.position`,
    )
    .iterate(positionAt(day), positionAt(day + DAY));
  const numbers = new Map<SQLOutputValue | undefined, SQLOutputValue | undefined>();
  let moved = 0;
  for (const batch of batches(rows)) {
    const events = batch.filter(({ event }) => !numbers.has(event) && numbers.set(event, undefined));
    for (const { event, position } of events) numbers.set(event, position);
    await insert(
      to,
      'events',
      columns.events,
      events.map(({ position, owner, ...event }) => ({ ...event, number: position ?? null, account: owner ?? null })),
    );
    await insert(
      to,
      'matches',
      columns.matches,
      batch.map((row) => ({ ...row, event: numbers.get(row['event']) ?? null })),
    );
    await to.run('INSERT INTO match_keys (tail, position) SELECT * FROM unnest($1::text[], $2::bigint[])', [
      batch.map(keyIn),
      batch.map(({ position }) => speakable(position)),
    ]);
    moved += batch.length;
  }
  return moved;
}

const keyIn = ({ rule_id, platform, post_id }: Row): string =>
  matchKey(String(rule_id), String(platform), decodeText(String(post_id)));

async function moveState(from: File, to: Db): Promise<void> {
  const rows = from
    .prepare(`SELECT name, value FROM state WHERE name IN ('latest', 'oldest') OR name LIKE 'cold_%'`)
    .all();
  // An empty database does not have the times at which old matches were last written and failed.
  for (const { name, value } of rows)
    await to.run(
      'INSERT INTO state (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      [speakable(name), speakable(value)],
    );
  await to.run(
    `UPDATE state SET value = (SELECT coalesce(max(number), 0) FROM rule_changes) WHERE name = 'rule_change'`,
  );
}

/** Each has one row at least, and takes no further one once its rows have so many bytes. */
export function* batches(rows: Iterable<Row>): Iterable<Row[]> {
  let [batch, bytes]: [Row[], number] = [[], 0];
  for (const row of rows) {
    batch.push(row);
    bytes += bytesOf(row);
    if (batch.length < MOST_ROWS && bytes < MOST_BYTES) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

const bytesOf = (row: Row): number =>
  Object.values(row).reduce<number>((sum, value) => sum + (lengthOf(value) ?? 0), 0);

const lengthOf = (value: SQLOutputValue): number | undefined =>
  typeof value === 'object' || typeof value === 'string' ? value?.length : undefined;
