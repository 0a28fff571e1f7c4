/**
 * Group commit: events wait together until there are enough of them, or the first has waited long enough, and become
 * durable in one transaction. Each push waits for its own events. When the store fails, every waiting push fails with
 * `unavailable`, and nothing more is taken until the store can be written again.
 */
import type { Clock } from '../../base/clock.ts';
import { errorType, type TraceContext, type Tracer } from '../../base/tracing.ts';
import type { Platform } from '../../domain/platform.ts';
import { StoreError } from '../../store/error.ts';
import type { Commit, Committed, Cursor, Position, Store } from '../../store/store.ts';
import { ServiceError } from '../errors.ts';
import type { NotReady } from '../readiness.ts';
import type { Log, Metrics } from '../telemetry.ts';
import {
  type BatchQueue,
  createBatchQueue,
  MAX_ROWS,
  type Receipt,
  type StoredEvent,
  type WaitingBatch,
} from './batch-queue.ts';
import { commitSpan } from './ingest-spans.ts';
import { commitApart, createStoreTrouble, type StoreTrouble } from './store-trouble.ts';

/** Milliseconds that the first event of a batch waits for others. */
const MAX_WAIT = 20;
/** The service is not ready while a commit waits for longer. */
const LONGEST_WAIT_MS = 5_000;
/**
 * A change of a rule waits for the transaction under way: while rules change, transactions are short. Otherwise they are long,
 * because each one waits for the disk and writes the pages that it shares with the next one.
 */
const ROWS_WHILE_RULES_CHANGE = 120;
/** Transactions stay short for this many milliseconds after a rule has changed: its writer often changes another. */
const SHORT_FOR_MS = 5_000;

export interface GroupCommit {
  /** Takes one event; its receipt is confirmed when it is durable. */
  add(platform: Platform, event: StoredEvent, bytes: number, receipt: Receipt): void;
  /** Moves a cursor, in the transaction of what was added last: what it covers is stored with it or before it. */
  moveCursor(platform: Platform, cursor: Cursor, receipt: Receipt): void;
  /** Stores a finished batch at once, past the queue. Throws what the store throws. The traces are what led to it. */
  commitNow(commit: Commit, traces?: Iterable<TraceContext>): Promise<Committed>;
  /** Resolves when there is space for more; undefined when there is space now. */
  spaceFree(): Promise<void> | undefined;
  readonly queued: BatchQueue['queued'];
  /** Why nothing is stored at the moment; undefined when all is well. */
  readonly trouble: NotReady | undefined;
  /** Milliseconds that the oldest commit has waited; 0 when none waits. */
  readonly longestWait: number;
  /** Stores what waits, and takes nothing more. */
  close(): Promise<void>;
}

/** Tells its listeners what a commit stored. */
export interface CommitNotice {
  readonly platform: Platform;
  readonly events: number;
  readonly matches: number;
  readonly latest: Position;
  /** The newest position before its own, where nodes share the store. */
  readonly before: Position | undefined;
  /** Events whose matches were all stored before. */
  readonly repeats: number;
  /** Every rule that may have new matches. */
  readonly ruleIds: ReadonlySet<string>;
  /** The accounts that have new matches. */
  readonly accountIds: readonly string[];
  /** How many each of them has. */
  readonly addedByAccount: readonly number[];
  /** The span of the commit, where traces are on. */
  readonly trace: TraceContext | undefined;
}

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly onCommit: (commit: CommitNotice) => void;
  /** How often a rule has changed: while rules change, transactions are short. */
  readonly ruleChanges?: () => number;
  /** Gives the event loop a turn. Pushes that wait for space go on one in each turn. */
  readonly pause?: Pause;
  readonly tracer?: Tracer | undefined;
  readonly database?: string | undefined;
}

type Pause = () => Promise<void> | undefined;

