/**
 * SQLite as the program uses it, over files whose calls are recorded. It is the same version as Node's own, compiled to
 * WebAssembly, and reaches the disk through `node:fs`. Two things differ from production. The index of the log is kept in memory
 * and not in a shared file (`locking_mode = EXCLUSIVE`): it is no part of what must survive. And frames of the log are padded to
 * whole sectors, because this SQLite does not trust a disk to leave the bytes beside a write alone; ours does.
 */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import wasm from 'node-sqlite3-wasm';
import { applySettings, makePrivate } from '../../src/store/sqlite/connection.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';

export interface RecordedOptions {
  /** Pages in the log that make SQLite bring them into the database. */
  readonly checkpointAfter: number;
  /** Whether it leaves out its syncs, which the program never does. */
  readonly isSyncOff?: boolean;
}

export function connectRecorded(path: string, { checkpointAfter, isSyncOff = false }: RecordedOptions): DatabaseSync {
  makePrivate(path);
  const db = asDatabaseSync(new wasm.Database(path));
  db.exec('PRAGMA locking_mode = EXCLUSIVE');
  applySettings(db);
  db.exec(`PRAGMA wal_autocheckpoint = ${checkpointAfter}`);
  if (isSyncOff) db.exec('PRAGMA synchronous = OFF');
  migrate(db);
  return db;
}

/** The part of `DatabaseSync` that the store uses; a call of any other part fails as one of a function that is not there. */
function asDatabaseSync(db: InstanceType<typeof wasm.Database>): DatabaseSync {
  const statements: { finalize(): void }[] = [];
  const used = {
    exec: (sql: string) => db.exec(sql),
    function: (name: string, work: () => null) => void db.function(name, work),
    prepare(sql: string) {
      const statement = db.prepare(sql);
      statements.push(statement);
      let names: string[] | undefined;
      // Always to its last row: one that is left before holds its locks.
      function all(...values: Given) {
        const rows = statement.all(bound(values));
        if (names === undefined) return rows;
        names = Object.keys(rows[0] ?? {});
        return rows.map((row) => Object.values(row));
      }
      return {
        setReturnArrays(isWanted: boolean) {
          names = isWanted ? [] : undefined;
        },
        columns: () => names?.map((name) => ({ name })),
        all,
        iterate: all,
        get: (...values: Given) => all(...values)[0],
        run(...values: Given) {
          all(...values);
          return db.get('SELECT changes() AS changes');
        },
      };
    },
    close() {
      // A database with statements is not closed, and its log stays.
      for (const statement of statements) statement.finalize();
      db.close();
    },
    get isOpen() {
      return db.isOpen;
    },
    get isTransaction() {
      return db.inTransaction;
    },
  };
  return used as unknown as DatabaseSync;
}

type Value = string | number | bigint | Uint8Array | null;
type Given = (SQLInputValue | Record<string, SQLInputValue>)[];

/** Values in order, or one object of named ones: Node takes their names without the colon. */
function bound(values: Given): Value[] | Record<string, Value> {
  const [first] = values;
  if (first === null || typeof first !== 'object' || ArrayBuffer.isView(first)) return values as Value[];
  return Object.fromEntries(Object.entries(first).map(([name, value]) => [`:${name}`, value as Value]));
}
