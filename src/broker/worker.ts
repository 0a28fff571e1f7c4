/** Taking packs: matched, stored, acknowledged, answered, in this order. */
import type { JetStreamClient, JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock } from '../base/clock.ts';
import type { Answer, Pack } from './broker.ts';
import { type Envelope, opened } from './envelope.ts';
import { ACK_WAIT_MS, CONSUMER, MAX_DELIVER, STREAM } from './pack-stream.ts';

/** While one pack waits for the store, others are matched. */
const AT_ONCE = 4;
/** A pull ends after so long, so that a process that is frozen is soon given nothing more; it is known to be alive so often. */
const PULL_MS = 5_000;
const HEARTBEAT_MS = 1_000;
const RETRY_MS = 500;
/** The store may have failed: another matcher, or this one a moment later, may do better. */
const NOT_NOW_MS = 1_000;

const NOT_TAKEN = 'packs of events cannot be taken from the broker';

export type Match = (pack: Pack) => Promise<Answer>;

export interface Serving {
  serve(match: Match, signal: AbortSignal): Promise<void>;
  /** The broker was away: what was asked of it is forgotten, and is asked again. */
  again(): void;
  /** Why no packs are taken, although somebody wants to. */
  readonly trouble: string | undefined;
}

interface Deps {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly clock: Clock;
  ensure(): Promise<void>;
  onTrouble(message: string, error: unknown): void;
}

export function createServing({ connection, jetstream, clock, ensure, onTrouble }: Deps): Serving {
  let reopen = new AbortController();
  let trouble: string | undefined;

  async function serve(match: Match, signal: AbortSignal): Promise<void> {
    const busy = new Set<Promise<void>>();
    while (!signal.aborted) {
      reopen = new AbortController();
      try {
        await ensure();
        await takeUntil(AbortSignal.any([signal, reopen.signal]), match, busy);
      } catch (error) {
        if (!signal.aborted && trouble === undefined) onTrouble(NOT_TAKEN, error);
        trouble = NOT_TAKEN;
        await clock.sleep(RETRY_MS, signal);
      }
    }
    await Promise.all(busy);
    await connection.flush().catch(() => {});
  }

  async function takeUntil(signal: AbortSignal, match: Match, busy: Set<Promise<void>>): Promise<void> {
    const consumer = await jetstream.consumers.get(STREAM, CONSUMER);
    const messages = await consumer.consume({
      max_messages: AT_ONCE,
      expires: PULL_MS,
      idle_heartbeat: HEARTBEAT_MS,
      abort_on_missing_resource: true,
    });
    trouble = undefined;
    const stop = () => void messages.close();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      for await (const message of messages) {
        const taken = take(message, match).finally(() => busy.delete(taken));
        busy.add(taken);
        if (busy.size >= AT_ONCE) await Promise.race(busy);
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async function take(message: JsMsg, match: Match): Promise<void> {
    const envelope = await opened(message.data).catch(() => undefined);
    if (envelope === undefined) {
      onTrouble('something that is not a pack of events was in the stream', undefined);
      return message.term();
    }
    const done = new AbortController();
    void keep(message, done.signal);
    try {
      await answer(message, envelope, match);
    } catch (error) {
      onTrouble('a pack of events could not be stored, and goes back', error);
      // It was tried long enough: whoever still waits for it publishes it again, and the stream must not fill up.
      if (message.info.deliveryCount >= MAX_DELIVER) message.term();
      else message.nak(NOT_NOW_MS);
    } finally {
      done.abort();
    }
  }

  async function answer(message: JsMsg, { pack, answerTo }: Envelope, match: Match): Promise<void> {
    const made = await match(pack);
    // Durable by now. Should either of these be lost, the pack comes again and adds nothing.
    message.ack();
    connection.publish(answerTo, JSON.stringify(made));
  }

  /** A pack that takes long is not another's to take. */
  async function keep(message: JsMsg, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(ACK_WAIT_MS / 3, signal);
      if (!signal.aborted && !connection.isClosed()) message.working();
    }
  }

  return {
    serve,
    again: () => reopen.abort(),
    get trouble() {
      return trouble;
    },
  };
}
