/**
 * The updates of one connection, as items: what arrived, what cannot be read, and what they say about whether anything is
 * missing. Here is when a replay is over, and whether it reached back as far as it had to.
 */
import type { StreamItem } from '../platform.ts';
import type { UpstreamOptions } from '../upstream.ts';
import type { Connection } from './connection.ts';
import type { Received } from './frame-queue.ts';
import type { Probe } from './probe.ts';
import type { Session } from './session.ts';
import { advance, isUsableId, type Resume, readId, type Seen, type Step } from './stream-position.ts';
import { idOfContent, readUpdate, type Update } from './wire.ts';

const KEPT_CHARACTERS = 4_096;
const QUIET_MS = 1_000;
/** Where something must come, an upstream may take its time to find it. */
const SLOW_MS = 10_000;
/** Nobody keeps less than this for a replay by time. */
const SURE_MINUTES = 60;
const MINUTE_MS = 60_000;
/** How well two clocks are compared: an upstream's header has whole seconds. */
const CLOCKS_MS = 2_000;
/** An event is logged a little later than it is matched. */
const LOGGED_MS = 10_000;
/** However many partitions an upstream invents. */
const MOST_FIRSTS = 64;

export interface Reading {
  readonly options: UpstreamOptions;
  readonly session: Session;
  readonly probe: Probe;
  /** How far back the connection was asked to begin. */
  readonly resume: Resume;
  readonly signal: AbortSignal;
}

export interface Arrivals {
  /** `aged` when the buffer turns out not to reach back to what we knew: the event is not taken. */
  read(received: Received): AsyncGenerator<StreamItem, 'aged' | undefined>;
  /** The replay is over: the stream is whole up to here. */
  becomeLive(at: Date): Iterable<StreamItem>;
  /** What comes now, comes as it happens. */
  readonly isLive: boolean;
  /** How long nothing comes where the replay is over. */
  readonly quietMs: number;
}

export function createArrivals(
  { options: { log, count }, session, probe, resume, signal }: Reading,
  connection: Connection,
): Arrivals {
  let isLive = false;
  let isFirst = true;
  /** The first offset of each partition since the log began, on this connection. */
  const firsts = new Map<string, number>();

  function* becomeLive(at: Date): Generator<StreamItem> {
    if (!isLive && isFirst && isOverlapping()) yield* session.openGap('aged out', false);
    isLive = true;
    session.isAged = false;
    session.reach(at.getTime());
    yield* session.closeGap();
    yield session.mark();
  }

  function* broken(frame: Received['frame'], reason: string): Generator<StreamItem> {
    count('broken');
    if (isUsableId(frame.id)) {
      session.place = advance(session.place, { id: frame.id, tap: undefined, matchedAt: undefined }).place;
    }
    yield { kind: 'broken', cursor: session.cursor(), reason, sample: frame.data.slice(0, KEPT_CHARACTERS) };
  }

  function* arrive({ frame, at }: Received, update: Update, step: Step | undefined): Generator<StreamItem> {
    if (!isLive && isFirst) yield* checkReach(update, step);
    isFirst = false;
    if (step !== undefined) session.place = step.place;
    if (step?.isNewEpoch) log.warn({ platform: 'firehose', id: frame.id }, 'the ids of the stream began again');
    session.reach(isLive ? at.getTime() : replayedThrough(update, at));
    if (session.isAged) yield* leaveAge();
    else if (isLive) yield* session.closeGap();
    const postId = step?.postId ?? idOfContent(frame.data);
    const { payload, verdicts } = update;
    yield { kind: 'arrival', postId, payload, cursor: session.cursor(), verdicts, at };
    if (!isLive && isNew(update)) yield* becomeLive(at);
  }

  /** Matched after we connected. The header that tells when that was leaves out the fraction of the second. */
  const isNew = ({ matchedAt }: Update): boolean =>
    matchedAt !== undefined && connection.date !== undefined && matchedAt >= connection.date + 1_000;

  /** A replay by time that goes back behind the last event that we know has to begin with what we know. */
  const isOverlapping = (): boolean => {
    const { latest } = session.place;
    if (resume.kind !== 'since' || connection.date === undefined || latest === undefined) return false;
    return latest > connection.date - resume.minutes * MINUTE_MS + LOGGED_MS;
  };

  /** A replay that begins later than it has to was cut short upstream; a long one that begins later than what we know may have been. */
  function* checkReach(update: Update, step: Step | undefined): Generator<StreamItem> {
    if (resume.kind !== 'since' || step?.isKnown === true || step?.isNewEpoch === true) return;
    const isMissed = isOverlapping();
    const isLong = resume.minutes > SURE_MINUTES && session.gap !== undefined && !isNew(update);
    const isLater =
      update.matchedAt !== undefined && update.matchedAt + connection.skew > session.place.through + CLOCKS_MS;
    if (!isMissed && !(isLong && isLater)) return;
    session.isAged = true;
    yield* session.openGap('aged out', false);
  }

  function seenOf(id: string, { tap, matchedAt }: Update): Seen {
    const { partition, offset } = readId(id);
    const first = firsts.get(partition);
    if (offset !== undefined && firsts.size < MOST_FIRSTS && (first ?? offset) >= offset) firsts.set(partition, offset);
    return { id, tap, matchedAt, first };
  }

  /** Where the buffer begins: what was before is lost, what comes after is being replayed. */
  function* leaveAge(): Generator<StreamItem> {
    const cause = session.gap?.cause ?? 'aged out';
    session.isAged = false;
    yield* session.closeGap();
    yield* session.openGap(cause, true);
  }

  /** While older events come, as far as this one. */
  function replayedThrough({ matchedAt }: Update, at: Date): number {
    const matched = matchedAt === undefined ? 0 : matchedAt + connection.skew;
    return Math.min(Math.max(matched, session.place.through), at.getTime());
  }

  async function* readOne(received: Received, isProbed: boolean): AsyncGenerator<StreamItem, 'aged' | undefined> {
    const { frame, at } = received;
    const update = frame.tooLong ? { broken: 'It is longer than 4 MiB.' } : readUpdate(frame.data, at);
    if ('broken' in update) {
      yield* broken(frame, update.broken);
      return undefined;
    }
    if (!isUsableId(frame.id)) {
      yield* arrive(received, update, undefined);
      return undefined;
    }
    const seen = seenOf(frame.id, update);
    const { missing } = advance(session.place, seen);
    if (missing !== undefined && !isProbed && !session.isAged && (yield* lookInto(missing)) === 'aged') return 'aged';
    yield* arrive(received, update, advance(session.place, seen));
    session.clearSuspect();
    return undefined;
  }

  /** Ids were left out. After an outage that may mean that the buffer has lost them. */
  async function* lookInto(missing: NonNullable<Step['missing']>): AsyncGenerator<StreamItem, 'aged' | undefined> {
    const isAfterOutage = session.suspect !== undefined;
    const read = (one: Received) => readOne(one, true);
    const { isComplete, reachesBack } = yield* probe(missing, { isAfterOutage, read, signal });
    if (!isAfterOutage || reachesBack) return undefined;
    if (session.gap === undefined) yield* session.reopenGap();
    if (isComplete) return 'aged';
    yield* session.openGap('aged out', false);
    return undefined;
  }

  return {
    read: (received) => readOne(received, false),
    becomeLive,
    get isLive() {
      return isLive;
    },
    get quietMs() {
      return isFirst && isOverlapping() ? SLOW_MS : QUIET_MS;
    },
  };
}
