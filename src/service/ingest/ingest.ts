/**
 * The way of an event: read once, matched, then stored with its matches, and only then acknowledged. Order is kept. When
 * events come faster than the store takes them, pushes and sources wait.
 */
import type { Clock } from '../../base/clock.ts';
import { createTurns } from '../../base/cooperate.ts';
import { createLru } from '../../base/lru.ts';
import { inSpan, type TraceContext, type Tracer } from '../../base/tracing.ts';
import type { LogBacklog } from '../../broker/broker.ts';
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { PUSH_SOURCE } from '../../domain/source.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import type { Cursor, Store } from '../../store/store.ts';
import { ServiceError } from '../errors.ts';
import type { Log, Metrics } from '../telemetry.ts';
import { createReceipt } from './batch-queue.ts';
import { type CommitNotice, createGroupCommit, type GroupCommit } from './group-commit.ts';
import { processSpan, pushedAttributes } from './ingest-spans.ts';
import { takeIn } from './intake.ts';
import type { Matching } from './matching.ts';
import { type Brought, type Pushed, type PushParts, pushLines, SLICE } from './push-lines.ts';

export interface Ingest {
  /**
   * NDJSON, one event a line, as text or in UTF-8. Resolves when everything accepted is durable. With `isWhole` a source of our own
   * made the events, and all of each is kept, as by `add`.
   */
  push(
    platform: Platform,
    lines: string | Buffer,
    accountId: string | undefined,
    source?: string,
    trace?: TraceContext,
    isWhole?: boolean,
  ): Promise<Pushed>;
  /**
   * Like `push`, but resolves when the log has the lines: they are matched and stored later. Throws where no log is
   * kept.
   */
  append(
    platform: Platform,
    lines: string | Buffer,
    accountId: string | undefined,
    trace?: TraceContext,
  ): Promise<Appended>;
  /** Throws what `append` would throw now. */
  confirmLog(): Promise<void>;
  /** Answers how much waits in the log; undefined where none is kept, or the broker does not say. */
  logBacklog(): Promise<LogBacklog | undefined>;
  /**
   * Events of a source with its name, for all accounts or for one, and where it resumes after them. Resolves when all of it is
   * durable, to what was wrong with the events that were refused. A cursor is never stored without what it covers.
   */
  add(
    platform: Platform,
    payloads: readonly Payload[],
    source: string,
    cursor?: Cursor,
    accountId?: string,
  ): Promise<readonly string[]>;
  /** Stores a batch of an upstream's stream at once. Throws what the store throws. */
  readonly commit: GroupCommit['commitNow'];
  readonly queued: GroupCommit['queued'];
  readonly trouble: GroupCommit['trouble'];
  readonly longestWait: GroupCommit['longestWait'];
  /** Calls the listener after every commit, once it is durable. The answer removes the listener. */
  onCommit(listener: (commit: CommitNotice) => void): () => void;
  /** Stores what waits, and takes nothing more. */
  close(): Promise<void>;
}

/** The log's answer. Which lines are no events is found when they are stored. */
export type Appended = Pick<Pushed, 'accepted' | 'rejected' | 'moreRejected'>;

export async function refuseToLog(): Promise<never> {
  throw new ServiceError(
    'failed_precondition',
    'This server keeps no log, so it cannot answer before events are stored. Push without `ack=log`, or have the operator set SLUICE_LOG_MIB.',
  );
}

/** Events of a source are not measured; this many of them are taken between two turns. */
const EVENTS_AT_ONCE = 16;
/** Rules whose failure was logged; beyond them the oldest may be logged once more. */
const MAX_LOGGED = 1_000;

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly matching: Matching;
  /** Resolves when events may be matched by the rules that are loaded. */
  current?(): Promise<void>;
  readonly tracer?: Tracer | undefined;
  /** The kind of the store, by the name that traces have for it. */
  readonly database?: string | undefined;
}

