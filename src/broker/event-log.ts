/** The log on JetStream. A pack goes into it when it is seen to be durable, and is confirmed when the servers have written it. */
import { createHash } from 'node:crypto';
import { JetStreamApiError } from '@nats-io/jetstream';
import { headers, type NatsConnection, nuid } from '@nats-io/transport-node';
import { BrokerError, type EventLog, LOG_SHARDS, type Pack } from './broker.ts';
import { sealed } from './envelope.ts';
import { createLogDurability, type LogDurability } from './log-durability.ts';
import { type LogReaderDeps, NOT_NOW_MS, readShard } from './log-reader.ts';
import { ASIDE_SUBJECT, ensureAside, ensureLog, logBacklog, logSubject } from './log-stream.ts';

/** The longest time that a push waits until the log has it: longer than a new leader takes to be found. */
const PATIENCE_MS = 10_000;
const PUBLISH_TIMEOUT_MS = 3_000;
const RETRY_MS = 250;
/** A broker that is away for longer than a restart takes. */
const AWAY_MS = 3_000;
/** "maximum bytes exceeded", and the same where the account of NATS or a disk has no more room. */
const FULL = new Set([10_077, 10_023, 10_047]);

export interface LogOptions {
  /** The most bytes that wait to be stored. */
  readonly bytes: number;
  /** The monitoring of every NATS server. */
  readonly monitors: readonly string[];
}

interface Deps extends LogReaderDeps {
  readonly connection: NatsConnection;
  awayFor(): number;
}

export function openEventLog(deps: Deps, { bytes, monitors }: LogOptions): EventLog & Pick<LogDurability, 'lookAgain'> {
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
    setAside: (pack, reason) => setAside(deps, pack, reason),
    backlog: () => logBacklog(manager, bytes),
  };
}

/** Packs of one account are in one shard; those for all accounts are in one, too. */
const shardOf = ({ accountId = '' }: Pack): number =>
  createHash('sha256').update(accountId).digest().readUInt32BE(0) % LOG_SHARDS;

/** Room for the id and what the client adds. */
const ROOM_FOR_HEADS = 1_024;
const USUAL_PAYLOAD = 1024 * 1024;

const dataOf = (pack: Pack, { info }: NatsConnection): Promise<Uint8Array> =>
  sealed({ pack, answerTo: '' }, (info?.max_payload ?? USUAL_PAYLOAD) - ROOM_FOR_HEADS);

async function append(deps: Deps, durability: LogDurability, pack: Pack): Promise<void> {
  const { connection, jetstream, clock, awayFor } = deps;
  const data = await dataOf(pack, connection);
  // Every try has the same id: when a confirmation was lost, the pack is not added a second time.
  const options = { msgID: nuid.next(), timeout: PUBLISH_TIMEOUT_MS };
  const begun = clock.elapsed();
  for (;;) {
    try {
      const problem = await durability.problem();
      if (problem !== undefined) throw new BrokerError('not-durable', problem);
      await jetstream.publish(logSubject(shardOf(pack)), data, options);
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

/** The header with the reason, and its most characters. */
const REASON = 'Sluice-Reason';
const MAX_REASON = 300;

async function setAside({ connection, jetstream, manager }: Deps, pack: Pack, reason: string): Promise<void> {
  await ensureAside(manager);
  const data = await dataOf(pack, connection);
  const carried = headers();
  carried.set(REASON, reason.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, MAX_REASON));
  // A reader that died before the log dropped it puts the same aside once more.
  const msgID = createHash('sha256').update(data).digest('hex');
  await jetstream.publish(ASIDE_SUBJECT, data, { msgID, headers: carried, timeout: PUBLISH_TIMEOUT_MS });
}
