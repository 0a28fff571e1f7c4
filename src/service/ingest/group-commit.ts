/**
 * Group commit: events wait together until there are enough of them, or the first has waited long enough, and become
 * durable in one transaction. Whoever pushed them waits as long. When the store fails nothing more is acknowledged;
 * everybody who waits is told so, and events are taken again once the store works.
 */
import type { Clock } from '../../base/clock.ts';
import type { Platform } from '../../domain/platform.ts';
import { StoreError } from '../../store/error.ts';
import type { Commit, CommitEvent, Committed, Cursor, Position, Store } from '../../store/store.ts';
import { ServiceError } from '../errors.ts';
import type { Log, Metrics } from '../telemetry.ts';

/** A batch is stored when it has so many rows, or its first event has waited so many milliseconds. */
const ENOUGH_ROWS = 200;
const MAX_WAIT = 20;
/** While an earlier batch is being stored the next one grows, but not beyond what a short transaction can hold. */
const MAX_ROWS = 2_000;
/** What may wait to be stored, of all pushes together; beyond it pushers wait. */
const MAX_QUEUED_EVENTS = 5_000;
const MAX_QUEUED_BYTES = 32 * 1024 * 1024;
/** Milliseconds before the store is tried again after a failure; the last one is repeated. */
const RETRY_AFTER: readonly number[] = [100, 250, 500, 1_000];

export interface Commits {
  /** Takes one event; its ticket hears when it is durable. */
  add(platform: Platform, event: CommitEvent, bytes: number, ticket: Ticket): void;
  /** Moves a cursor, in the transaction of what was added last: what it covers is stored with it or before it. */
  mark(platform: Platform, cursor: Cursor, ticket: Ticket): void;
  /** Stores a batch that somebody else has put together, whole and at once. Throws what the store throws. */
  whole(commit: Commit): Promise<Committed>;
  /** Resolves when there is room for more. */
  room(): Promise<void> | undefined;
  readonly queued: { readonly events: number; readonly bytes: number };
  /** Why nothing is stored at the moment; undefined when all is well. */
  readonly trouble: string | undefined;
  /** Stores what waits, and takes nothing more. */
  close(): Promise<void>;
}

/** What one push waits for. */
export interface Ticket {
  readonly done: Promise<number>;
  expect(events: number): void;
  settle(matches: number): void;
  fail(error: unknown): void;
  readonly hasFailed: boolean;
}

interface Batch {
  readonly platform: Platform;
  readonly events: CommitEvent[];
  readonly tickets: Ticket[];
  rows: number;
  bytes: number;
  isDue: boolean;
  /** The one cursor that a transaction may move, and who waits for that. */
  cursor: Cursor | undefined;
  readonly marks: Ticket[];
}

export interface CommitNotice {
  readonly platform: Platform;
  readonly events: number;
  readonly matches: number;
  readonly latest: Position;
  /** Events whose matches were all stored before. */
  readonly repeats: number;
  /** Every rule that may have new matches. */
  readonly ruleIds: ReadonlySet<string>;
  /** Whose matches were added. */
  readonly accountIds: readonly string[];
}

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly onCommit: (commit: CommitNotice) => void;
}

export function createTicket(): Ticket {
  const { promise: done, resolve, reject } = Promise.withResolvers<number>();
  // The push that owns the ticket may still be reading its lines when the store fails: it looks at `done` later.
  done.catch(() => {});
  let waiting = 1;
  let stored = 0;
  const settle = (matches: number) => {
    stored += matches;
    if (--waiting === 0) resolve(stored);
  };
  const expect = (events: number) => {
    waiting += events;
  };
  let hasFailed = false;
  const fail = (error: unknown) => {
    hasFailed = true;
    reject(error);
  };
  return {
    done,
    expect,
    settle,
    fail,
    get hasFailed() {
      return hasFailed;
    },
  };
}