export function createGroupCommit(deps: Deps): GroupCommit {
  const { store, clock, log, pause = () => undefined } = deps;
  const stopping = new AbortController();
  const trouble = createStoreTrouble(store, clock, log, stopping.signal);
  const waits = createCommitWaits(clock);
  const commit = committer(deps, waits);
  const loop = createCommitLoop(deps, waits, stopping.signal, (batch) => commitBatch(batch, commit, trouble, deps));
  const { queue, run } = loop;
  function refuseInTrouble(): void {
    if (trouble.reason !== undefined) throw unavailable();
  }
  return {
    add(platform, event, bytes, receipt) {
      refuseInTrouble();
      if (queue.add(platform, event, bytes, receipt).isDue) void run();
    },
    moveCursor(platform, cursor, receipt) {
      refuseInTrouble();
      queue.moveCursor(platform, cursor, receipt);
      void run();
    },
    commitNow: reporting(commit, trouble),
    spaceFree: oneInEachTurn(loop.nextCommit, pause),
    get queued() {
      return queue.queued;
    },
    get trouble() {
      return trouble.reason ?? (waits.longest > LONGEST_WAIT_MS ? 'commits_waiting' : undefined);
    },
    get longestWait() {
      return waits.longest;
    },
    async close() {
      stopping.abort();
      queue.flush();
      await run();
    },
  };
}

/**
 * Wraps a commit: when it fails, the store is in trouble. The store works when it refuses a node that lost its lease.
 */
const reporting =
  (commit: GroupCommit['commitNow'], trouble: StoreTrouble): GroupCommit['commitNow'] =>
  async (given, traces) => {
    try {
      return await commit(given, traces);
    } catch (error) {
      if (!(error instanceof StoreError && error.reason === 'fenced')) trouble.report(error, given);
      throw error;
    }
  };

/** Stores batches one after another: those that are full, and those whose first event has waited long enough. */
function createCommitLoop(
  { clock, ruleChanges = () => 0 }: Deps,
  waits: CommitWaits,
  signal: AbortSignal,
  commit: (batch: WaitingBatch) => Promise<void>,
) {
  const ends = new WeakMap<WaitingBatch, () => void>();
  const queue = createBatchQueue((batch) => void makeDueSoon(batch), batchRows(clock, ruleChanges));
  let isRunning = false;
  let running: Promise<void> = Promise.resolve();
  const waiting: (() => void)[] = [];

  async function makeDueSoon(batch: WaitingBatch): Promise<void> {
    ends.set(batch, waits.begin());
    await clock.sleep(MAX_WAIT, signal);
    batch.isDue = true;
    void run();
  }
  async function commitAll(): Promise<void> {
    isRunning = true;
    for (let batch = queue.next(); batch !== undefined; batch = queue.next()) {
      await commit(batch);
      queue.finished(batch);
      ends.get(batch)?.();
      for (const resume of waiting.splice(0)) resume();
    }
    isRunning = false;
  }
  function run(): Promise<void> {
    if (!isRunning) running = commitAll();
    return running;
  }
  const nextCommit = () => (queue.isFull ? new Promise<void>((resolve) => void waiting.push(resolve)) : undefined);
  return { queue, run, nextCommit };
}

/**
 * When space frees up, every waiting push wakes at once. This lets one continue in each turn of the event loop, after it has looked
 * for space again: a burst can neither hold up everything else nor overfill the queue.
 */
export function oneInEachTurn(spaceFree: GroupCommit['spaceFree'], pause: Pause): GroupCommit['spaceFree'] {
  async function wait(first: Promise<void>): Promise<void> {
    for (let space: Promise<void> | undefined = first; space !== undefined; space = spaceFree()) {
      await space;
      await pause();
    }
  }
  return () => {
    const space = spaceFree();
    return space && wait(space);
  };
}

/** Answers how many rows a transaction of events may have. `ruleChanges` answers how often a rule has changed. */
function batchRows(clock: Clock, ruleChanges: () => number): () => number {
  let seen = ruleChanges();
  let shortUntil = -Infinity;
  return () => {
    const changes = ruleChanges();
    if (changes !== seen) shortUntil = clock.elapsed() + SHORT_FOR_MS;
    seen = changes;
    return clock.elapsed() < shortUntil ? ROWS_WHILE_RULES_CHANGE : MAX_ROWS;
  };
}

type CommitWaits = ReturnType<typeof createCommitWaits>;