export function createIngest(deps: Deps): Ingest {
  const { log, matching, current = async () => {}, tracer } = deps;
  const listeners = new Set<(commit: CommitNotice) => void>();
  const pauseFor = createTurns(SLICE);
  const pause = () => pauseFor(SLICE);
  const onCommit = (commit: CommitNotice) => notifyAll(listeners, commit, log);
  const commits = createGroupCommit({ ...deps, onCommit, ruleChanges: () => matching.changes, pause });
  const analyzers = { x: newAnalyzer('x'), firehose: newAnalyzer('firehose') };
  const parts: PushParts = { ...deps, commits, pauseFor, analyzers, logged: createLru({ limit: MAX_LOGGED }), pause };
  const ready = () => matching.loaded.then(current);
  return {
    async push(platform, lines, accountId, source = PUSH_SOURCE, trace, isWhole = false) {
      await ready();
      return pushTraced(parts, tracer, lines, { platform, accountId, source, isWhole }, trace);
    },
    append: refuseToLog,
    confirmLog: refuseToLog,
    logBacklog: async () => undefined,
    async add(platform, payloads, source, cursor, accountId) {
      await ready();
      return addTraced(parts, tracer, payloads, { platform, accountId, source }, cursor);
    },
    commit: commits.commitNow,
    get queued() {
      return commits.queued;
    },
    get trouble() {
      return commits.trouble;
    },
    get longestWait() {
      return commits.longestWait;
    },
    onCommit: (listener) => listen(listeners, listener),
    close: commits.close,
  };
}

function listen<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function pushTraced(
  parts: PushParts,
  tracer: Tracer | undefined,
  lines: string | Buffer,
  origin: Brought,
  cause: TraceContext | undefined,
): Promise<Pushed> {
  if (tracer === undefined) return pushLines(parts, lines, origin);
  const span = processSpan(tracer, origin, cause === undefined ? [] : [cause]);
  return inSpan(span, (trace) => pushLines(parts, lines, { ...origin, trace }), pushedAttributes);
}

function addTraced(
  parts: PushParts,
  tracer: Tracer | undefined,
  payloads: readonly Payload[],
  origin: Brought,
  cursor: Cursor | undefined,
): Promise<readonly string[]> {
  if (tracer === undefined || payloads.length === 0) return addPayloads(parts, payloads, origin, cursor);
  return inSpan(
    processSpan(tracer, origin, []),
    (trace) => addPayloads(parts, payloads, { ...origin, trace }, cursor),
    ({ length }) => ({ 'messaging.batch.message_count': payloads.length, 'sluice.rejected': length }),
  );
}

/** The commit is durable even if a listener throws. The error is logged, and the other listeners are still called. */
function notifyAll(listeners: ReadonlySet<(commit: CommitNotice) => void>, commit: CommitNotice, log: Log): void {
  for (const listener of listeners) {
    try {
      listener(commit);
    } catch (error) {
      log.error({ platform: commit.platform, err: error }, 'a listener failed after a commit');
    }
  }
}

async function addPayloads(
  parts: PushParts,
  payloads: readonly Payload[],
  of: Brought,
  cursor: Cursor | undefined,
): Promise<readonly string[]> {
  const { matching, pauseFor, commits, metrics } = parts;
  const { platform } = of;
  const receipt = createReceipt(of.trace);
  const refused: string[] = [];
  for (const payload of payloads) {
    const problem = await takeIn(parts, { ...of, receipt, text: JSON.stringify(payload), payload });
    if (problem !== undefined) {
      refused.push(problem);
      metrics.rejected(platform);
    }
    await (pauseFor(SLICE / EVENTS_AT_ONCE + matching.rules[platform].takeSteps()) ?? commits.spaceFree());
  }
  if (cursor !== undefined && !receipt.hasFailed) commits.moveCursor(platform, cursor, receipt);
  receipt.confirm(0);
  await receipt.done;
  return refused;
}
