/**
 * The log on JetStream: a stream of its own, with a subject for each shard. A reader of a shard goes along it from its oldest pack and
 * drops what is stored. It keeps no place of its own: whoever takes a shard over begins with what is left.
 */
import { createHash } from 'node:crypto';
import {
  AckPolicy,
  type Consumer,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { type NatsConnection, nanos, nuid } from '@nats-io/transport-node';
import type { Clock } from '../base/clock.ts';
import { BrokerError, type EventLog, LOG_SHARDS, type LogBacklog, type LoggedPack, type Pack } from './broker.ts';
import { opened, sealed } from './envelope.ts';
import { createLogDurability, LEAST_REPLICAS, type LogDurability, WrongStreamError } from './log-durability.ts';
import { isMissing, made } from './pack-stream.ts';

export const LOG_STREAM = 'SLUICE_LOG';
const SUBJECTS = 'sluice.log';

/** The longest time that a push waits until the log has it: longer than a new leader takes to be found. */
const PATIENCE_MS = 10_000;
const PUBLISH_TIMEOUT_MS = 3_000;
const RETRY_MS = 250;
/** A broker that is away for longer than a restart takes. */
const AWAY_MS = 3_000;
/** Packs that are stored together. */
const READ_TOGETHER = 32;
/** So long the broker waits for the first of them, and a reader that stops for the broker. */
const WAIT_MS = 1_000;
/** A reader that died is forgotten by the broker after this. */
const FORGET_MS = 30_000;
/** What could not be stored is tried again after this. */
const NOT_NOW_MS = 1_000;
/** "maximum bytes exceeded", and the same where the account of NATS or a disk has no more room. */
const FULL = new Set([10_077, 10_023, 10_047]);

export interface LogOptions {
  /** The most bytes that wait to be stored. */
  readonly bytes: number;
  /** The monitoring of every NATS server. */
  readonly monitors: readonly string[];
}

interface Deps {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly clock: Clock;
  awayFor(): number;
  onTrouble(message: string, error: unknown): void;
}

const settingsOf = (bytes: number) =>
  ({
    subjects: [`${SUBJECTS}.*`],
    // What is stored is dropped by its reader.
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    // A full log refuses packs: none that it took is ever dropped to make room, and none grows too old.
    discard: DiscardPolicy.New,
    max_bytes: bytes,
    max_age: 0,
    max_msgs: -1,
    max_msgs_per_subject: -1,
    duplicate_window: nanos(2 * 60_000),
  }) satisfies Partial<StreamConfig>;

export interface OpenLog extends EventLog {
  /** The broker was away: its settings are looked at again. */
  lookAgain(): void;
}

export function openEventLog(deps: Deps, { bytes, monitors }: LogOptions): OpenLog {
  const { manager, clock } = deps;
  const durability = createLogDurability({ stream: () => ensureLog(manager, bytes), monitors, clock });
  return {
    problem: durability.problem,
    lookAgain: durability.lookAgain,
    append: (pack) => append(deps, durability, pack),
    async read(shard, store, signal) {
      while (!signal.aborted) {
        try {
          await ensureLog(manager, bytes);
          await readShard(deps, shard, store, signal);
        } catch (error) {
          if (!signal.aborted) deps.onTrouble('the log of events cannot be read', error);
          await clock.sleep(NOT_NOW_MS, signal);
        }
      }
    },
    backlog: () => backlogOf(manager, bytes),
  };
}

async function ensureLog(manager: JetStreamManager, bytes: number): Promise<StreamInfo> {
  const wanted = settingsOf(bytes);
  const info = () => manager.streams.info(LOG_STREAM);
  const problems = await made(
    info,
    () => manager.streams.add({ name: LOG_STREAM, ...wanted, num_replicas: LEAST_REPLICAS }),
    () => manager.streams.update(LOG_STREAM, wanted),
    wanted,
  );
  if (problems.length > 0)
    throw new WrongStreamError(`the stream ${LOG_STREAM} has wrong settings: ${problems.join('; ')}`);
  return info();
}

/** Packs of one account are in one shard; those for all accounts are in one, too. */
const shardOf = ({ accountId = '' }: Pack): number =>
  createHash('sha256').update(accountId).digest().readUInt32BE(0) % LOG_SHARDS;

const subjectOf = (shard: number): string => `${SUBJECTS}.${shard}`;

/** Room for the id and what the client adds. */
const ROOM_FOR_HEADS = 1_024;
const USUAL_PAYLOAD = 1024 * 1024;

async function append(deps: Deps, durability: LogDurability, pack: Pack): Promise<void> {
  const { connection, jetstream, clock, awayFor } = deps;
  const data = await sealed({ pack, answerTo: '' }, (connection.info?.max_payload ?? USUAL_PAYLOAD) - ROOM_FOR_HEADS);
  // The same id each time: where the confirmation was lost, the pack is not added a second time.
  const options = { msgID: nuid.next(), timeout: PUBLISH_TIMEOUT_MS };
  const begun = clock.elapsed();
  for (;;) {
    try {
      const problem = await durability.problem();
      if (problem !== undefined) throw new BrokerError('not-durable', problem);
      await jetstream.publish(subjectOf(shardOf(pack)), data, options);
      return;
    } catch (error) {
      if (error instanceof BrokerError) throw error;
      if (error instanceof JetStreamApiError && FULL.has(error.code))
        throw new BrokerError('full', 'The log is full.', { cause: error });
      if (clock.elapsed() - begun >= PATIENCE_MS || awayFor() >= AWAY_MS)
        throw new BrokerError('unavailable', 'The log cannot be reached.', { cause: error });
      durability.lookAgain();
      await clock.sleep(RETRY_MS);
    }
  }
}

type StorePacks = (packs: readonly LoggedPack[]) => Promise<void>;

/** Reads on until the signal aborts. Throws when the broker does not say what comes next: then the caller begins with what is left. */
async function readShard(deps: Deps, shard: number, store: StorePacks, signal: AbortSignal): Promise<void> {
  const { jetstream, manager, clock, onTrouble } = deps;
  const filter = subjectOf(shard);
  const { name } = await manager.consumers.add(LOG_STREAM, {
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.All,
    filter_subject: filter,
    inactive_threshold: nanos(FORGET_MS),
    mem_storage: true,
    num_replicas: 1,
  });
  const consumer = await jetstream.consumers.get(LOG_STREAM, name);
  const next = inOrder(consumer);
  while (!signal.aborted) {
    const messages = await next();
    if (messages.length === 0) continue;
    const packs = await openedPacks(deps, messages);
    while (!(await isStored(store, packs, onTrouble))) {
      await clock.sleep(NOT_NOW_MS, signal);
      if (signal.aborted) return;
    }
    // What is not dropped now comes again after a crash, and adds nothing; or it goes with the next packs.
    await manager.streams.purge(LOG_STREAM, { filter, seq: messages.at(-1)!.seq + 1 }).catch(() => {});
  }
}

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

async function openedPacks({ onTrouble }: Deps, messages: readonly JsMsg[]): Promise<LoggedPack[]> {
  const packs: LoggedPack[] = [];
  for (const { data, time } of messages) {
    const envelope = await opened(data).catch(() => undefined);
    if (envelope === undefined) onTrouble('A message in the log is not a pack of events. It was removed.', undefined);
    else packs.push({ ...envelope.pack, at: time });
  }
  return packs;
}

async function isStored(
  store: StorePacks,
  packs: readonly LoggedPack[],
  onTrouble: Deps['onTrouble'],
): Promise<boolean> {
  try {
    await store(packs);
    return true;
  } catch (error) {
    onTrouble('Logged events cannot be stored. They wait in the log.', error);
    return false;
  }
}

async function backlogOf(manager: JetStreamManager, room: number): Promise<LogBacklog> {
  const info = await manager.streams.info(LOG_STREAM).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  const { messages = 0, bytes = 0, first_ts } = info?.state ?? {};
  return {
    packs: messages,
    bytes,
    room,
    since: messages > 0 && first_ts !== undefined ? new Date(first_ts) : undefined,
  };
}
