/**
 * Turns the updates of one connection into items: arrivals, broken records and gaps. It decides when the replay is over,
 * and whether the replay reached back as far as it had to.
 */
import type { StreamItem, UpstreamOptions } from '../platform.ts';
import type { StreamConnection } from './connection.ts';
import type { Received } from './frame-queue.ts';
import type { Probe } from './probe.ts';
import type { StreamSession } from './session.ts';
import {
  advance,
  FIREHOSE_DELAY_MS,
  isUsableId,
  parseEventId,
  type Resume,
  type SeenEvent,
  type Step,
  type StreamPosition,
} from './stream-position.ts';
import { idOfContent, readUpdate, type Update } from './wire.ts';

/** How much is kept of an update that cannot be read. */
const KEPT_CHARACTERS = 4_096;
/** The replay is over when nothing comes for this long. */
const QUIET_MS = 1_000;
/** The replay is over after this long if it must bring something: Firehose may need time to find it. */
const SLOW_MS = 10_000;
/** The most partitions that are told apart. */
const MOST_FIRSTS = 64;

export interface ArrivalContext {
  readonly options: UpstreamOptions;
  readonly session: StreamSession;
  readonly probe: Probe;
  /** How far back the connection was asked to begin. */
  readonly resume: Resume;
  readonly signal: AbortSignal;
}

/** `aged` if the buffer turns out not to reach back to what we knew; the event is not taken then. */
type UpdateItems = AsyncGenerator<StreamItem, 'aged' | undefined>;

export class Arrivals {
  readonly #context: ArrivalContext;
  readonly #session: StreamSession;
  readonly #replay: Replay;
  /** The first offset of each partition since the log began, on this connection. */
  readonly #firsts = new Map<string, number>();
  #isLive = false;
  #isFirst = true;

  constructor(context: ArrivalContext, { date, skew }: Pick<StreamConnection, 'date' | 'skew'>) {
    this.#context = context;
    this.#session = context.session;
    this.#replay = { resume: context.resume, date, skew };
  }

  /** True if what comes now comes as it happens, not from a replay. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** After this many milliseconds without a frame the replay is over. */
  get quietMs(): number {
    return this.#isFirst && mustOverlap(this.#replay, this.#session.position) ? SLOW_MS : QUIET_MS;
  }

  /** The replay is over: everything that Firehose sent up to `readThrough` has come. */
  *becomeLive(readThrough: Date): Generator<StreamItem> {
    const session = this.#session;
    if (!this.#isLive && this.#isFirst && mustOverlap(this.#replay, session.position)) {
      yield* session.openGap('aged out', false);
    }
    this.#isLive = true;
    session.isAged = false;
    session.reach(readThrough.getTime());
    yield* session.closeGap();
    yield session.mark();
  }

  read(received: Received): UpdateItems {
    return this.#readOne(received, false);
  }

