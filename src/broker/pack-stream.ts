/**
 * The stream that packs wait in, and the one consumer that all matchers share. Both are created when they are missing, as
 * after the broker has lost its data. Their settings are corrected and read back at each start, so that a stream that
 * keeps less than we rely on is noticed.
 */
import {
  AckPolicy,
  type ConsumerConfig,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  ReplayPolicy,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { type BrokerBacklog, BrokerError } from './broker.ts';

export const STREAM = 'SLUICE_EVENTS';
export const SUBJECT = 'sluice.events';
export const CONSUMER = 'matchers';

/** A matcher that is silent for this long counts as dead, and its packs go to another. */
export const ACK_WAIT_MS = 4_000;

/** A pack is given out this often at most, so that a pack that crashes its matcher does not do so for ever. */
export const MAX_DELIVER = 20;

/** The number of replicas is the operator's choice, so it is not among these. */
const STREAM_SETTINGS = {
  subjects: [SUBJECT],
  // An acknowledged pack is in the store, and leaves the stream.
  retention: RetentionPolicy.Workqueue,
  storage: StorageType.File,
  // A full stream refuses new packs, so the push fails and no pack that a sender waits for is dropped.
  discard: DiscardPolicy.New,
  max_bytes: 256 * 1024 * 1024,
  // No sender waits for an answer as long as this.
  max_age: nanos(5 * 60_000),
  duplicate_window: nanos(2 * 60_000),
} satisfies Partial<StreamConfig>;

const CONSUMER_SETTINGS = {
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  replay_policy: ReplayPolicy.Instant,
  ack_wait: nanos(ACK_WAIT_MS),
  max_deliver: MAX_DELIVER,
  max_ack_pending: 20_000,
  max_waiting: 4_096,
} satisfies Partial<ConsumerConfig>;

export async function ensureStream(manager: JetStreamManager): Promise<void> {
  const stream = await made(
    () => manager.streams.info(STREAM),
    () => manager.streams.add({ name: STREAM, ...STREAM_SETTINGS }),
    () => manager.streams.update(STREAM, STREAM_SETTINGS),
    STREAM_SETTINGS,
  );
  if (stream.length > 0) throw wrong('stream', STREAM, stream);
  const consumer = await made(
    () => manager.consumers.info(STREAM, CONSUMER),
    () => manager.consumers.add(STREAM, { durable_name: CONSUMER, ...CONSUMER_SETTINGS }),
    () => manager.consumers.update(STREAM, CONSUMER, CONSUMER_SETTINGS),
    CONSUMER_SETTINGS,
  );
  if (consumer.length > 0) throw wrong('consumer', CONSUMER, consumer);
}

export async function packBacklog(manager: JetStreamManager): Promise<BrokerBacklog> {
  const { num_pending, num_ack_pending, num_redelivered } = await manager.consumers.info(STREAM, CONSUMER);
  return { waiting: num_pending, taken: num_ack_pending, again: num_redelivered };
}

/** Creates or corrects a part of the broker, and answers which of its settings are still wrong. */
export async function made<Config extends object>(
  info: () => Promise<{ config: Config }>,
  add: () => Promise<{ config: Config }>,
  update: () => Promise<{ config: Config }>,
  wanted: Partial<Config>,
): Promise<string[]> {
  const found = await info().catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  const { config } = found ?? (await add());
  if (differences(config, wanted).length === 0) return [];
  // The broker refuses an update that it cannot make in full; the comparison then names the settings that are wrong.
  const updated = await update().catch(() => ({ config }));
  return differences(updated.config, wanted);
}

const differences = <Config extends object>(config: Config, wanted: Partial<Config>): string[] =>
  (Object.keys(wanted) as (keyof Config & string)[])
    .filter((name) => JSON.stringify(config[name]) !== JSON.stringify(wanted[name]))
    .map((name) => `${name} is ${JSON.stringify(config[name])} and must be ${JSON.stringify(wanted[name])}`);

const wrong = (kind: string, name: string, problems: string[]): BrokerError =>
  new BrokerError(
    'unavailable',
    `The ${kind} ${name} of the broker has the wrong settings: ${problems.join('; ')}. Delete the stream; the next start creates it again.`,
  );

export const isMissing = (error: unknown): boolean =>
  error instanceof JetStreamApiError &&
  (error.code === JetStreamApiCodes.StreamNotFound || error.code === JetStreamApiCodes.ConsumerNotFound);
