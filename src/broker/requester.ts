/** Publishes packs and waits for their answers. A pack is published again whenever its answer may have been lost. */
import type { JetStreamClient } from '@nats-io/jetstream';
import { createInbox, headers, type MsgHdrs, type NatsConnection, nuid } from '@nats-io/transport-node';
import type { Clock } from '../base/clock.ts';
import type { TraceContext } from '../base/tracing.ts';
import { createWakeUp, type WakeUp } from '../base/wake-up.ts';
import { BrokerError, type Pack, type PackAnswer } from './broker.ts';
import { sealed } from './envelope.ts';
import { SUBJECT } from './pack-stream.ts';

/** A broker that is away for longer than a restart takes: what waits for it is refused, so that it can go elsewhere. */
const AWAY_MS = 3_000;
/** The longest time that a push waits in all. */
const PATIENCE_MS = 45_000;
/** A pack without an answer is published again after this: longer than the pack of a dead matcher takes to move on. */
const AGAIN_AFTER_MS = 15_000;
const RETRY_PUBLISH_MS = 250;
const PUBLISH_TIMEOUT_MS = 1_500;
/** One message costs as much as many events, so events travel together. */
const PACK_BYTES = 512 * 1024;
/** A message carries, beside the events, the account, the subject of the answer and an id. */
const ROOM_FOR_HEADS = 2_048;

export interface Requester {
  readonly packBytes: number;
  ask(pack: Pack): Promise<PackAnswer>;
  /** The broker went away, or was and may have lost packs: those without an answer are published again at once. */
  publishAgain(): void;
}

interface Waiting {
  resolve(answer: PackAnswer): void;
  readonly wakeUp: WakeUp;
}

interface RequesterDeps {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly clock: Clock;
  /** Makes the stream when it is missing. */
  ensure(): Promise<void>;
  /** For how many milliseconds there has been no connection; 0 when there is one. */
  awayFor(): number;
}

export function createRequester(deps: RequesterDeps): Requester {
  const { connection, clock } = deps;
  const waiting = new Map<string, Waiting>();
  const inbox = createInbox();
  connection.subscribe(`${inbox}.*`, {
    callback: (error, message) => {
      const asked = error ? undefined : waiting.get(message.subject.slice(inbox.length + 1));
      asked?.resolve(message.json<PackAnswer>());
    },
  });
  const mostBytes = (): number => (connection.info?.max_payload ?? PACK_BYTES) - ROOM_FOR_HEADS;

  async function ask(pack: Pack): Promise<PackAnswer> {
    const id = nuid.next();
    const bytes = await sealed({ pack, answerTo: `${inbox}.${id}` }, mostBytes() + ROOM_FOR_HEADS / 2);
    const { promise: answered, resolve } = Promise.withResolvers<PackAnswer>();
    const wakeUp = createWakeUp(clock);
    waiting.set(id, { resolve, wakeUp });
    try {
      return await publishUntil(deps, answered, { id, bytes, headers: traceHeaders(pack.trace) }, wakeUp);
    } finally {
      waiting.delete(id);
    }
  }

  return {
    get packBytes() {
      return Math.min(PACK_BYTES, mostBytes());
    },
    ask,
    publishAgain() {
      for (const { wakeUp } of waiting.values()) wakeUp.wake();
    },
  };
}

interface Message {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly headers: MsgHdrs | undefined;
}

function traceHeaders(trace: TraceContext | undefined): MsgHdrs | undefined {
  if (trace === undefined) return undefined;
  const { traceparent, tracestate } = trace;
  const carried = headers();
  carried.set('traceparent', traceparent);
  if (tracestate !== undefined) carried.set('tracestate', tracestate);
  return carried;
}

/** Publishes, and publishes again, until there is an answer or patience runs out. */
async function publishUntil(
  deps: RequesterDeps,
  answered: Promise<PackAnswer>,
  message: Message,
  wakeUp: WakeUp,
): Promise<PackAnswer> {
  const begun = deps.clock.elapsed();
  let failure: unknown;
  for (let round = 1; deps.clock.elapsed() - begun < PATIENCE_MS; round++) {
    const problem = await publish(deps, message, round);
    failure = problem ?? failure;
    const slept = new AbortController();
    const sleep = wakeUp.sleep(problem === undefined ? AGAIN_AFTER_MS : RETRY_PUBLISH_MS, slept.signal);
    const answer = await Promise.race([answered, sleep]);
    // An explicit reason, because the default one is an error with a stack, which is slow to make.
    slept.abort('answered');
    if (answer !== undefined) return answer;
    if (deps.awayFor() >= AWAY_MS)
      throw new BrokerError('unavailable', 'The broker cannot be reached.', { cause: failure });
  }
  throw new BrokerError('unavailable', 'No matcher has answered.', { cause: failure });
}

/** Answers why the message was not published; undefined when it was. */
async function publish({ jetstream, ensure }: RequesterDeps, message: Message, round: number): Promise<unknown> {
  const { id, bytes, headers: carried } = message;
  // The broker drops a message whose id it has seen, so each round has an id of its own.
  const options = { msgID: `${id}.${round}`, timeout: PUBLISH_TIMEOUT_MS, ...(carried && { headers: carried }) };
  try {
    await jetstream.publish(SUBJECT, bytes, options);
    return undefined;
  } catch (error) {
    // Without the stream no server answers for the subject.
    await ensure().catch(() => {});
    return error;
  }
}