  async *#readOne(received: Received, isProbed: boolean): UpdateItems {
    const { frame, at } = received;
    const update = frame.tooLong ? { broken: 'It is longer than 4 MiB.' } : readUpdate(frame.data, at);
    if ('broken' in update) {
      yield this.#broken(frame, update.broken);
      return undefined;
    }
    if (!isUsableId(frame.id)) {
      yield* this.#arrive(received, update, undefined);
      return undefined;
    }
    const seen = this.#seenEvent(frame.id, update);
    const { missing } = advance(this.#session.position, seen);
    const isInQuestion = missing !== undefined && !isProbed && !this.#session.isAged;
    if (isInQuestion && (yield* this.#lookInto(missing)) === 'aged') return 'aged';
    yield* this.#arrive(received, update, advance(this.#session.position, seen));
    this.#session.clearSuspect();
    return undefined;
  }

  #broken(frame: Received['frame'], reason: string): StreamItem {
    const session = this.#session;
    this.#context.options.count('broken');
    if (isUsableId(frame.id)) {
      session.position = advance(session.position, { id: frame.id, tap: undefined, matchedAt: undefined }).position;
    }
    const sample = frame.data.slice(0, KEPT_CHARACTERS);
    return { kind: 'broken', cursor: session.cursor(), through: session.completeThrough, reason, sample };
  }

  *#arrive({ frame, at, readThrough }: Received, update: Update, step: Step | undefined): Generator<StreamItem> {
    const session = this.#session;
    if (!this.#isLive && this.#isFirst) yield* this.#checkReach(update, step);
    this.#isFirst = false;
    if (step !== undefined) session.position = step.position;
    if (step?.isNewEpoch) {
      this.#context.options.log.warn({ platform: 'firehose', id: frame.id }, 'the ids of the stream began again');
    }
    const { through } = session.position;
    session.reach(this.#isLive ? readThrough.getTime() : replayedThrough(this.#replay, through, update, at));
    if (session.isAged) yield* this.#leaveAge();
    else if (this.#isLive) yield* session.closeGap();
    const postId = step?.postId ?? idOfContent(frame.data);
    const { payload, verdicts } = update;
    const reached = { cursor: session.cursor(), through: session.completeThrough };
    yield { kind: 'arrival', postId, payload, verdicts, at, ...reached };
    if (!this.#isLive && isNew(this.#replay, update)) yield* this.becomeLive(readThrough);
  }

  *#checkReach(update: Update, step: Step | undefined): Generator<StreamItem> {
    const { position, gap } = this.#session;
    if (!isCutShort(this.#replay, { position, isInGap: gap !== undefined }, update, step)) return;
    this.#session.isAged = true;
    yield* this.#session.openGap('aged out', false);
  }

  #seenEvent(id: string, { tap, matchedAt }: Update): SeenEvent {
    const { partition, offset } = parseEventId(id);
    const first = this.#firsts.get(partition);
    const isEarliest = offset !== undefined && (first ?? offset) >= offset;
    if (isEarliest && this.#firsts.size < MOST_FIRSTS) this.#firsts.set(partition, offset);
    return { id, tap, matchedAt, first };
  }

  /** The buffer begins here: what was before is lost, what comes after is being replayed. */
  *#leaveAge(): Generator<StreamItem> {
    const session = this.#session;
    const cause = session.gap?.cause ?? 'aged out';
    session.isAged = false;
    yield* session.closeGap();
    yield* session.openGap(cause, true, new Date(session.position.through));
  }

  /** Ids were left out. After an outage that may mean that the buffer has lost them. */
  async *#lookInto(missing: NonNullable<Step['missing']>): UpdateItems {
    const session = this.#session;
    const isAfterOutage = session.suspect !== undefined;
    const read = (one: Received) => this.#readOne(one, true);
    const how = { isAfterOutage, read, signal: this.#context.signal };
    const { isComplete, reachesBack } = yield* this.#context.probe(missing, how);
    if (!isAfterOutage || reachesBack) return undefined;
    if (session.gap === undefined) yield* session.reopenGap();
    if (isComplete) return 'aged';
    yield* session.openGap('aged out', false);
    return undefined;
  }
}

/**
 * The first events of a connection tell of its replay: whether it is over, and whether it reached back as far as it had
 * to. Everything here is pure.
 */
const MINUTE_MS = 60_000;
/** Every plan keeps at least this much for a replay by time. */
const SURE_MINUTES = 60;
/** How exactly two clocks are compared: the Date header has whole seconds. */
const CLOCKS_MS = 2_000;

export interface Replay {
  /** How far back the connection was asked to begin. */
  readonly resume: Resume;
  /** When the connection was opened, by Firehose's clock, in whole seconds; undefined if Firehose does not say. */
  readonly date: number | undefined;
  /** How many milliseconds our clock is ahead of Firehose's. */
  readonly skew: number;
}

type Matched = Pick<Update, 'matchedAt'>;

/** True if the event was matched after we connected, so that the replay is over. */
export const isNew = ({ date }: Replay, { matchedAt }: Matched): boolean =>
  matchedAt !== undefined && date !== undefined && matchedAt >= date + 1_000;

/** True if a replay by time goes back behind the last event that we know: then it has to begin with what we know. */
export function mustOverlap({ resume, date }: Replay, { latest }: Pick<StreamPosition, 'latest'>): boolean {
  if (resume.kind !== 'since' || date === undefined || latest === undefined) return false;
  return latest > date - resume.minutes * MINUTE_MS + FIREHOSE_DELAY_MS;
}

/**
 * True if the first event shows that Firehose cut the replay short: it is unknown although the replay must overlap, or a
 * long replay after a gap begins later than our position.
 */
export function isCutShort(
  replay: Replay,
  { position, isInGap }: { readonly position: StreamPosition; readonly isInGap: boolean },
  update: Matched,
  step: Pick<Step, 'isKnown' | 'isNewEpoch'> | undefined,
): boolean {
  const { resume, skew } = replay;
  if (resume.kind !== 'since' || step?.isKnown === true || step?.isNewEpoch === true) return false;
  if (mustOverlap(replay, position)) return true;
  const isLong = resume.minutes > SURE_MINUTES && isInGap && !isNew(replay, update);
  return isLong && update.matchedAt !== undefined && update.matchedAt + skew > position.through + CLOCKS_MS;
}

/** Up to when a replay has come, by our clock, with the event that was read at `at`. */
export function replayedThrough({ skew }: Replay, through: number, { matchedAt }: Matched, at: Date): number {
  const matched = matchedAt === undefined ? 0 : matchedAt + skew;
  return Math.min(Math.max(matched, through), at.getTime());
}
