/** Sending packs and waiting for what became of them: published again whenever the answer may have been lost. */
import type { JetStreamClient } from '@nats-io/jetstream';
import { createInbox, type NatsConnection, nuid } from '@nats-io/transport-node';
import type { Clock } from '../base/clock.ts';
import { type Answer, BrokerError, type Pack } from './broker.ts';
import { sealed } from './envelope.ts';
import { SUBJECT } from './pack-stream.ts';

/** Whoever pushes is kept waiting no longer than this in all. */
const PATIENCE_MS = 45_000;
/** No answer for so long, and the pack is published again: longer than it takes until a dead matcher's goes to another. */
const AGAIN_AFTER_MS = 15_000;
const RETRY_PUBLISH_MS = 250;
const PUBLISH_TIMEOUT_MS = 2_000;
/** A message costs as much as many events: they travel together. */
const PACK_BYTES = 512 * 1024;
/** Beside the events a message carries whose they are, where the answer goes, and its id. */
const ROOM_FOR_HEADS = 2_048;

export interface Asking {
  readonly packBytes: number;
  ask(pack: Pack): Promise<Answer>;
  /** The broker was away: what was published may be gone, and is published again at once. */
  again(): void;
}

interface Waiting {
  answer(given: Answer): void;
  again: AbortController;
}

interface Deps {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly clock: Clock;
  /** Makes the stream when it is missing. */
  ensure(): Promise<void>;
}

export function createAsking({ connection, jetstream, clock, ensure }: Deps): Asking {
  const waiting = new Map<string, Waiting>();
  const inbox = createInbox();
  connection.subscribe(`${inbox}.*`, {
    callback: (error, message) => {
      const asked = error ? undefined : waiting.get(message.subject.slice(inbox.length + 1));
      asked?.answer(message.json<Answer>());
    },
  });

  const mostBytes = (): number => (connection.info?.max_payload ?? PACK_BYTES) - ROOM_FOR_HEADS;

  async function ask(pack: Pack): Promise<Answer> {
    const id = nuid.next();
    const message = await sealed({ pack, answerTo: `${inbox}.${id}` }, mostBytes() + ROOM_FOR_HEADS / 2);
    const { promise: answered, resolve: answer } = Promise.withResolvers<Answer>();
    const asked: Waiting = { answer, again: new AbortController() };
    waiting.set(id, asked);
    try {
      return await publishUntil(answered, message, id, asked);
    } finally {
      asked.again.abort();
      waiting.delete(id);
    }
  }

  async function publishUntil(
    answered: Promise<Answer>,
    message: Uint8Array,
    id: string,
    asked: Waiting,
  ): Promise<Answer> {
    const begun = clock.elapsed();
    let failure: unknown;
    for (let round = 1; clock.elapsed() - begun < PATIENCE_MS; round++) {
      asked.again = new AbortController();
      // The broker drops a message whose id it has seen: right for one round, and wrong for the next.
      const problem = await publish(message, `${id}.${round}`);
      failure = problem ?? failure;
      const patience = problem === undefined ? AGAIN_AFTER_MS : RETRY_PUBLISH_MS;
      const answer = await Promise.race([answered, clock.sleep(patience, asked.again.signal)]);
      if (answer !== undefined) return answer;
    }
    throw new BrokerError('unavailable', 'No matcher has answered.', { cause: failure });
  }

  /** What kept it from being published. */
  async function publish(message: Uint8Array, msgID: string): Promise<unknown> {
    try {
      await jetstream.publish(SUBJECT, message, { msgID, timeout: PUBLISH_TIMEOUT_MS });
      return undefined;
    } catch (error) {
      // Perhaps the stream is not there: nobody answers for the subject then.
      await ensure().catch(() => {});
      return error;
    }
  }

  return {
    get packBytes() {
      return Math.min(PACK_BYTES, mostBytes());
    },
    ask,
    again() {
      for (const { again } of waiting.values()) again.abort();
    },
  };
}
