/** Writes run in a thread of their own, because a durable commit waits for the disk and the program must not. */
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { StoreError, type StoreFailure } from '../error.ts';
import type { StoreFigures } from '../store.ts';
import type { CallByName, WriteOptions } from './writes.ts';

/**
 * The order of calls to the writer. While events pour in, a commit is always waiting, and a caller that creates a rule
 * would wait for one commit at each of its writes. So commits wait while a rule is being written, and for one turn of
 * the event loop after that, in which the caller asks for its next write. A stream of rules does not stop the events: a
 * commit lets few writes pass.
 */

/** Writes that a caller waits for, and that take a moment. */
const AHEAD: ReadonlySet<string> = new Set([
  'addRule',
  'setRuleStatus',
  'changeRule',
  'deleteRule',
  'undoRule',
  'restoreRule',
  'changeRegistrations',
  'claimAnswerAt',
  'rememberAt',
]);

/** Writes that a waiting commit lets pass. */
export const MOST_PASSED = 8;

interface WriteLane {
  /** Runs the write when it is its turn. */
  run<T>(name: string, write: () => Promise<T>): Promise<T>;
}

interface WaitingCommit {
  readonly go: () => void;
  passed: number;
}

/** `turn` resolves when all that the last answer led to has been asked for. */
export function createWriteLane(turn: () => Promise<unknown> = setImmediate): WriteLane {
  /** Rules being written, and turns that wait for the next write. */
  let ahead = 0;
  let commits: WaitingCommit[] = [];

  function release(): void {
    const going = commits.filter(({ passed }) => ahead === 0 || passed >= MOST_PASSED);
    commits = commits.filter((commit) => !going.includes(commit));
    for (const { go } of going) go();
  }
  async function leave(): Promise<void> {
    for (const commit of commits) commit.passed++;
    release();
    await turn();
    ahead--;
    release();
  }

  return {
    run(name, write) {
      if (AHEAD.has(name)) {
        ahead++;
        return write().finally(() => void leave());
      }
      if (name !== 'commit' || ahead === 0) return write();
      return new Promise<void>((go) => void commits.push({ go, passed: 0 })).then(write);
    },
  };
}

export interface Writer {
  readonly write: CallByName;
  readonly close: () => Promise<void>;
}

/** The data that the thread gets at its start. */
export interface WorkerData {
  readonly path: string;
  readonly options: WriteOptions;
}

export interface WriteRequest {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

export type WriteReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: { readonly reason: StoreFailure; readonly message: string } }
  | { readonly id: number; readonly error: unknown };

/** The published package is JavaScript, and its files are called so. */
const ENTRY = import.meta.url.endsWith('.ts')
  ? new URL('./worker.ts', import.meta.url)
  : new URL('./worker.js', import.meta.url);

/**
 * Megabytes, twice. A commit's objects all live until its end, and in less room they are copied again and again. The setting is for
 * threads that start from now on; it leaves the memory of this one as it is.
 */
const ROOM_FOR_NEW_OBJECTS = 16;

interface Waiting {
  /** When it was asked for. */
  readonly since: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** One thread with the requests that it has not answered. */
interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, Waiting>;
  readonly lock: { waits: number; seconds: number };
}

export function threadWriter(data: WorkerData, entry: URL = ENTRY): Writer & { figures(): StoreFigures } {
  const lock = { waits: 0, seconds: 0 };
  const lane = createWriteLane();
  let lastId = 0;
  let current: Thread | undefined;
  let isClosed = false;

  function start(): Thread {
    setFlagsFromString(`--min-semi-space-size=${ROOM_FOR_NEW_OBJECTS}`);
    const thread: Thread = { worker: new Worker(entry, { workerData: data }), waiting: new Map(), lock };
    thread.worker.on('message', (reply: WriteReply) => settle(thread, reply));
    const lose = (cause?: unknown): void => {
      // The next call starts another thread. This may be the second we hear of the end: the other one is not touched.
      if (current === thread) current = undefined;
      rejectAll(thread, cause);
    };
    thread.worker.on('error', lose);
    thread.worker.on('exit', () => lose());
    return thread;
  }
  const ask: CallByName = (name, args) =>
    new Promise((resolve, reject) => {
      if (isClosed) throw new StoreError('defect', 'The store is closed.');
      current ??= start();
      current.worker.ref();
      const request: WriteRequest = { id: ++lastId, name, args };
      current.waiting.set(request.id, { resolve, reject, since: performance.now() });
      current.worker.postMessage(request, args.flatMap(buffersOf));
    });
  return {
    write: (name, args) => lane.run(name, () => ask(name, args)),
    figures: () => ({ connections: connectionsOf(current?.waiting.size ?? 0), lock: { ...lock } }),
    async close() {
      isClosed = true;
      if (current !== undefined) await ended(current.worker);
    },
  };
}

async function ended(worker: Worker): Promise<void> {
  const exit = new Promise((resolve) => worker.once('exit', resolve));
  worker.ref();
  worker.postMessage(undefined, []);
  await exit;
}

/** The buffers that an argument hands over, and that the thread need not copy. */
const buffersOf = (value: unknown): readonly ArrayBuffer[] => (handsOver(value) ? value.buffers : []);

const handsOver = (value: unknown): value is { readonly buffers: readonly ArrayBuffer[] } =>
  typeof value === 'object' && value !== null && 'buffers' in value;

const connectionsOf = (asked: number): StoreFigures['connections'] => ({
  open: 1,
  idle: asked === 0 ? 1 : 0,
  waiting: Math.max(0, asked - 1),
});

function settle({ worker, waiting, lock }: Thread, reply: WriteReply): void {
  const { resolve, reject } = waiting.get(reply.id)!;
  waiting.delete(reply.id);
  // The thread does one after another: the next one has waited until now.
  const [next] = waiting.values();
  if (next !== undefined) {
    lock.waits++;
    lock.seconds += (performance.now() - next.since) / 1_000;
  }
  // An idle thread keeps no program from ending.
  if (waiting.size === 0) worker.unref();
  if ('result' in reply) resolve(reply.result);
  else reject('failure' in reply ? new StoreError(reply.failure.reason, reply.failure.message) : reply.error);
}

/** Rejects all calls that wait. They may or may not have been done; asking again is safe. */
function rejectAll({ waiting }: Thread, cause: unknown): void {
  const left = [...waiting.values()];
  waiting.clear();
  for (const { reject } of left) reject(new StoreError('unwritable', 'The writer of the store has ended.', { cause }));
}
