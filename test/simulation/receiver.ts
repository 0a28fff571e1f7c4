/** Receives what webhooks send, in memory: it is slow, away, or its answer is lost, as the faults say. */
import { failedToSend, type Send } from '../../src/delivery/webhooks/transport.ts';
import type { Faults } from './faults.ts';
import type { Life, Scheduler } from './scheduler.ts';

export interface ReceivedMatch {
  readonly id: string;
  readonly rule_id: string;
  readonly rule_name: string;
  readonly platform: 'x' | 'firehose';
  readonly platform_post_id: string;
}

export interface Receiver {
  sendFor(life: Life): Send;
  /** The bytes that came, by the path of the webhook and the id of the delivery: they are the same each time. */
  readonly deliveries: ReadonlyMap<string, string>;
  readonly attempts: number;
}

export function createReceiver(
  scheduler: Scheduler,
  faults: () => Faults,
  onDifferent: (id: string) => void,
): Receiver {
  const deliveries = new Map<string, string>();
  let attempts = 0;
  const receive = (id: string, body: string): void => {
    attempts++;
    if ((deliveries.get(id) ?? body) !== body) onDifferent(id);
    deliveries.set(id, body);
  };
  return {
    deliveries,
    get attempts() {
      return attempts;
    },
    sendFor: (life) => async (request) => {
      const fate = faults().fateOf(life) ?? { before: 1, after: 1, failure: undefined };
      await scheduler.pause(fate.before, life);
      if (request.signal.aborted) return failedToSend('The attempt was aborted.');
      if (fate.failure === 'undone') return failedToSend('The connection was refused.');
      receive(`${new URL(request.url).hostname} ${request.headers['webhook-id']}`, request.body);
      await scheduler.pause(fate.after, life);
      if (fate.failure === 'unheard') return failedToSend('The connection broke.');
      return { statusCode: 200, error: undefined, response: 'ok', overloaded: false, retryAfter: undefined };
    },
  };
}