/** Measures how long the oldest commit has waited: in the queue, for the lock, and for the disk. */
function createCommitWaits(clock: Clock) {
  /** In the order in which they began. */
  const waiting = new Map<object, number>();
  return {
    /** Something begins to wait; the answer is called when it is stored, or has failed. */
    begin(): () => void {
      const one = {};
      waiting.set(one, clock.elapsed());
      return () => void waiting.delete(one);
    },
    /** Milliseconds; 0 when nothing waits. */
    get longest(): number {
      const [oldest] = waiting.values();
      return oldest === undefined ? 0 : clock.elapsed() - oldest;
    },
  };
}

/**
 * Each push hears of its own events: where the store refuses some, the others are stored. A batch after one that failed must not be
 * stored, nor one after an event that a cursor covers: the cursor would cover events that are not there.
 */
async function commitBatch(
  batch: WaitingBatch,
  commit: GroupCommit['commitNow'],
  trouble: StoreTrouble,
  { clock, log }: Pick<Deps, 'clock' | 'log'>,
): Promise<void> {
  const { platform, events, receipts, cursor, cursorReceipts, traces } = batch;
  const all = { platform, at: clock.now(), events, ...(cursor && { cursor }) };
  async function commitPart(from: number, to: number): Promise<void> {
    const isWhole = to - from === events.length;
    const { addedByEvent } = await commit(
      isWhole ? all : { platform, at: clock.now(), events: events.slice(from, to) },
      traces,
    );
    for (const [index, added] of addedByEvent.entries()) receipts[from + index]!.confirm(added);
  }
  function refuse(index: number, error: unknown): void {
    log.error({ platform, err: error }, 'the store refuses an event; those beside it are stored');
    if (receipts[index]!.isFollowed) throw unavailable(error);
    receipts[index]!.fail(unavailable(error));
  }
  try {
    if (trouble.reason !== undefined) throw unavailable();
    const refused = await commitApart(events.length, commitPart, refuse);
    if (refused.length > 0 && cursor !== undefined) await commit({ platform, at: clock.now(), events: [], cursor });
    for (const receipt of cursorReceipts) receipt.confirm(0);
  } catch (error) {
    trouble.report(error, all);
    // One for each push, not one for each event: an error with its stack costs as much as storing an event.
    for (const receipt of new Set([...receipts, ...cursorReceipts])) receipt.fail(unavailable(error));
  }
}

/** One transaction: what fails in it is the store's; what `onCommit` does comes after, and cannot undo it. */
function committer({ store, metrics, onCommit, tracer, database }: Deps, waits: CommitWaits): GroupCommit['commitNow'] {
  return async (given, traces) => {
    const { platform, events } = given;
    const ended = metrics.commit(platform, rowsOf(events));
    const endWait = waits.begin();
    const span = traces && tracer && commitSpan(tracer, { platform, events: events.length, database }, traces);
    let committed: Committed;
    try {
      committed = await store.commit(given);
    } catch (error) {
      ended(false);
      span?.fail(errorType(error));
      throw error;
    } finally {
      endWait();
      span?.end();
    }
    ended(true);
    onCommit(noticeOf(given, committed, span?.context));
    return committed;
  };
}

function noticeOf({ platform, events }: Commit, committed: Committed, trace: TraceContext | undefined): CommitNotice {
  const { added, latest, before, repeats, accountIds, addedByAccount } = committed;
  let ruleIds: ReadonlySet<string> | undefined;
  return {
    platform,
    events: events.length,
    matches: added,
    latest,
    before,
    repeats,
    // Only a request that waits for the matches of a rule asks for them.
    get ruleIds() {
      ruleIds ??= rulesOf(added > 0 ? events : []);
      return ruleIds;
    },
    accountIds,
    addedByAccount,
    trace,
  };
}

const rowsOf = (events: Commit['events']): number => events.reduce((rows, { matches }) => rows + 1 + matches.length, 0);

const rulesOf = (events: Commit['events']): Set<string> =>
  new Set(events.flatMap(({ matches }) => matches.map(({ ruleId }) => ruleId)));

export const unavailable = (cause?: unknown): ServiceError =>
  new ServiceError('unavailable', 'Nothing can be stored at the moment. Send it again later.', {
    retryAfter: 1,
    cause,
  });
