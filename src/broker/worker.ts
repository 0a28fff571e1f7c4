/** Takes packs from the broker: each is matched, stored, acknowledged and answered, in this order. */
import { performance } from 'node:perf_hooks';
import type { JetStreamClient, JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock } from '../base/clock.ts';
import { readTraceContext } from '../base/tracing.ts';
import type { MatchPack } from './broker.ts';
import { type Envelope, opened } from './envelope.ts';
import { createGathering, type Gathering } from './gathering.ts';
import { ACK_WAIT_MS, CONSUMER, MAX_DELIVER, STREAM } from './pack-stream.ts';

/**
 * The most packs and bytes under way at once. All of them go into the next commit, so more of them make a push cheaper:
 * a commit of sixty small packs takes hardly longer than one of four. Large packs are few, so that none waits for
 * others until the broker gives it to another matcher.
 */
const MOST_PACKS = 64;
const MOST_BYTES = 4 * 1024 * 1024;
/** More than this is worth the work of another matcher. */
const ENOUGH_BYTES = 256 * 1024;
/** A pack that is under way for longer says that its matcher is too slow to be the only one. */
const LATE_MS = 1_000;
/** So does a thread that is at work for more than this share of a second. */
const BUSY_SHARE = 0.9;
const SECOND = 1_000;
/** Packs of one pull. */
const PULLED = 16;
/** A pull expires after this. It is shorter than the wait for an acknowledgement, so a frozen process gets no pack twice. */
const PULL_MS = 2_000;
/** How often the broker confirms that it is alive. */
const HEARTBEAT_MS = 1_000;
const RETRY_MS = 500;
/** A pack that could not be stored goes to another matcher, or comes back to this one, after this. */
const NOT_NOW_MS = 1_000;

const NOT_TAKEN = 'packs of events cannot be taken from the broker';

export interface PackWorker {
  serve(match: MatchPack, signal: AbortSignal): Promise<void>;
  /** The broker was away and has forgotten our pull: it is made again. */
  pullAgain(): void;
  /** Why no packs are taken while `serve` runs. */
  readonly trouble: string | undefined;
}

interface WorkerDeps {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly clock: Clock;
  /** For which share of the last second this process was at work; measured, unless it is given. */
  readonly workShare?: (() => number) | undefined;
  ensure(): Promise<void>;
  onTrouble(message: string, error: unknown): void;
}

interface Pulling extends WorkerDeps {
  readonly match: MatchPack;
  /** Packs under way, the oldest first. */
  readonly busy: Map<Promise<void>, UnderWay>;
  readonly gathering: Gathering;
  onPulling(): void;
}

interface UnderWay {
  readonly bytes: number;
  readonly since: number;
}

export function createPackWorker(deps: WorkerDeps): PackWorker {
  const { connection, clock, ensure, onTrouble } = deps;
  let reopen = new AbortController();
  let trouble: string | undefined;
  const onPulling = () => {
    trouble = undefined;
  };

  async function serve(match: MatchPack, signal: AbortSignal): Promise<void> {
    const busy: Pulling['busy'] = new Map();
    const { workShare = workShareOf(clock) } = deps;
    const isLate = ({ since }: UnderWay) => clock.elapsed() - since > LATE_MS;
    {
      // It leaves before its last packs are done: nobody waits for a matcher that takes no more.
      using gathering = createGathering(deps, () => workShare() > BUSY_SHARE || [...busy.values()].some(isLate));
      while (!signal.aborted) {
        reopen = new AbortController();
        try {
          await ensure();
          await pull({ ...deps, match, busy, gathering, onPulling }, AbortSignal.any([signal, reopen.signal]));
        } catch (error) {
          if (!signal.aborted && trouble === undefined) onTrouble(NOT_TAKEN, error);
          trouble = NOT_TAKEN;
          gathering.full();
          await clock.sleep(RETRY_MS, signal);
        }
      }
    }
    await Promise.all(busy.keys());
    await connection.flush().catch(() => {});
  }

  return {
    serve,
    pullAgain: () => reopen.abort(),
    get trouble() {
      return trouble;
    },
  };
}

