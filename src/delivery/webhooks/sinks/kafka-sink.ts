/**
 * A Kafka topic as a sink, by an idempotent producer that waits for all replicas. The client is an optional package, loaded when
 * the first record goes out. Brokers name each other: each address is looked at before it is connected to.
 */
import type { Clock } from '../../../base/clock.ts';
import { loadClient } from '../../../base/optional-client.ts';
import { type Egress, EgressError, guardedLookup, hostProblem } from '../egress.ts';
import type { Sent } from '../outcome.ts';
import { failedToSend, refusedForGood, type Send, type WebhookRequest, withinTime } from '../transport.ts';
import { readRecords, type SinkRecord } from './records.ts';
import { type SinkAddress, sinkAddress } from './sink-address.ts';

type Kafka = typeof import('@platformatic/kafka');

/** How the client comes in; tests take it away. */
export type LoadKafka = () => Promise<Kafka>;

interface KafkaSinkDeps {
  readonly clock: Clock;
  readonly egress: Egress;
  readonly load?: LoadKafka;
}

const CONNECT_MS = 5_000;
const TOTAL_MS = 30_000;
const REQUEST_MS = 15_000;
const RETRY_MS = 200;

export const createKafkaSink = ({ clock, egress, load = () => import('@platformatic/kafka') }: KafkaSinkDeps): Send => {
  return async (request) => {
    const address = sinkAddress(request.url);
    if (address === undefined) return failedToSend('Nothing was sent. The URL is not valid.');
    const problem = address.hosts.map(({ hostname }) => hostProblem(hostname, egress.allowPrivate)).find(Boolean);
    if (problem !== undefined) return failedToSend(`Nothing was sent. ${problem}`);
    const kafka = await loadClient('Kafka', load).catch((error: Error) => error);
    if (kafka instanceof Error) return failedToSend(kafka.message);
    return withinTime(clock, TOTAL_MS, request.signal, (signal) => produce(kafka, egress, address, request, signal));
  };
};

async function produce(
  kafka: Kafka,
  egress: Egress,
  address: SinkAddress,
  { body, credential, headers }: WebhookRequest,
  signal: AbortSignal,
): Promise<Sent> {
  const producer = producerFor(kafka, egress, address, credential);
  const close = () => void Promise.resolve(producer.close()).catch(() => {});
  signal.addEventListener('abort', close, { once: true });
  try {
    const records = readRecords(body);
    await producer.send({ messages: records.map((record) => messageOf(address.name, record, headers['traceparent'])) });
    return { ...failedToSend(''), error: undefined, response: `${records.length} records written` };
  } catch (error) {
    return refusalOf(error as Error);
  } finally {
    close();
  }
}

const messageOf = (
  topic: string,
  { id, key, type, contentType, value }: SinkRecord,
  traceparent: string | undefined,
) => ({
  topic,
  key,
  value,
  headers: {
    'sluice-id': id,
    'sluice-type': type,
    'content-type': contentType,
    ...(traceparent !== undefined && { traceparent }),
  },
});

function producerFor(kafka: Kafka, egress: Egress, { hosts, hasTls }: SinkAddress, credential: string | undefined) {
  const isEncrypted = hasTls || !egress.allowPrivate;
  const producer = new kafka.Producer({
    clientId: 'sluice',
    bootstrapBrokers: hosts.map(({ hostname, port }) => ({ host: hostname, port })),
    idempotent: true,
    acks: kafka.ProduceAcks.ALL,
    autocreateTopics: false,
    serializers: kafka.stringSerializers,
    connectTimeout: CONNECT_MS,
    requestTimeout: REQUEST_MS,
    timeout: REQUEST_MS,
    // The delivery itself is tried again. Below two, an idempotent producer takes it for no limit at all.
    retries: 2,
    retryDelay: RETRY_MS,
    ...(isEncrypted && { tls: { lookup: guardedLookup(egress) }, tlsServerName: true }),
    ...(credential !== undefined && { sasl: loginOf(kafka, credential) }),
  });
  guardBrokers(producer.connections, egress);
  return producer;
}

type PoolGet = (broker: { host: string; port: number }, callback: (error: Error | null) => void) => void;

/** A broker may name others by their addresses, which no lookup would see. */
function guardBrokers(pool: InstanceType<Kafka['ConnectionPool']>, { allowPrivate }: Egress): void {
  const unguarded = pool.get;
  const guarded: PoolGet = (broker, callback) => {
    const problem = hostProblem(broker.host, allowPrivate);
    if (problem === undefined) void Reflect.apply(unguarded, pool, [broker, callback]);
    else callback(new EgressError(`A broker names another one. ${problem}`));
  };
  Object.assign(pool, { get: guarded });
}

function loginOf({ SASLMechanisms }: Kafka, credential: string) {
  const [, mechanism = 'PLAIN', user, password] =
    /^(?:(PLAIN|SCRAM-SHA-256|SCRAM-SHA-512):)?([^:]*):([\s\S]*)$/.exec(credential) ?? [];
  const known = {
    PLAIN: SASLMechanisms.PLAIN,
    'SCRAM-SHA-256': SASLMechanisms.SCRAM_SHA_256,
    'SCRAM-SHA-512': SASLMechanisms.SCRAM_SHA_512,
  };
  return { mechanism: known[mechanism as keyof typeof known], username: user ?? '', password: password ?? '' };
}

/** Errors that Kafka will answer again, whatever is done. */
const FINAL = /MESSAGE_TOO_LARGE|RECORD_LIST_TOO_LARGE|INVALID_RECORD/;

function refusalOf(error: Error): Sent {
  const words = [...new Set(messagesOf(error))].join(' ').slice(0, 500);
  const reason = `The Kafka broker could not take it: ${words}`;
  return FINAL.test(words) ? refusedForGood(reason) : failedToSend(reason);
}

function messagesOf(error: Error, depth = 0): string[] {
  if (depth > 5) return [];
  const { cause, errors = [], apiId } = error as Error & { errors?: Error[]; apiId?: string };
  const inner = [...errors, ...(cause instanceof Error ? [cause] : [])].flatMap((one) => messagesOf(one, depth + 1));
  return inner.length > 0 ? inner : [apiId === undefined ? error.message : `${error.message} (${apiId})`];
}
