/**
 * Connections to PostgreSQL: a pool, transactions, and the settings of every session. Numbers beyond 32 bits are times and
 * positions, which JavaScript holds exactly: they are read into numbers.
 */
import pg from 'pg';
import type { Db, Value } from '../db.ts';
import { StoreError } from '../error.ts';
import { inWords, isConflict, isLockTimeout, isLost, postgresError } from './failures.ts';
import { optionsOf, QUERY_MS, SOCKET, types } from './session.ts';

/** The pool. In a transaction, a deadlock, a conflict or a lock that took too long is tried again, since nothing was kept. */
export interface Database extends Db {
  /**
   * A transaction in few round trips: statements that are asked for together go to the server together, and it runs them in their
   * order. `work` ends with `commit`, which may go with the last of them. What fails makes all that follow it fail, and nothing is kept.
   */
  pipelined<T>(work: (db: Db, commit: () => Promise<void>) => Promise<T>): Promise<T>;
  /** A connection of its own without a limit on how long a statement runs, for migrations and partitions. */
  patiently<T>(work: (db: Db) => Promise<T>, options: { lockMs: number }): Promise<T>;
  /** A connection of its own that hears of a channel until it is stopped. */
  listen(channel: string, hear: (payload: string) => void): Promise<() => Promise<void>>;
  /** Connections of the pool, and callers that wait for one. */
  readonly connections: { readonly open: number; readonly idle: number; readonly waiting: number };
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 10;
const CONNECT_MILLISECONDS = 5_000;
const MAX_TRIES = 5;
const LISTEN_AGAIN_MS = 1_000;

/** A session that waits for a lock gives up once. The second time its holder is out: see `session.ts`. */
const MAX_LOCK_TRIES = 2;

interface PostgresOptions {
  readonly connections?: number;
  /** Its sessions write nothing. */
  readonly readOnly?: boolean;
  readonly textKey?: Uint8Array | undefined;
}

export function connectPostgres(
  url: string,
  { connections = MAX_CONNECTIONS, readOnly = false, textKey }: PostgresOptions = {},
): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    types,
    ...SOCKET,
    query_timeout: QUERY_MS,
    options: optionsOf({ readOnly }),
    pipeline: true,
  });
  // A connection that breaks is replaced by the next call; its user hears of it from the statement.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));

  return {
    ...wrapped(dbOf(pool)),
    transaction: (work) => retried(() => once(pool, (db) => work({ ...db, textKey }))),
    pipelined: (work) => retried(() => pipelinedOnce(pool, (db, commit) => work({ ...db, textKey }, commit))),
    patiently: (work, { lockMs }) => inWords(patiently(url, work, lockMs)),
    listen: (channel, hear) => listen(url, channel, hear),
    get connections() {
      return { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount };
    },
    close: () => pool.end(),
  };
}

async function retried<T>(transaction: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await transaction();
    } catch (error) {
      const isWorthIt = isConflict(error) ? tries < MAX_TRIES : isLockTimeout(error) && tries < MAX_LOCK_TRIES;
      if (!isWorthIt) throw postgresError(error);
    }
  }
}

const once = <T>(pool: pg.Pool, work: (db: Db) => Promise<T>): Promise<T> =>
  onClient(pool, async (client) => {
    await client.query('BEGIN');
    const db = oneByOne(dbOf(client));
    const result = await work(db);
    db.assertIdle();
    await commitOn(client);
    return result;
  });

const pipelinedOnce = <T>(pool: pg.Pool, work: (db: Db, commit: () => Promise<void>) => Promise<T>): Promise<T> =>
  onClient(pool, async (client) => {
    inOnePiece(client);
    const sent: Promise<unknown>[] = [];
    // A connection that ends fails some of them turns before the others. A failure that nobody hears meanwhile would end the program.
    const send = <A>(answer: Promise<A>): Promise<A> => {
      sent.push(answer);
      answer.catch(() => {});
      return answer;
    };
    void send(client.query('BEGIN'));
    let committed: Promise<void> | undefined;
    const db = each(dbOf(client, preparedName), (statement) => {
      inOnePiece(client);
      if (committed !== undefined) throw new StoreError('defect', 'A statement came after the end of its transaction.');
      return send(statement());
    });
    try {
      const result = await work(db, () => (committed ??= send(commitOn(client))));
      if (committed === undefined) throw new StoreError('defect', 'A transaction was left open.');
      await committed;
      return result;
    } catch (error) {
      // Statements after one that failed fail because of it, and may report it earlier.
      const failed = (await Promise.allSettled(sent)).find((one) => one.status === 'rejected');
      throw failed === undefined ? error : failed.reason;
    }
  });

