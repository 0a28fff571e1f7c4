/** The broker on NATS JetStream: one connection, which reconnects by itself, and the work that follows a reconnect. */
import { jetstream as createJetstream, JetStreamApiError, jetstreamManager } from '@nats-io/jetstream';
import {
  type ConnectionOptions,
  connect,
  errors,
  type Msg,
  type MsgCallback,
  type NatsConnection,
} from '@nats-io/transport-node';
import { type Clock, systemClock } from '../base/clock.ts';
import { type Broker, BrokerError } from './broker.ts';
import { type LogOptions, openEventLog } from './event-log.ts';
import { ensureStream, packBacklog } from './pack-stream.ts';
import { createRequester } from './requester.ts';
import { createPackWorker } from './worker.ts';

const PATIENCE_MS = 20_000;
const START_RETRY_MS = 500;
const RECONNECT_MS = 250;
/** A connection that died without notice is found when two pings have no answer: within five seconds. */
const PING_MS = 1_500;
const OLDEST = [2, 9] as const;

/** The subject of notices. */
const NOTICES = 'sluice.notices';

const NOT_CONNECTED = 'the broker is not connected';

export interface NatsOptions {
  /** One address, or several with commas between them. */
  readonly url: string;
  /** Shown in the broker's own lists of connections. */
  readonly name: string;
  readonly clock?: Clock;
  /** How long a start waits for a broker that does not answer: both may be starting together. */
  readonly patience?: number;
  /** For which share of the last second this process was at work; measured, unless it is given. */
  readonly workShare?: () => number;
  /** Without it no log is kept. */
  readonly log?: LogOptions | undefined;
  readonly onTrouble?: (message: string, error: unknown) => void;
}

export async function openNats(options: NatsOptions): Promise<Broker> {
  const { clock = systemClock, patience = PATIENCE_MS } = options;
  const begun = clock.elapsed();
  for (;;) {
    try {
      return await openOnce(options, clock);
    } catch (error) {
      const isAway = error instanceof BrokerError && error.reason === 'away';
      if (!isAway || clock.elapsed() - begun >= patience) throw error;
    }
    await clock.sleep(START_RETRY_MS);
  }
}

async function openOnce(options: NatsOptions, clock: Clock): Promise<Broker> {
  const { onTrouble = () => {} } = options;
  const connection = await connected(options);
  try {
    checkServer(connection);
    return await brokerOn(connection, clock, onTrouble, options);
  } catch (error) {
    await connection.close();
    throw isGathering(error) ? unreachable('is not ready', error) : error;
  }
}

const unreachable = (what: string, cause: unknown): BrokerError =>
  new BrokerError('away', `The broker ${what}: ${(cause as Error).message}.`, { cause });

/** The servers of a cluster do not see enough of each other yet to place a stream. */
const NO_PEERS = 10_005;

/** A server that has JetStream cannot answer for it yet: its cluster has no leader, or the leader does not see all others. */
function isGathering(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return error.status === 503 || error.code === NO_PEERS;
  if (error instanceof errors.TimeoutError) return true;
  // Nobody answers for JetStream. That an account may not use it is said by an answer.
  return error instanceof Error && error.name === 'JetStreamNotEnabled' && !(error.cause instanceof JetStreamApiError);
}

async function brokerOn(
  connection: NatsConnection,
  clock: Clock,
  onTrouble: NonNullable<NatsOptions['onTrouble']>,
  { log: kept, workShare }: Pick<NatsOptions, 'log' | 'workShare'>,
): Promise<Broker> {
  const jetstream = createJetstream(connection);
  const manager = await jetstreamManager(connection);
  const ensure = oneAtATime(() => ensureStream(manager));
  await ensure();
  let awaySince: number | undefined;
  const isAway = () => awaySince !== undefined || connection.isClosed();
  const awayFor = () => (awaySince === undefined ? 0 : clock.elapsed() - awaySince);
  const parts = { connection, jetstream, clock, ensure, onTrouble, awayFor };
  const requester = createRequester(parts);
  const worker = createPackWorker({ ...parts, workShare });
  const log = kept && openEventLog({ ...parts, manager }, kept);
  void watchConnection(connection, (away) => {
    awaySince = away ? (awaySince ?? clock.elapsed()) : undefined;
    if (away) onTrouble(NOT_CONNECTED, undefined);
    requester.publishAgain();
    if (away) return;
    worker.pullAgain();
    log?.lookAgain();
  });
  return {
    get packBytes() {
      return requester.packBytes;
    },
    ask: requester.ask,
    serve: worker.serve,
    ...noticesOn(connection, isAway),
    backlog: () => packBacklog(manager),
    log,
    get trouble() {
      return isAway() ? NOT_CONNECTED : worker.trouble;
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

/** Several callers may find the stream missing at once; it is created once. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let working: Promise<void> | undefined;
  return () =>
    (working ??= work().finally(() => {
      working = undefined;
    }));
}

const noticesOn = (connection: NatsConnection, isAway: () => boolean): Pick<Broker, 'tell' | 'hear'> => ({
  tell(notice) {
    if (!isAway()) connection.publish(NOTICES, notice);
  },
  hear(onNotice) {
    const callback: MsgCallback<Msg> = (error, message) => {
      if (error === null) onNotice(message.string());
    };
    const hearing = connection.subscribe(NOTICES, { callback });
    return () => hearing.unsubscribe();
  },
});

async function connected({ url, name }: NatsOptions): Promise<NatsConnection> {
  try {
    return await connect({
      ...addressOf(url),
      name,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_MS,
      pingInterval: PING_MS,
      // A broker that is being set up may refuse us for a while.
      ignoreAuthErrorAbort: true,
      // An error with a stack for each request, should it fail, takes a twelfth of the CPU of a push.
      noAsyncTraces: true,
    });
  } catch (error) {
    throw unreachable('cannot be reached', error);
  }
}

/** The name and password, or the token, of the first address hold for all addresses. */
export function addressOf(
  url: string,
): Pick<ConnectionOptions, 'servers' | 'user' | 'pass' | 'token' | 'tls'> & { readonly servers: string[] } {
  const addresses = url.split(',').map((part) => new URL(part.trim()));
  const { username, password, protocol } = addresses[0]!;
  const user = decodeURIComponent(username);
  return {
    servers: addresses.map(({ host }) => host),
    ...(password !== '' ? { user, pass: decodeURIComponent(password) } : user !== '' && { token: user }),
    ...(protocol === 'tls:' && { tls: {} }),
  };
}

function checkServer({ info }: NatsConnection): void {
  const [major = 0, minor = 0] = (info?.version ?? '').split('.').map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
    throw new BrokerError(
      'unavailable',
      `The broker is NATS ${info?.version}. Sluice needs ${OLDEST.join('.')} or newer.`,
    );
  if (info?.jetstream !== true)
    throw new BrokerError('unavailable', 'The broker runs without JetStream. Start nats-server with -js.');
}

async function watchConnection(connection: NatsConnection, onChange: (isAway: boolean) => void): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === 'disconnect') onChange(true);
    if (type === 'reconnect') onChange(false);
  }
}