/** Answers for which share of the last whole second this thread was at work. */
function workShareOf(clock: Clock): () => number {
  let [from, before] = [clock.elapsed(), performance.eventLoopUtilization()];
  let share = 0;
  return () => {
    if (clock.elapsed() - from < SECOND) return share;
    const now = performance.eventLoopUtilization();
    share = performance.eventLoopUtilization(now, before).utilization;
    [from, before] = [clock.elapsed(), now];
    return share;
  };
}

/** Works on packs until the signal aborts. Throws when the stream or the consumer is gone. */
async function pull(pulling: Pulling, signal: AbortSignal): Promise<void> {
  const consumer = await pulling.jetstream.consumers.get(STREAM, CONSUMER);
  pulling.onPulling();
  while (!signal.aborted) {
    await pulling.gathering.turn(signal);
    // Each pull ends by itself, so that nothing is on its way to a matcher that takes no more.
    const messages = await consumer.fetch({ max_messages: PULLED, expires: PULL_MS, idle_heartbeat: HEARTBEAT_MS });
    const stop = () => void messages.close();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      for await (const message of messages) await take(pulling, message);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}

/** Begins with a pack, and resolves when there is room for another. */
async function take(pulling: Pulling, message: JsMsg): Promise<void> {
  const { busy, gathering, clock } = pulling;
  // An opened pack may be a thousand times its message.
  const envelope = await opened(message.data).catch(() => undefined);
  const working = work(pulling, message, envelope).finally(() => busy.delete(working));
  busy.set(working, { bytes: envelope?.pack.lines.length ?? 0, since: clock.elapsed() });
  if (bytesOf(busy) >= ENOUGH_BYTES || busy.size >= MOST_PACKS) gathering.full();
  while (busy.size >= MOST_PACKS || bytesOf(busy) >= MOST_BYTES) await Promise.race(busy.keys());
}

const bytesOf = (busy: Pulling['busy']): number => [...busy.values()].reduce((sum, { bytes }) => sum + bytes, 0);

async function work(pulling: Pulling, message: JsMsg, envelope: Envelope | undefined): Promise<void> {
  const { onTrouble, gathering } = pulling;
  if (envelope === undefined) {
    onTrouble('A message in the stream is not a pack of events. It was removed.', undefined);
    return message.term();
  }
  const done = new AbortController();
  void keepClaimed(pulling, message, done.signal);
  try {
    await answer(pulling, message, envelope);
  } catch (error) {
    onTrouble('A pack of events cannot be stored. It goes back to the broker.', error);
    gathering.full();
    // After 20 deliveries the pack leaves, so that the stream does not fill up; a sender that still waits publishes it again.
    if (message.info.deliveryCount >= MAX_DELIVER) message.term();
    else message.nak(NOT_NOW_MS);
  } finally {
    // An explicit reason, because the default one is an error with a stack, which is slow to make.
    done.abort('done');
  }
}

async function answer({ match, connection }: Pulling, message: JsMsg, { pack, answerTo }: Envelope): Promise<void> {
  const { headers } = message;
  const trace = headers && readTraceContext(headers.get('traceparent'), headers.get('tracestate'));
  const result = await match(trace === undefined ? pack : { ...pack, trace });
  // The matches are durable now. If the acknowledgement or the answer is lost, the pack comes again and adds nothing.
  message.ack();
  connection.publish(answerTo, JSON.stringify(result));
}

/** Tells the broker that we still work on the pack, so that no other matcher gets it. */
async function keepClaimed({ clock, connection }: Pulling, message: JsMsg, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(ACK_WAIT_MS / 3, signal);
    if (!signal.aborted && !connection.isClosed()) message.working();
  }
}
