/**
 * The live stream, for as long as it is wanted: connects within the upstream's limits, resumes from what is committed,
 * and says so whenever completeness cannot be shown.
 */
import type { Pace } from '../pace.ts';
import { PlatformError, type StreamControl, type StreamItem } from '../platform.ts';
import type { UpstreamOptions } from '../upstream.ts';
import { aborted, type Connection, openConnection } from './connection.ts';
import type { Probe } from './probe.ts';
import { readConnection } from './read-connection.ts';
import { type Consequence, consequenceOf, type Ending } from './reconnect-policy.ts';
import { createSession } from './session.ts';
import { isAgedOut, type Resume, resumeFrom, WHOLE_BUFFER } from './stream-position.ts';

/** Seconds after which a connection ends by itself; a shorter one finds out sooner that nobody is there. */
const TIMEOUT = 120;
/** A pause this short between two connections is no gap: resuming covers it. */
const AWAY_MS = 10_000;
/** A stream that held this long was healthy. */
const HEALTHY_MS = 60_000;
/** How often somebody who waits looks whether he still has to. */
const LOOK_MS = 5_000;

export interface StreamOptions extends UpstreamOptions {
  readonly connects: Pace;
  readonly probe: Probe;
  /** How many rules were created so far. */
  readonly created: () => number;
}

export async function* firehoseStream(options: StreamOptions, control: StreamControl): AsyncGenerator<StreamItem> {
  const { clock, log, count, random, connects, probe } = options;
  const { signal } = control;
  const session = createSession(clock);
  let failures = 0;
  /** How much less is asked for than the place would need, because more was refused. */
  let weaker = 0;
  let retry: number | undefined;
  let isFirst = true;

  function plan(): Resume {
    if (weaker > 1) return { kind: 'live' };
    return session.isAged || weaker > 0 ? WHOLE_BUFFER : resumeFrom(session.place, session.awayMs());
  }

  /** What is on record about the time since the place was reached. */
  function* beforeConnecting(): Generator<StreamItem> {
    const committed = control.committed();
    // Whoever takes items may commit them late: what he has is not missing.
    if (!isFirst && session.awayMs() > AWAY_MS) yield* session.openGap('away', true);
    session.resume(committed);
    if (isFirst && committed !== undefined) yield* session.openGap('restart', true);
    if (isAgedOut(session.awayMs())) {
      session.isAged = true;
      yield* session.openGap('aged out', false);
    }
    isFirst = false;
  }

  async function open(resume: Resume): Promise<Connection | Ending> {
    try {
      const connection = await openConnection(options, { resume, timeout: TIMEOUT }, signal);
      return 'status' in connection ? { kind: 'refused', ...connection } : connection;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      return { kind: 'unreachable', message: error.message };
    }
  }

  async function* connectOnce(): AsyncGenerator<StreamItem, Ending> {
    const resume = plan();
    const opened = await open(resume);
    if ('kind' in opened) return opened;
    count('connect');
    if (weaker > 1) yield* session.openGap('resume refused', false);
    weaker = 0;
    const since = clock.elapsed();
    try {
      return yield* readConnection({ options, session, probe, resume, signal }, opened);
    } finally {
      retry = opened.retry;
      if (clock.elapsed() - since >= HEALTHY_MS) failures = 0;
      opened.close();
    }
  }

  async function* follow(ending: Ending): AsyncGenerator<StreamItem> {
    if (ending.kind === 'ended') failures = 0;
    const next = consequenceOf(ending, { failures: failures + 1, random, retry });
    if (next === undefined) return;
    // Without rules there is nothing to lose; with rules of ours the upstream should have had them.
    if (next.until === 'rule' && !(await isReady(control.rulesHeld()))) return;
    if (next.counter !== undefined) count(next.counter);
    failures++;
    if (next.weaken === true) weaker++;
    if (ending.kind === 'aged') session.isAged = true;
    // Held as well for whoever asks for the stream anew.
    if (next.cause === 'quota') connects.hold(next.waitMs);
    yield* session.openGap(next.cause, next.isFinal !== true);
    const told = session.tell(next.state, next.reason);
    const fields = { platform: 'firehose', cause: next.cause, reason: next.reason };
    if (told.length > 0 && next.state === 'degraded') log.error(fields, 'the stream is refused');
    else if (told.length > 0) log.warn(fields, 'the stream was lost');
    yield* told;
    await wait(next);
  }

  async function wait({ waitMs, until }: Consequence): Promise<void> {
    const token = options.token();
    const created = options.created();
    const isOver = () =>
      (until === 'token' && options.token() !== token) || (until === 'rule' && options.created() > created);
    const end = clock.elapsed() + waitMs;
    for (let left = waitMs; left > 0 && !signal.aborted && !isOver(); left = end - clock.elapsed()) {
      await clock.sleep(Math.ceil(until === undefined ? left : Math.min(left, LOOK_MS)), signal);
    }
  }

  async function* untilRulesAreHeld(): AsyncGenerator<StreamItem> {
    const held = control.rulesHeld();
    if (await isReady(held)) return;
    yield* session.tell('connecting', 'no rules yet');
    await Promise.race([held, aborted(signal)]);
    if (!isFirst) session.skipToNow();
  }

  if (!signal.aborted) yield* session.tell('connecting');
  while (!signal.aborted) {
    yield* untilRulesAreHeld();
    yield* beforeConnecting();
    await connects.turn(signal);
    if (signal.aborted) return;
    const ending = yield* connectOnce();
    if (signal.aborted) return;
    yield* follow(ending);
  }
}

/** Whether it is resolved by now; what others have to do first was done. */
async function isReady(promise: Promise<void>): Promise<boolean> {
  const turn = new Promise<false>((resolve) => setImmediate(() => resolve(false)));
  return Promise.race([promise.then(() => true), turn]);
}
