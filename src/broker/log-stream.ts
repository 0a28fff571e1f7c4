/** The stream of the log, with a subject for each shard. It is made where it is missing, corrected and read back. */
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

export const logSubject = (shard: number): string => `${SUBJECTS}.${shard}`;

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

/** The stream has settings that cannot be corrected. */
export class WrongStreamError extends Error {
  override readonly name = 'WrongStreamError';
}

export async function ensureLog(manager: JetStreamManager, bytes: number): Promise<StreamInfo> {
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

export async function logBacklog(manager: JetStreamManager, room: number): Promise<LogBacklog> {
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