export function createCommits({ store, clock, log, metrics, onCommit }: Deps): Commits {
  /** The batches that still grow, and before them the full ones, in order. */
  const open = new Map<Platform, Batch>();
  const full: Batch[] = [];
  const stopping = new AbortController();
  let isRunning = false;
  let running: Promise<void> = Promise.resolve();
  let queued = { events: 0, bytes: 0 };
  let trouble: string | undefined;
  let waiting: (() => void)[] = [];

  function add(platform: Platform, event: CommitEvent, bytes: number, ticket: Ticket): void {
    if (trouble !== undefined) throw unavailable();
    const batch = open.get(platform) ?? newBatch(platform);
    ticket.expect(1);
    batch.events.push(event);
    batch.tickets.push(ticket);
    batch.rows += 1 + event.matches.length;
    batch.bytes += bytes;
    queued = { events: queued.events + 1, bytes: queued.bytes + bytes };
    if (batch.rows >= MAX_ROWS) {
      open.delete(platform);
      full.push(batch);
    }
    if (batch.rows >= ENOUGH_ROWS) due(batch);
  }

  function mark(platform: Platform, cursor: Cursor, ticket: Ticket): void {
    if (trouble !== undefined) throw unavailable();
    let batch = open.get(platform) ?? newBatch(platform);
    if (batch.cursor !== undefined && batch.cursor.name !== cursor.name) {
      full.push(batch);
      due(batch);
      batch = newBatch(platform);
    }
    ticket.expect(1);
    batch.cursor = cursor;
    batch.marks.push(ticket);
  }

  function newBatch(platform: Platform): Batch {
    const batch: Batch = {
      platform,
      events: [],
      tickets: [],
      rows: 0,
      bytes: 0,
      isDue: false,
      cursor: undefined,
      marks: [],
    };
    open.set(platform, batch);
    void clock.sleep(MAX_WAIT, stopping.signal).then(() => due(batch));
    return batch;
  }

  function due(batch: Batch): void {
    batch.isDue = true;
    if (!isRunning) running = commitAll();
  }

  async function commitAll(): Promise<void> {
    isRunning = true;
    for (let batch = nextBatch(); batch !== undefined; batch = nextBatch()) await commit(batch);
    isRunning = false;
  }

  function nextBatch(): Batch | undefined {
    const batch = full.shift() ?? [...open.values()].find((one) => one.isDue);
    if (batch !== undefined && open.get(batch.platform) === batch) open.delete(batch.platform);
    return batch;
  }

  async function commit(batch: Batch): Promise<void> {
    const { platform, events, tickets, cursor, marks } = batch;
    try {
      if (trouble !== undefined) throw unavailable();
      const committed = await whole({ platform, at: clock.now(), events, ...(cursor && { cursor }) });
      for (const [index, ticket] of tickets.entries()) ticket.settle(committed.addedByEvent[index]!);
      for (const ticket of marks) ticket.settle(0);
    } catch (error) {
      for (const ticket of [...tickets, ...marks]) ticket.fail(unavailable(error));
    } finally {
      queued = { events: queued.events - events.length, bytes: queued.bytes - batch.bytes };
      const wake = waiting;
      waiting = [];
      for (const resume of wake) resume();
    }
  }

  async function whole(given: Commit): Promise<Committed> {
    const { platform, events } = given;
    const ended = metrics.commit(platform, rowsOf(events));
    try {
      const committed = await store.commit(given);
      ended(true);
      const { added, latest, repeats, accountIds } = committed;
      const ruleIds = rulesOf(added > 0 ? events : []);
      onCommit({ platform, events: events.length, matches: added, latest, repeats, ruleIds, accountIds });
      return committed;
    } catch (error) {
      ended(false);
      // Whoever lost its lease is told so; the store itself works.
      const isFenced = error instanceof StoreError && error.reason === 'fenced';
      if (!isFenced && trouble === undefined) void recover(error);
      throw error;
    }
  }

  async function recover(error: unknown): Promise<void> {
    trouble = 'the store cannot be written';
    log.error({ err: error }, 'the store failed; no event is taken until it works again');
    for (let tries = 0; trouble !== undefined && !stopping.signal.aborted; tries++) {
      await clock.sleep(RETRY_AFTER[Math.min(tries, RETRY_AFTER.length - 1)]!, stopping.signal);
      if (await works()) trouble = undefined;
    }
    if (trouble === undefined) log.info({}, 'the store works again');
  }

  const works = (): Promise<boolean> =>
    store.check().then(
      () => true,
      () => false,
    );

  return {
    add,
    mark,
    whole,
    room() {
      if (queued.events < MAX_QUEUED_EVENTS && queued.bytes < MAX_QUEUED_BYTES) return undefined;
      return new Promise((resolve) => waiting.push(resolve));
    },
    get queued() {
      return queued;
    },
    get trouble() {
      return trouble;
    },
    async close() {
      stopping.abort();
      for (const batch of open.values()) due(batch);
      await running;
    },
  };
}

const rowsOf = (events: readonly CommitEvent[]): number =>
  events.reduce((rows, { matches }) => rows + 1 + matches.length, 0);

const rulesOf = (events: readonly CommitEvent[]): Set<string> =>
  new Set(events.flatMap(({ matches }) => matches.map(({ ruleId }) => ruleId)));

export const unavailable = (cause?: unknown): ServiceError =>
  new ServiceError('unavailable', 'Nothing can be stored at the moment. Send it again later.', {
    retryAfter: 1,
    cause,
  });
