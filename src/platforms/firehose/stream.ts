/**
 * Firehose's live stream, until the signal aborts. It connects within Firehose's limits, resumes from the committed
 * cursor, and opens a gap whenever it cannot show that nothing is missing.
 */
import { thereAlready } from '../../base/cooperate.ts';
import { aborted } from '../../base/wake-up.ts';
import type { Pace } from '../pace.ts';
import { PlatformError, type StreamControl, type StreamItem, type UpstreamOptions } from '../platform.ts';
import { openConnection, type StreamConnection } from './connection.ts';
import type { Probe } from './probe.ts';
import { readFirehoseConnection } from './read-connection.ts';
import { type Consequence, consequenceOf, type Disconnect } from './reconnect-policy.ts';
import { StreamSession } from './session.ts';
import { isAgedOut, type Resume, resumeFrom, WHOLE_BUFFER } from './stream-position.ts';

/** Seconds after which Firehose ends a connection. With a short timeout we notice a dead connection sooner. */
const TIMEOUT = 120;
/** A shorter pause between two connections is no gap: resuming covers it. */
const AWAY_MS = 10_000;
/** The back-off starts over after a connection that lasted this long. */
const HEALTHY_MS = 60_000;
/** How often a wait looks whether it can end early. */
const LOOK_MS = 5_000;

export interface FirehoseStreamOptions extends UpstreamOptions {
  readonly connects: Pace;
  readonly probe: Probe;
  /** How many rules were created so far. */
  readonly created: () => number;
}

export async function* firehoseStream(
  options: FirehoseStreamOptions,
  control: StreamControl,
): AsyncGenerator<StreamItem> {
  const { signal } = control;
  const stream = new FirehoseStream(options, control);
  if (!signal.aborted) yield* stream.session.tell('connecting');
  while (!signal.aborted) {
    yield* stream.untilRulesAreHeld();
    yield* stream.beforeConnecting();
    await options.connects.turn(signal);
    if (signal.aborted) return;
    const disconnect = yield* stream.connect();
    if (signal.aborted) return;
    yield* stream.afterDisconnect(disconnect);
  }
}

class FirehoseStream {
  readonly session: StreamSession;
  readonly #options: FirehoseStreamOptions;
  readonly #control: StreamControl;
  #failures = 0;
  /** Firehose refused a resume this many times: 1 asks for the whole buffer, 2 for nothing old. */
  #weaker = 0;
  /** The wait before reconnecting that the last connection asked for. */
  #retry: number | undefined;
  #isFirst = true;

  constructor(options: FirehoseStreamOptions, control: StreamControl) {
    this.#options = options;
    this.#control = control;
    this.session = new StreamSession(options.clock);
  }

  async *untilRulesAreHeld(): AsyncGenerator<StreamItem> {
    const held = this.#control.rulesHeld();
    if (await isReady(held)) return;
    yield* this.session.tell('connecting', 'no rules yet');
    await Promise.race([held, aborted(this.#control.signal)]);
    if (!this.#isFirst) this.session.skipToNow();
  }

  /** Goes back to the committed position, and opens gaps for the time since then. */
  *beforeConnecting(): Generator<StreamItem> {
    const { session } = this;
    const committed = this.#control.committed();
    // Before the position goes back: the consumer may commit late, and what it has taken is not missing.
    if (!this.#isFirst && session.awayMs() > AWAY_MS) yield* session.openGap('away', true);
    session.resume(committed);
    if (this.#isFirst && committed !== undefined) yield* session.openGap('restart', true);
    if (isAgedOut(session.awayMs())) {
      session.isAged = true;
      yield* session.openGap('aged out', false);
    }
    this.#isFirst = false;
  }

  async *connect(): AsyncGenerator<StreamItem, Disconnect> {
    const { clock, count, probe } = this.#options;
    const { session } = this;
    const resume = this.#plan();
    const opened = await this.#open(resume);
    if ('kind' in opened) return opened;
    count('connect');
    if (this.#weaker > 1) yield* session.openGap('resume refused', false);
    this.#weaker = 0;
    const since = clock.elapsed();
    const context = { options: this.#options, session, probe, resume, signal: this.#control.signal };
    try {
      return yield* readFirehoseConnection(context, opened);
    } finally {
      this.#retry = opened.retry;
      if (clock.elapsed() - since >= HEALTHY_MS) this.#failures = 0;
      opened.close();
    }
  }

  #plan(): Resume {
    if (this.#weaker > 1) return { kind: 'live' };
    const { isAged, position } = this.session;
    return isAged || this.#weaker > 0 ? WHOLE_BUFFER : resumeFrom(position, this.session.awayMs());
  }

  async #open(resume: Resume): Promise<StreamConnection | Disconnect> {
    try {
      const request = { resume, timeout: TIMEOUT };
      const connection = await openConnection(this.#options, request, this.#control.signal);
      return 'status' in connection ? { kind: 'refused', ...connection } : connection;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      return { kind: 'unreachable', message: error.message };
    }
  }

  async *afterDisconnect(disconnect: Disconnect): AsyncGenerator<StreamItem> {
    const { random, count, connects } = this.#options;
    if (disconnect.kind === 'ended') this.#failures = 0;
    const next = consequenceOf(disconnect, { failures: this.#failures + 1, random, retry: this.#retry });
    if (next === undefined) return;
    // Without rules there is nothing to lose. If we have rules, Firehose should have them as well.
    if (next.until === 'rule' && !(await isReady(this.#control.rulesHeld()))) return;
    if (next.counter !== undefined) count(next.counter);
    this.#failures++;
    if (next.weaken === true) this.#weaker++;
    if (disconnect.kind === 'aged') this.session.isAged = true;
    // A stream that is started again has to keep this wait as well.
    if (next.cause === 'quota') connects.hold(next.waitMs);
    yield* this.session.openGap(next.cause, next.isFinal !== true);
    yield* this.#tell(next);
    await this.#wait(next);
  }

  #tell({ state, cause, reason }: Consequence): StreamItem[] {
    const { log } = this.#options;
    const told = this.session.tell(state, reason);
    const fields = { platform: 'firehose', cause, reason };
    if (told.length > 0 && state === 'degraded') log.error(fields, 'the stream of Firehose cannot be opened');
    else if (told.length > 0) log.warn(fields, 'the stream of Firehose ended');
    return told;
  }

  async #wait({ waitMs, until }: Consequence): Promise<void> {
    const { clock, token, created } = this.#options;
    const { signal } = this.#control;
    const [oldToken, oldCreated] = [token(), created()];
    const isOver = () => (until === 'token' && token() !== oldToken) || (until === 'rule' && created() > oldCreated);
    const end = clock.elapsed() + waitMs;
    for (let left = waitMs; left > 0 && !signal.aborted && !isOver(); left = end - clock.elapsed()) {
      await clock.sleep(Math.ceil(until === undefined ? left : Math.min(left, LOOK_MS)), signal);
    }
  }
}

/** Whether the promise is resolved, after one turn of the event loop. */
const isReady = async (promise: Promise<void>): Promise<boolean> =>
  (await thereAlready(promise.then(() => true))) === true;
