/**
 * Tells agents of what is no match: gaps and alerts. What to tell is read from where it is stored, and the id of an event
 * follows from what happened, so that any number of processes and restarts tell it once.
 */
import type { Clock } from '../../base/clock.ts';
import { readId } from '../../base/ids.ts';
import { createWakeUp } from '../../base/wake-up.ts';
import { alertToJson } from '../../delivery/alert-text.ts';
import type { Dispatcher } from '../../delivery/webhooks/dispatcher.ts';
import { agentEventId, eventBody, isSubscribed, type SubscribedWebhook } from '../../delivery/webhooks/events.ts';
import type { Alert } from '../../domain/rule.ts';
import type { EventName } from '../../domain/webhook.ts';
import { timeOf } from '../../store/order.ts';
import type { Store } from '../../store/store.ts';
import type { Log } from '../telemetry.ts';
import type { Cursors } from './cursors.ts';
import { gapEvents, gapMessages, type NoticeReads, type NoticeStore, type ToTell, takesControl } from './gap-events.ts';

export interface NoticeEvents {
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Something was found, or somebody subscribed: those who want to know are told soon. */
  look(): void;
}

interface Deps {
  readonly store: NoticeStore & Pick<Store, 'subscribers' | 'addNotices' | 'watermark' | 'isShared'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly cursors: Cursors;
  readonly dispatcher: Pick<Dispatcher, 'changed'>;
}

const PAUSE_MS = 10_000;
/** A look goes over the subscribers of all accounts, and any agent that subscribes asks for one. */
const LEAST_PAUSE_MS = 1_000;

export function createNoticeEvents(deps: Deps): NoticeEvents {
  const wakeUp = createWakeUp(deps.clock);
  return {
    look: wakeUp.wake,
    async run(signal) {
      let told: Told = new Map();
      while (!signal.aborted) {
        let isWanted = true;
        try {
          told = await notifySubscribers(deps, told);
          isWanted = told.size > 0;
        } catch (error) {
          deps.log.warn({ err: error }, 'Subscribers cannot be told of gaps and alerts. Retrying in ten seconds.');
        }
        await deps.clock.sleep(LEAST_PAUSE_MS, signal);
        // Another process may take subscriptions: nothing says when the first one comes.
        await wakeUp.sleep(
          isWanted || deps.store.isShared ? PAUSE_MS - LEAST_PAUSE_MS : Number.POSITIVE_INFINITY,
          signal,
        );
      }
    },
  };
}

type Find = (
  store: NoticeStore,
  webhook: SubscribedWebhook,
  reads: NoticeReads,
  now: Date,
) => Promise<readonly ToTell[]>;

const FIND: readonly { event: EventName; find: Find; wants: (webhook: SubscribedWebhook) => boolean }[] = [
  { event: 'gap.opened', find: gapEvents, wants: () => true },
  { event: 'alert.raised', find: alertEvents, wants: () => true },
  { event: 'match.created', find: gapMessages, wants: takesControl },
  { event: 'story.created', find: gapMessages, wants: takesControl },
];

/** The ids of the notices that the last look found, by subscriber: the store has them, and a gap is found for a day. */
type Told = ReadonlyMap<string, ReadonlySet<string>>;

/** A subscriber since it subscribed last. Whoever comes back is told anew: the store may have dropped what it did not take. */
const asSubscribed = ({ id, subscription: { start, expiresAt } }: SubscribedWebhook): string =>
  `${id} ${start} ${expiresAt.getTime()}`;

async function notifySubscribers(deps: Deps, before: Told): Promise<Told> {
  const { store, clock } = deps;
  const known = new Map<string, Promise<unknown>>();
  const reads: NoticeReads = <T>(key: string, read: () => Promise<T>) => {
    const reading = known.get(key) ?? read();
    known.set(key, reading);
    return reading as Promise<T>;
  };
  const told = new Map<string, ReadonlySet<string>>();
  for (const { event, find, wants } of FIND) {
    for (const webhook of await store.subscribers(event)) {
      if (!isSubscribed(webhook) || !wants(webhook)) continue;
      const found = await find(store, webhook, reads, clock.now());
      const name = asSubscribed(webhook);
      const there = before.get(name);
      await addNotices(
        deps,
        webhook,
        found.filter(({ id }) => there?.has(id) !== true),
      );
      told.set(name, new Set(found.map(({ id }) => id)));
    }
  }
  return told;
}

async function addNotices(deps: Deps, webhook: SubscribedWebhook, found: readonly ToTell[]): Promise<void> {
  if (found.length === 0) return;
  const { store, clock, cursors, dispatcher } = deps;
  const isMatch = webhook.events.includes('match');
  const reached = isMatch ? await store.watermark(webhook.id) : await store.watermark(webhook.id, clock.now());
  const cursor = cursors.writePlace(webhook.accountId, 'event', Math.max(webhook.subscription.start, reached));
  const at = clock.now();
  await store.addNotices(found.map(({ body, ...notice }) => ({ ...notice, body: body(cursor), at })));
  dispatcher.changed(webhook.id);
}

/** The newest alerts of an account. */
const MOST_ALERTS = 100;
const TOLD_MS = 24 * 60 * 60 * 1_000;

/** Alerts, for agents: one event when an episode was found. */
export async function alertEvents(
  store: NoticeStore,
  webhook: SubscribedWebhook,
  reads: NoticeReads,
  now: Date,
): Promise<ToTell[]> {
  const { accountId, subscription } = webhook;
  const since = Math.max(timeOf(subscription.start), now.getTime() - TOLD_MS);
  const { alerts } = await reads(`alerts ${accountId}`, () => store.alerts({ accountId, limit: MOST_ALERTS }));
  return alerts
    .filter((alert) => foundAt(alert) > since && wants(webhook, alert))
    .map((alert) => eventOf(webhook, alert));
}

/** Its id is of the time when it was found, which is later than its beginning. */
const foundAt = ({ id, from }: Alert): number => readId('alert', id)?.time ?? from.getTime();

const wants = ({ ruleIds, platforms }: SubscribedWebhook, { ruleId, platform }: Alert): boolean =>
  ruleIds?.includes(ruleId) !== false && platforms?.includes(platform) !== false;

function eventOf({ id: webhookId, subscription }: SubscribedWebhook, alert: Alert): ToTell {
  const at = new Date(foundAt(alert));
  const id = agentEventId(subscription.id, at, alert.id);
  const { id: alertId, ...data } = alertToJson(alert);
  const all = { alert_id: alertId, ...data };
  return { id, webhookId, subject: 'alert', body: (cursor) => eventBody(subscription, { id, at, data: all, cursor }) };
}
