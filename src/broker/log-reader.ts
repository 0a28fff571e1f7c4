/**
 * Reads a shard of the log from its oldest pack on, and drops what is stored. It keeps no place of its own: whoever takes a shard over
 * begins with what is left.
 */
import {
  AckPolicy,
  type Consumer,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { Clock } from '../base/clock.ts';
import type { LoggedPack } from './broker.ts';
import { opened } from './envelope.ts';
import { LOG_STREAM, logSubject } from './log-stream.ts';

/** Packs that are read together, and the bytes that end those which are stored together: an opened pack may be a thousand times its message. */
const READ_TOGETHER = 32;
const STORED_TOGETHER = 4 * 1024 * 1024;
/** So long the broker waits for the first of them, and a reader that stops for the broker. */
const WAIT_MS = 1_000;
/** A reader that died is forgotten by the broker after this. */
const FORGET_MS = 30_000;
/** A pack that could not be stored is tried again after this. */
export const NOT_NOW_MS = 1_000;

export interface LogReaderDeps {
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly clock: Clock;
  onTrouble(message: string, error: unknown): void;
}

type StorePacks = (packs: readonly LoggedPack[]) => Promise<void>;

/** Reads on until the signal aborts. Throws when the broker does not say what comes next: then the caller begins with what is left. */
export async function readShard(
  deps: LogReaderDeps,
  shard: number,
  store: StorePacks,
  signal: AbortSignal,
): Promise<void> {
  const { jetstream, manager, clock } = deps;
  const filter = logSubject(shard);
  const { name } = await manager.consumers.add(LOG_STREAM, {
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.All,
    filter_subject: filter,
    inactive_threshold: nanos(FORGET_MS),
    mem_storage: true,
    num_replicas: 1,
  });
  const made = await madeAt(manager);
  const next = inOrder(await jetstream.consumers.get(LOG_STREAM, name));
  let waiting: JsMsg[] = [];
  while (!signal.aborted) {
    if (waiting.length === 0) waiting = await next();
    if (waiting.length === 0) continue;
    const { packs, last } = await openedPacks(deps, waiting);
    while (!(await isStored(deps, store, packs))) {
      await clock.sleep(NOT_NOW_MS, signal);
      if (signal.aborted) return;
    }
    // A stream that was made anew meanwhile counts from 1: what it has under our numbers was never read.
    if ((await madeAt(manager)) !== made) throw new Error('the log was made anew');
    // A pack that is not dropped now comes again after a crash, and adds nothing; or it is dropped with the next packs.
    await manager.streams.purge(LOG_STREAM, { filter, seq: last.seq + 1 }).catch(() => {});
    waiting = waiting.slice(waiting.indexOf(last) + 1);
  }
}

const madeAt = async (manager: JetStreamManager) => (await manager.streams.info(LOG_STREAM)).created;

/** Some messages, as soon as there are some. Throws when one was lost on the way to us: dropping up to a later one would lose it. */
function inOrder(consumer: Consumer): () => Promise<JsMsg[]> {
  let delivered = 0;
  return async () => {
    const first = await consumer.next({ expires: WAIT_MS });
    if (first === null) {
      // A server that was started again has forgotten us, and says nothing: this throws then.
      await consumer.info();
      return [];
    }
    const messages = [first];
    const more = Math.min(first.info.pending, READ_TOGETHER - 1);
    if (more > 0)
      for await (const message of await consumer.fetch({ max_messages: more, expires: WAIT_MS }))
        messages.push(message);
    for (const { info } of messages)
      if (info.deliverySequence !== ++delivered) throw new Error('a message of the log was lost on its way');
    return messages;
  };
}

/** The first of them, and the message that the last is from. */
async function openedPacks({ onTrouble }: LogReaderDeps, messages: readonly JsMsg[]) {
  const packs: LoggedPack[] = [];
  let bytes = 0;
  for (const message of messages) {
    const envelope = await opened(message.data).catch(() => undefined);
    if (envelope === undefined) onTrouble('A message in the log is not a pack of events. It was removed.', undefined);
    else packs.push({ ...envelope.pack, at: message.time });
    bytes += envelope?.pack.lines.length ?? 0;
    if (bytes >= STORED_TOGETHER) return { packs, last: message };
  }
  return { packs, last: messages.at(-1)! };
}

async function isStored({ onTrouble }: LogReaderDeps, store: StorePacks, packs: LoggedPack[]): Promise<boolean> {
  try {
    await store(packs);
    return true;
  } catch (error) {
    onTrouble('Logged events cannot be stored. They wait in the log.', error);
    return false;
  }
}
