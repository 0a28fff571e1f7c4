/**
 * The batches that wait to be stored, in order: for each platform one that still grows, and before it the full ones. It
 * decides what goes into which transaction, and knows neither time nor store.
 */
import type { TraceContext } from '../../base/tracing.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Commit, Cursor } from '../../store/store.ts';

/** A batch with this many rows is stored at once. */
export const ENOUGH_ROWS = 200;
/** While an earlier batch is being stored the next one grows, but not beyond this. */
export const MAX_ROWS = 3_000;
/** A batch ends with this many characters of events too: it is handed to the store in one piece. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** Events and bytes that may wait to be stored, of all pushes together; beyond it pushers wait. */
const MAX_QUEUED_EVENTS = 5_000;
const MAX_QUEUED_BYTES = 32 * 1024 * 1024;

export type StoredEvent = Commit['events'][number];

export interface WaitingBatch {
  readonly platform: Platform;
  readonly events: StoredEvent[];
  /** One for each event. */
  readonly receipts: Receipt[];
  rows: number;
  /** With this many rows it is full. */
  readonly mostRows: number;
  bytes: number;
  isDue: boolean;
  /** A transaction moves at most one cursor; these receipts wait for that. */
  cursor: Cursor | undefined;
  readonly cursorReceipts: Receipt[];
  /** The spans of the pushes in it, where traces are on. */
  traces: Set<TraceContext> | undefined;
}

export interface BatchQueue {
  /** Answers the batch that the event went into. */
  add(platform: Platform, event: StoredEvent, bytes: number, receipt: Receipt): WaitingBatch;
  /** Moves a cursor with the batch of what was added last, so that it never leads the events that it covers. */
  moveCursor(platform: Platform, cursor: Cursor, receipt: Receipt): WaitingBatch;
  /** Takes the next batch that is due; it no longer grows. */
  next(): WaitingBatch | undefined;
  /** The batch is stored, or has failed: what it held no longer waits. */
  finished(batch: WaitingBatch): void;
  /** Every batch is due, however small. */
  flush(): void;
  readonly isFull: boolean;
  readonly queued: { readonly events: number; readonly bytes: number };
}

/**
 * `onNew` hears of every batch that begins, so that it can be made due after a while. `mostRows` answers how many rows such a
 * batch may have.
 */
export function createBatchQueue(
  onNew: (batch: WaitingBatch) => void,
  mostRows: () => number = () => MAX_ROWS,
): BatchQueue {
  const growing = new Map<Platform, WaitingBatch>();
  const full: WaitingBatch[] = [];
  const queued = { events: 0, bytes: 0 };

  function begin(platform: Platform): WaitingBatch {
    const batch = emptyBatch(platform, mostRows());
    growing.set(platform, batch);
    onNew(batch);
    return batch;
  }
  function end(batch: WaitingBatch): void {
    growing.delete(batch.platform);
    full.push(batch);
    batch.isDue = true;
  }

  return {
    add(platform, event, bytes, receipt) {
      const batch = growing.get(platform) ?? begin(platform);
      addTo(batch, event, bytes, receipt);
      queued.events++;
      queued.bytes += bytes;
      if (batch.rows >= batch.mostRows || batch.bytes >= MAX_BATCH_BYTES) end(batch);
      else if (batch.rows >= ENOUGH_ROWS) batch.isDue = true;
      return batch;
    },
    moveCursor(platform, cursor, receipt) {
      const last = growing.get(platform);
      const isOther = last?.cursor !== undefined && last.cursor.name !== cursor.name;
      if (isOther) end(last);
      const batch = isOther || last === undefined ? begin(platform) : last;
      receipt.expect(1);
      batch.cursor = after(batch.cursor, cursor);
      batch.cursorReceipts.push(receipt);
      return batch;
    },
    next() {
      const batch = full.shift() ?? [...growing.values()].find(({ isDue }) => isDue);
      if (batch !== undefined && growing.get(batch.platform) === batch) growing.delete(batch.platform);
      return batch;
    },
    finished({ events, bytes }) {
      queued.events -= events.length;
      queued.bytes -= bytes;
    },
    flush() {
      for (const batch of growing.values()) batch.isDue = true;
    },
    get isFull() {
      return queued.events >= MAX_QUEUED_EVENTS || queued.bytes >= MAX_QUEUED_BYTES;
    },
    get queued() {
      return { ...queued };
    },
  };
}

function addTo(batch: WaitingBatch, event: StoredEvent, bytes: number, receipt: Receipt): void {
  receipt.expect(1);
  batch.events.push(event);
  batch.receipts.push(receipt);
  batch.rows += 1 + event.matches.length;
  batch.bytes += bytes;
  if (receipt.trace === undefined) return;
  batch.traces ??= new Set();
  batch.traces.add(receipt.trace);
}

/** The cursor of a source that was moved twice covers what both did. */
function after(before: Cursor | undefined, cursor: Cursor): Cursor {
  if (before?.reading === undefined || cursor.reading === undefined) return cursor;
  return { ...cursor, reading: { ...cursor.reading, events: before.reading.events + cursor.reading.events } };
}

const emptyBatch = (platform: Platform, mostRows: number): WaitingBatch => ({
  platform,
  events: [],
  receipts: [],
  rows: 0,
  mostRows,
  bytes: 0,
  isDue: false,
  cursor: undefined,
  cursorReceipts: [],
  traces: undefined,
});

/** One push waits for its receipt: every event it added is durable, or the store failed. */
export interface Receipt {
  /** Resolves to the number of new matches, or rejects with what the store threw. */
  readonly done: Promise<number>;
  /** That many more events must be confirmed before the receipt is done. */
  expect(events: number): void;
  /** One event is durable, and brought this many new matches. */
  confirm(matches: number): void;
  fail(error: unknown): void;
  readonly hasFailed: boolean;
  /** A cursor may come after its events that covers them. */
  readonly isFollowed: boolean;
  /** The span of the push, where traces are on. */
  readonly trace: TraceContext | undefined;
}

/** The push itself counts as one event: it is confirmed when it has added its last line. */
export function createReceipt(trace?: TraceContext, isFollowed = true): Receipt {
  const { promise: done, resolve, reject } = Promise.withResolvers<number>();
  // The push may still be reading its lines when the store fails: it looks at `done` later.
  done.catch(() => {});
  let waiting = 1;
  let matches = 0;
  let hasFailed = false;
  return {
    done,
    trace,
    isFollowed,
    expect(events) {
      waiting += events;
    },
    confirm(added) {
      matches += added;
      if (--waiting === 0) resolve(matches);
    },
    fail(error) {
      hasFailed = true;
      reject(error);
    },
    get hasFailed() {
      return hasFailed;
    },
  };
}
