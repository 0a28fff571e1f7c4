/**
 * Sends the head of the log of certificates to the webhooks that want heads, so that what the operator said is in the hands of
 * others. Certificates that come together are one head. The id of a delivery follows from the webhook and the head, so that any
 * number of processes and restarts send it once.
 */
import type { Clock } from '../../base/clock.ts';
import { createWakeUp } from '../../base/wake-up.ts';
import type { Dispatcher } from '../../delivery/webhooks/dispatcher.ts';
import { headDeliveries } from '../../delivery/webhooks/notices.ts';
import type { Store } from '../../store/store.ts';
import type { Log } from '../telemetry.ts';
import { headAt, type LogParts } from './certificate-heads.ts';

export interface HeadNotices {
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** A certificate was added. */
  look(): void;
}

interface Deps extends LogParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly dispatcher: Pick<Dispatcher, 'changed'>;
  /** Our public address, where it is known. */
  readonly server: string | undefined;
}

/** How long certificates are waited for that may come together. */
const PAUSE_MS = 5_000;
/** A head that is older was sent before, or nobody waits for it. */
const TOLD_MS = 24 * 60 * 60 * 1_000;

export function createHeadNotices(deps: Deps): HeadNotices {
  const { store, clock, log } = deps;
  const wakeUp = createWakeUp(clock);
  return {
    look: wakeUp.wake,
    async run(signal) {
      let told = 0;
      while (!signal.aborted) {
        const size = await tellHead(deps, told).catch((error: unknown) => {
          log.warn({ err: error }, 'The head of the log of certificates cannot be sent. Retrying in ten seconds.');
          return undefined;
        });
        told = size ?? told;
        // Other processes add certificates, too, and none of them says so.
        await wakeUp.sleep(size === undefined || store.isShared ? PAUSE_MS : Number.POSITIVE_INFINITY, signal);
        if (!signal.aborted) await clock.sleep(PAUSE_MS, signal);
      }
    },
  };
}

/** Answers with the size up to which is told. */
async function tellHead(deps: Deps, told: number): Promise<number> {
  const { store, clock, dispatcher, server } = deps;
  const { size, at } = await store.certificateLogEnd();
  const now = clock.now();
  if (size === told || at === undefined || now.getTime() - at.getTime() > TOLD_MS) return size;
  const webhooks = await store.headWebhooks();
  if (webhooks.length === 0) return size;
  const deliveries = headDeliveries(webhooks, await headAt(deps, size), now, server);
  await store.addNotices(deliveries);
  for (const { webhookId } of deliveries) dispatcher.changed(webhookId);
  return size;
}
