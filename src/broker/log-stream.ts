/**
 * The stream of the log, with a subject for each shard. It is made where it is missing, corrected and read back. What the store refuses
 * is put into a stream of its own, which is made when it is needed first.
 */
import {
  DiscardPolicy,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { LogBacklog } from './broker.ts';
import { isMissing, made } from './pack-stream.ts';

export const LEAST_REPLICAS = 3;
export const LOG_STREAM = 'SLUICE_LOG';
const SUBJECTS = 'sluice.log';
export const ASIDE_STREAM = 'SLUICE_ASIDE';
export const ASIDE_SUBJECT = 'sluice.aside';
/** When it is full, what is refused waits in the log. */
const ASIDE_BYTES = 64 * 1024 * 1024;

export const logSubject = (shard: number): string => `${SUBJECTS}.${shard}`;

const settingsOf = (subject: string, bytes: number) =>
  ({
    subjects: [subject],
    // The reader drops packs that are stored, and the operator those that were put aside.
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

/** The stream has settings that cannot be corrected. */
export class WrongStreamError extends Error {
  override readonly name = 'WrongStreamError';
}

export const ensureLog = (manager: JetStreamManager, bytes: number): Promise<StreamInfo> =>
  ensure(manager, LOG_STREAM, settingsOf(`${SUBJECTS}.*`, bytes));

export const ensureAside = (manager: JetStreamManager): Promise<StreamInfo> =>
  ensure(manager, ASIDE_STREAM, settingsOf(ASIDE_SUBJECT, ASIDE_BYTES));

async function ensure(
  manager: JetStreamManager,
  name: string,
  wanted: ReturnType<typeof settingsOf>,
): Promise<StreamInfo> {
  const info = () => manager.streams.info(name);
  const problems = await made(
    info,
    () => manager.streams.add({ name, ...wanted, num_replicas: LEAST_REPLICAS }),
    () => manager.streams.update(name, wanted),
    wanted,
  );
  if (problems.length > 0) throw new WrongStreamError(`the stream ${name} has wrong settings: ${problems.join('; ')}`);
  return info();
}

export async function logBacklog(manager: JetStreamManager, room: number): Promise<LogBacklog> {
  const infoOf = (name: string) =>
    manager.streams.info(name).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
  const [info, aside] = [await infoOf(LOG_STREAM), await infoOf(ASIDE_STREAM)];
  const { messages = 0, bytes = 0, first_ts } = info?.state ?? {};
  return {
    packs: messages,
    bytes,
    room,
    since: messages > 0 && first_ts !== undefined ? new Date(first_ts) : undefined,
    aside: aside?.state.messages ?? 0,
  };
}
