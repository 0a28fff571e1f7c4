/** Alerts, for agents: one event when an episode was found. */
import { readId } from '../../base/ids.ts';
import { alertToJson } from '../../delivery/alert-text.ts';
import { agentEventId, eventBody, type SubscribedWebhook } from '../../delivery/webhooks/events.ts';
import type { Alert } from '../../domain/alert.ts';
import { timeOf } from '../../store/order.ts';
import type { NoticeReads, NoticeStore, ToTell } from './notice-parts.ts';

/** The newest alerts of an account. */
const MOST_ALERTS = 100;
const TOLD_MS = 24 * 60 * 60 * 1_000;

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
    .map((alert) => (cursor) => eventOf(webhook, alert, cursor));
}

/** Its id is of the time when it was found, which is later than its beginning. */
const foundAt = ({ id, from }: Alert): number => readId('alert', id)?.time ?? from.getTime();

const wants = ({ ruleIds, platforms }: SubscribedWebhook, { ruleId, platform }: Alert): boolean =>
  ruleIds?.includes(ruleId) !== false && platforms?.includes(platform) !== false;

function eventOf({ id: webhookId, subscription }: SubscribedWebhook, alert: Alert, cursor: string): ReturnType<ToTell> {
  const at = new Date(foundAt(alert));
  const id = agentEventId(subscription.id, at, alert.id);
  const { id: alertId, ...data } = alertToJson(alert);
  return { id, webhookId, body: eventBody(subscription, { id, at, data: { alert_id: alertId, ...data }, cursor }) };
}
