/**
 * A NATS subject as a sink. Where a stream of JetStream takes the subject, each record is acknowledged by it and its id keeps a
 * repeat out; elsewhere the records are published, and the server says that it has them.
 */
import type { MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import type { Clock } from '../../../base/clock.ts';
import { thereAlready } from '../../../base/cooperate.ts';
import { loadClient, MissingClientError } from '../../../base/optional-client.ts';
import { checkedAddress, type Egress, EgressError, hostProblem } from '../egress.ts';
import type { Sent } from '../outcome.ts';
import { failedToSend, refusedForGood, type Send, type WebhookRequest, withinTime } from '../transport.ts';
import { readRecords, type SinkRecord } from './records.ts';
import { type SinkAddress, sinkAddress } from './sink-address.ts';

const CONNECT_MS = 5_000;
const TOTAL_MS = 30_000;

export const createNatsSink =
  ({ clock, egress }: { readonly clock: Clock; readonly egress: Egress }): Send =>
  async (request) => {
    const address = sinkAddress(request.url);
    const problem =
      address === undefined ? 'The URL is not valid.' : hostProblem(address.hosts[0]!.hostname, egress.allowPrivate);
    if (address === undefined || problem !== undefined) return failedToSend(`Nothing was sent. ${problem}`);
    return withinTime(clock, TOTAL_MS, request.signal, (signal) => publishAll(egress, address, request, signal));
  };

async function publishAll(
  egress: Egress,
  address: SinkAddress,
  { body, credential, headers: carried }: WebhookRequest,
  signal: AbortSignal,
): Promise<Sent> {
  let connection: NatsConnection | undefined;
  try {
    connection = await connectTo(egress, address, credential);
    const close = () => void connection?.close().catch(() => {});
    signal.addEventListener('abort', close, { once: true });
    if (signal.aborted) return failedToSend('The attempt was aborted.');
    const records = readRecords(body);
    const most = connection.info?.max_payload ?? Number.POSITIVE_INFINITY;
    if (records.some(({ value }) => Buffer.byteLength(value) + HEADER_ROOM > most))
      return refusedForGood(`The match is larger than the ${most} bytes that the server takes.`);
    const stream = await streamOf(connection, address.name);
    const given = await Promise.all(records.map((record) => headersOf(record, carried['traceparent'])));
    await (stream === undefined ? publish : store)(connection, address.name, records, given);
    const where = stream === undefined ? 'no stream takes the subject' : `stored in the stream ${stream}`;
    return { ...failedToSend(''), error: undefined, response: `${records.length} published; ${where}` };
  } catch (error) {
    return refusalOf(error as Error);
  } finally {
    await connection?.close().catch(() => {});
  }
}

const HEADER_ROOM = 1_024;

/** The connection goes to the address that was looked at, and to no other server that this one names. */
async function connectTo(
  egress: Egress,
  { hosts, hasTls }: SinkAddress,
  credential: string | undefined,
): Promise<NatsConnection> {
  const { hostname, port } = hosts[0]!;
  const checked = await checkedAddress(egress, hostname);
  const { connect, credsAuthenticator } = await loadClient('NATS', () => import('@nats-io/transport-node'));
  const isFile = credential?.includes('-----BEGIN NATS USER JWT-----') === true;
  return connect({
    servers: checked.includes(':') ? `[${checked}]:${port}` : `${checked}:${port}`,
    name: 'sluice',
    resolve: false,
    reconnect: false,
    ignoreClusterUpdates: true,
    timeout: CONNECT_MS,
    ...((hasTls || !egress.allowPrivate) && { tls: { servername: hostname } as object }),
    ...(isFile ? { authenticator: credsAuthenticator(Buffer.from(credential)) } : loginOf(credential)),
  });
}

function loginOf(credential: string | undefined): { user?: string; pass?: string; token?: string } {
  if (credential === undefined) return {};
  const colon = credential.indexOf(':');
  return colon === -1 ? { token: credential } : { user: credential.slice(0, colon), pass: credential.slice(colon + 1) };
}

/** The stream that takes the subject; undefined when none does. */
async function streamOf(connection: NatsConnection, subject: string): Promise<string | undefined> {
  if (connection.info?.jetstream !== true) return undefined;
  const { jetstreamManager, JetStreamApiError } = await loadClient('NATS', () => import('@nats-io/jetstream'));
  try {
    const manager = await jetstreamManager(connection, { checkAPI: false });
    return await manager.streams.find(subject);
  } catch (error) {
    const isNone = (error as Error).message === 'no stream matches subject';
    // JetStream runs on the server, and is off for this user's account.
    const isOff = error instanceof JetStreamApiError && error.code === 503;
    if (isNone || isOff) return undefined;
    throw error;
  }
}

async function store(
  connection: NatsConnection,
  subject: string,
  records: readonly SinkRecord[],
  headers: readonly MsgHdrs[],
): Promise<void> {
  const { jetstream } = await import('@nats-io/jetstream');
  const client = jetstream(connection);
  await Promise.all(
    records.map(({ value }, index) => client.publish(subject, value, { headers: headers[index]!, retries: 0 })),
  );
}

/** The server refuses a forbidden subject beside the connection, before it answers the flush. */
async function publish(
  connection: NatsConnection,
  subject: string,
  records: readonly SinkRecord[],
  headers: readonly MsgHdrs[],
): Promise<void> {
  const { promise: refused, resolve: refuse } = Promise.withResolvers<Error>();
  void (async () => {
    for await (const status of connection.status()) if (status.type === 'error') refuse(status.error);
  })().catch(() => {});
  for (const [index, { value }] of records.entries()) connection.publish(subject, value, { headers: headers[index]! });
  await connection.flush();
  // A refusal came before the answer to the flush; it is told a turn later.
  const refusal = await thereAlready(refused);
  if (refusal !== undefined) throw refusal;
}

async function headersOf(
  { id, type, key, contentType }: SinkRecord,
  traceparent: string | undefined,
): Promise<MsgHdrs> {
  const { headers } = await import('@nats-io/transport-node');
  const given = headers();
  given.set('Nats-Msg-Id', id);
  given.set('Content-Type', contentType);
  given.set('Sluice-Type', type);
  given.set('Sluice-Key', key);
  if (traceparent !== undefined) given.set('traceparent', traceparent);
  return given;
}

const refusalOf = (error: Error): Sent =>
  error instanceof EgressError || error instanceof MissingClientError
    ? failedToSend(error.message)
    : failedToSend(`The NATS server could not take it: ${error.message.slice(0, 300)}.`);
