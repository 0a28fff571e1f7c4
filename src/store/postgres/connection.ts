/**
 * Connections to PostgreSQL: a pool, transactions, the settings that durability needs, and its errors in our words.
 * Numbers beyond 32 bits are times and positions, which JavaScript holds exactly, so they are read as numbers.
 */
import pg from 'pg';
import { StoreError, type StoreFailure } from '../error.ts';

/** Something that runs statements: the pool, or one connection inside a transaction. */
export interface Db {
  rows<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** How many rows were changed. */
  run(text: string, values?: readonly unknown[]): Promise<number>;
}

export interface Database extends Db {
  /** All or nothing. A deadlock or a conflict of two transactions is tried again, since nothing of it was kept. */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** A connection of its own that hears of a channel, as long as it lasts. */
  listen(channel: string, hear: (payload: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 10;
const CONNECT_MILLISECONDS = 5_000;
const MAX_TRIES = 5;
const LISTEN_AGAIN_MS = 1_000;

/** Each with what it must read back as; anything else loses what was acknowledged. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  fsync: ['on'],
  full_page_writes: ['on'],
  synchronous_commit: ['on', 'remote_write', 'remote_apply', 'local'],
};

const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);

export function connect(url: string): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    types,
    application_name: 'sluice',
    // Compiling a statement takes longer than any of ours runs.
    options: '-c jit=off',
  });
  // A connection that breaks is replaced by the next call; whoever was using it hears of it from their statement.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));

  async function transaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await once(work);
      } catch (error) {
        if (tries === MAX_TRIES || !isConflict(error)) throw inOurWords(error);
      }
    }
  }

  async function once<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await work(dbOf(client));
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((cause: Error) => {
        broken = cause;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }

  return {
    ...wrapped(dbOf(pool)),
    transaction,
    listen: (channel, hear) => listen(url, channel, hear),
    close: () => pool.end(),
  };
}

/** Comes back by itself when the connection breaks; what was told meanwhile is not heard. */
async function listen(url: string, channel: string, hear: (payload: string) => void): Promise<() => Promise<void>> {
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let hasStopped = false;
  async function open(): Promise<void> {
    const opening = new pg.Client({ connectionString: url, application_name: 'sluice' });
    client = opening;
    opening.on('error', () => {});
    opening.on('notification', ({ payload }) => hear(payload ?? ''));
    await opening.connect();
    opening.once('end', again);
    await opening.query(`LISTEN ${channel}`);
  }
  function again(): void {
    if (hasStopped) return;
    retry = setTimeout(() => void open().catch(again), LISTEN_AGAIN_MS);
    retry.unref();
  }
  await inWords(open());
  return async () => {
    hasStopped = true;
    clearTimeout(retry);
    await client?.end().catch(() => {});
  };
}

const dbOf = (on: pg.Pool | pg.PoolClient): Db => ({
  rows: async <Row>(text: string, values: readonly unknown[] = []) =>
    (await on.query(text, values.map(speakable))).rows as Row[],
  run: async (text, values = []) => (await on.query(text, values.map(speakable))).rowCount ?? 0,
});

/** PostgreSQL has no NUL in texts. What strangers wrote is escaped; an id that somebody asks for is then just unknown. */
const speakable = (value: unknown): unknown =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;

const wrapped = (db: Db): Db => ({
  rows: (text, values) => inWords(db.rows(text, values)),
  run: (text, values) => inWords(db.run(text, values)),
});

async function inWords<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    throw inOurWords(error);
  }
}

export async function checkSettings(db: Db): Promise<void> {
  for (const [name, expected] of Object.entries(SETTINGS)) {
    const [row] = await db.rows<{ value: string }>('SELECT current_setting($1) AS value', [name]);
    if (row !== undefined && expected.includes(row.value)) continue;
    throw new StoreError('settings', `PostgreSQL has ${name} = ${row?.value} where it must be ${expected[0]}.`);
  }
}

const codeOf = (error: unknown): string => (error as { code?: string } | undefined)?.code ?? '';

/** Two transactions that got in each other's way. */
const isConflict = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error));

/** Whether the server may or may not have done what it was asked last. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof StoreError ? error.cause !== undefined && isOutcomeUnknown(error.cause) : isLost(error);

function isLost(error: unknown): boolean {
  const code = codeOf(error);
  const message = (error as Error | undefined)?.message ?? '';
  return (
    /^(08|57P0)/.test(code) ||
    ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNREFUSED'].includes(code) ||
    /connection (terminated|timeout)|not queryable/i.test(message)
  );
}

function failureOf(error: unknown): StoreFailure {
  const code = codeOf(error);
  if (code === '23505') return 'exists';
  // No space, too many connections, a server that is read-only because it became a standby.
  if (isLost(error) || code.startsWith('53') || code === '25006') return 'unwritable';
  if (code === '55P03') return 'busy';
  return 'defect';
}

export function inOurWords(cause: unknown): unknown {
  if (!(cause instanceof pg.DatabaseError) && !isLost(cause)) return cause;
  const failure = failureOf(cause);
  return new StoreError(failure, WORDS[failure] ?? 'PostgreSQL refused a statement.', { cause });
}

const WORDS: Partial<Record<StoreFailure, string>> = {
  exists: 'Something with this id or name is there already.',
  unwritable: 'PostgreSQL cannot be reached or written now.',
  busy: 'PostgreSQL is held by another transaction.',
};
