/**
 * Loaded into the program before it begins, it kills the program from within, for good and at one exact point: when a post
 * that says so is about to be stored (`parsed`), when its transaction has all it will have (`begun`), or when that is
 * durable and nobody has heard of it (`committed`). A delivery that X made by webhook is stored as it came: `received` and
 * `kept` are the same two points of that transaction.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';

const point = process.env['KILL_POINT'] ?? '';
/** How the main thread tells the one that writes which transaction it is. */
const flag = process.env['KILL_FLAG'] ?? '';
const end = () => process.kill(process.pid, 'SIGKILL');

interface CommitMessage {
  readonly name?: string;
  readonly args: readonly [{ readonly ring: readonly { readonly lines: Uint8Array }[] }];
}

function isCommit(message: unknown): boolean {
  const { name, args } = (message ?? {}) as Partial<CommitMessage>;
  return name === 'commit' && args![0].ring.some(({ lines }) => Buffer.from(lines).includes(`killed when ${point}`));
}

const { postMessage } = Worker.prototype;
Worker.prototype.postMessage = function (this: Worker, message: unknown, ...rest: never[]) {
  if (isCommit(message)) {
    if (point === 'parsed') end();
    writeFileSync(flag, '');
  }
  postMessage.call(this, message, ...rest);
};

let storesMatch = false;
let storesDelivery = false;
const saysSo = (value: unknown): boolean =>
  value instanceof Uint8Array && Buffer.from(value).includes(`killed when ${point}`);

const { prepare } = DatabaseSync.prototype;

DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string) {
  const statement = prepare.call(this, sql);
  const run = statement.run.bind(statement);
  if (sql.startsWith('INSERT OR ROLLBACK INTO matches ')) {
    statement.run = (...values: never[]) => {
      storesMatch = true;
      return run(...values);
    };
  }
  if (sql.startsWith('INSERT INTO inbox ')) {
    statement.run = (...values: never[]) => {
      storesDelivery ||= values.some(saysSo);
      return run(...values);
    };
  }
  if (sql === 'COMMIT') {
    statement.run = () => {
      const isIt = storesMatch && existsSync(flag);
      if ((isIt && point === 'begun') || (storesDelivery && point === 'received')) end();
      const done = run();
      if ((isIt && point === 'committed') || (storesDelivery && point === 'kept')) end();
      storesMatch = false;
      return done;
    };
  }
  return statement;
};
