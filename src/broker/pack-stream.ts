/**
 * The stream that packs wait in, and the one consumer that all matchers share. Both are made when they are missing, as
 * after the broker has lost its data, and set right and read back at each start: a stream that keeps less than we count
 * on must not go unnoticed.
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
import { BrokerError } from './broker.ts';

export const STREAM = 'SLUICE_EVENTS';
export const SUBJECT = 'sluice.events';
export const CONSUMER = 'matchers';

/** A matcher that says nothing for so long is taken to be dead: what it held goes to another. */
export const ACK_WAIT_MS = 5_000;

/** A pack that ends every process that opens it must not end them for ever. */
export const MAX_DELIVER = 20;

/** How many copies a cluster of brokers keeps is the operator's choice, and not among these. */
const STREAM_SETTINGS = {
  subjects: [SUBJECT],
  // What is acknowledged is in the store, and leaves.
  retention: RetentionPolicy.Workqueue,
  storage: StorageType.File,
  // A full stream refuses: whoever pushes hears of it, and nothing is dropped that somebody waits for.
  discard: DiscardPolicy.New,
  max_bytes: 256 * 1024 * 1024,
  // Nobody waits for an answer as long as this.
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

/** Answers which settings are not as they must be, when all was done that can be done. */
async function made<Config extends object>(
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
  // What cannot be changed is refused as a whole; the settings then say themselves what is wrong.
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
    `The ${kind} ${name} of the broker has other settings than ours: ${problems.join('; ')}. Remove the stream: it is made again.`,
  );

const isMissing = (error: unknown): boolean =>
  error instanceof JetStreamApiError &&
  (error.code === JetStreamApiCodes.StreamNotFound || error.code === JetStreamApiCodes.ConsumerNotFound);