/** Sends statements in one piece, when the program waits. One piece each would wake the server each time. */
function inOnePiece(client: pg.ClientBase): void {
  if (!(client instanceof pg.Client)) return;
  const { stream } = client.connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

async function commitOn(client: pg.ClientBase): Promise<void> {
  const { command } = await client.query('COMMIT');
  // A statement failed, and the work went on: the server keeps nothing.
  if (command !== 'COMMIT') throw new StoreError('defect', 'A statement failed: nothing of the transaction is kept.');
}

const names = new Map<string, string>();

/** The server reads and plans a statement with a name once in each session. There are as many as commits have statements. */
function preparedName(text: string): string {
  const name = names.get(text) ?? `s${names.size}`;
  names.set(text, name);
  return name;
}

/** A client for one transaction, which ends with it, whatever happens. */
async function onClient<T>(pool: pg.Pool, transaction: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    return await transaction(client);
  } catch (error) {
    // A lost connection answers nothing; its transaction ends with it.
    if (isLost(error)) broken = error instanceof Error ? error : new Error(String(error));
    else
      await client.query('ROLLBACK').catch((cause: Error) => {
        broken = cause;
      });
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * The statements of a transaction run one after another. One that is not awaited would fail unheard: PostgreSQL then
 * answers COMMIT with a rollback, which is no error.
 */
function oneByOne(db: Db): Db & { assertIdle(): void } {
  let isRunning = false;
  function assertIdle(): void {
    if (isRunning) throw new StoreError('defect', 'A statement of the transaction was not awaited.');
  }
  async function inTurn<T>(statement: () => Promise<T>): Promise<T> {
    assertIdle();
    isRunning = true;
    try {
      return await statement();
    } finally {
      isRunning = false;
    }
  }
  return { ...each(db, inTurn), assertIdle };
}

async function patiently<T>(url: string, work: (db: Db) => Promise<T>, lockMs: number): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    types,
    ...SOCKET,
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    options: optionsOf({ lockMs, statementMs: 0 }),
  });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(dbOf(client));
  } finally {
    await client.end();
  }
}

/** Comes back by itself when the connection breaks; what was told meanwhile is not heard. */
async function listen(url: string, channel: string, hear: (payload: string) => void): Promise<() => Promise<void>> {
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let hasStopped = false;
  async function open(): Promise<void> {
    const opening = new pg.Client({ connectionString: url, ...SOCKET });
    client = opening;
    opening.on('error', () => {});
    opening.on('notification', ({ payload }) => hear(payload ?? ''));
    try {
      await opening.connect();
      await opening.query(`LISTEN ${channel}`);
    } catch (error) {
      void opening.end().catch(() => {});
      throw error;
    }
    // Not before: a connection that breaks meanwhile fails here, and would be replaced twice.
    opening.once('end', again);
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

/** The statements of a connection. What it is asked to do in a transaction is a part of the one that it is in. */
function dbOf(on: pg.Pool | pg.ClientBase, nameOf: (text: string) => string | undefined = () => undefined): Db {
  const ask = (text: string, values: readonly Value[]): Promise<pg.QueryResult> =>
    on.query({ text, values: values.map(speakable), name: nameOf(text) });
  async function rows<Row>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    return (await ask(text, values)).rows as Row[];
  }
  const db: Db = {
    dialect: 'postgres',
    rows,
    row: async <Row>(text: string, values?: readonly Value[]) => (await rows<Row>(text, values))[0],
    run: async (text, values = []) => (await ask(text, values)).rowCount ?? 0,
    transaction: (work) => work(db),
  };
  return db;
}

/** Wraps a connection: `around` runs each of its statements. */
export function each(
  on: Db,
  around: <T>(statement: () => Promise<T>, text: string, values?: readonly Value[]) => Promise<T>,
): Db {
  const db: Db = {
    dialect: 'postgres',
    textKey: on.textKey,
    row: (text, values) => around(() => on.row(text, values), text, values),
    rows: (text, values) => around(() => on.rows(text, values), text, values),
    run: (text, values) => around(() => on.run(text, values), text, values),
    transaction: (work) => work(db),
  };
  return db;
}

/** PostgreSQL has no NUL in texts. What strangers wrote is escaped; an id with a NUL in it is then just unknown. */
function speakable(value: Value): Value {
  if (value instanceof Date) return value.getTime();
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}

const wrapped = (db: Db): Db => each(db, (statement) => inWords(statement()));
