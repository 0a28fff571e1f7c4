/**
 * Notices: what an owner should know of the service itself goes to those of the account's webhooks that want operational
 * events, as deliveries like any other: signed, tried again, listed. A webhook never hears of its own failures.
 */
import { idOf, tailOfParts } from '../../base/ids.ts';
import type { CertificateHead } from '../../domain/certificate.ts';
import type { Alert } from '../../domain/rule.ts';
import type { Notice, NoticeKind, PreparedNotice, Webhook, WebhookHealth } from '../../domain/webhook.ts';
import { afterQuiet } from '../../wakes/local-time.ts';
import { shownAddress } from './addresses.ts';
import { alertBody, headBody, noticeBody, receiverKind } from './formats.ts';
import type { Judgement } from './outcome.ts';

/** Tells other webhooks that the webhook of this attempt fails from now on, or was disabled. */
export function noticeOfAttempt(
  webhook: Pick<Webhook, 'id' | 'url' | 'description'>,
  before: WebhookHealth,
  { health, disable }: Pick<Judgement, 'health' | 'disable'>,
  now: Date,
): Notice | undefined {
  const subject = { webhookId: webhook.id };
  if (disable !== undefined)
    return {
      type: 'webhook_disabled',
      at: now,
      subject,
      message: `The webhook ${named(webhook)} was disabled: ${disable} Enable it with Update Webhook and \`paused: false\`.`,
    };
  if (health.failingSince === undefined || before.failingSince !== undefined) return undefined;
  return {
    type: 'webhook_failing',
    at: health.failingSince,
    subject,
    message: `The webhook ${named(webhook)} is failing. Deliveries are retried; List Deliveries has the errors.`,
  };
}

/** Nobody acknowledged a wake in time: its agent is away, or does not say that it was woken. */
export const noticeOfExpiry = (
  webhook: Pick<Webhook, 'id' | 'url' | 'description'>,
  wakeId: string,
  at: Date,
): Notice => ({
  type: 'wake_expired',
  at,
  subject: { webhookId: webhook.id },
  message: `Nobody acknowledged the wake ${wakeId} of ${named(webhook)} within 24 hours, so it is offered no more. List Wakes has it; see whether the agent runs.`,
});

const named = ({ id, url, description }: Pick<Webhook, 'id' | 'url' | 'description'>): string =>
  `${id} (${description === '' ? '' : `${description}, `}${shownAddress(url)})`;

/**
 * A delivery for each webhook that wants the notice. The id follows from what happened and when, so that several
 * processes that see the same thing make one delivery of it.
 */
export const noticeDeliveries = (
  webhooks: readonly Webhook[],
  notice: Notice,
  now: Date,
  server?: string,
): readonly PreparedNotice[] =>
  webhooks
    .filter((webhook) => webhook.status !== 'disabled' && wantsNotice(webhook, notice) && !isAbout(notice, webhook.id))
    .map((webhook) => ({
      id: idOf('dlv', (notice.began ?? notice.at).getTime(), digestOf(webhook.id, notice)),
      webhookId: webhook.id,
      subject: notice.type,
      body: noticeBody(webhook, notice, server),
      madeFor: receiverKind(webhook),
      ...timesOf(webhook, now),
    }));

/** A delivery for each webhook that wants alerts of this rule and platform: one when it begins, one when it has ended. */
export const alertDeliveries = (
  webhooks: readonly Webhook[],
  alert: Alert,
  now: Date,
  server?: string,
): readonly PreparedNotice[] =>
  webhooks
    .filter((webhook) => webhook.status !== 'disabled' && wantsAlert(webhook, alert))
    .map((webhook) => ({
      id: idOf('dlv', (alert.to ?? alert.from).getTime(), digestOfAlert(webhook.id, alert)),
      webhookId: webhook.id,
      subject: 'alert',
      body: alertBody(webhook, alert, server),
      madeFor: receiverKind(webhook),
      ...timesOf(webhook, now),
    }));

/** A delivery for each of the webhooks, which want heads of the log of certificates. */
export const headDeliveries = (
  webhooks: readonly Webhook[],
  head: CertificateHead,
  now: Date,
  server?: string,
): readonly PreparedNotice[] =>
  webhooks.map((webhook) => ({
    id: idOf('dlv', Date.parse(head.at ?? now.toISOString()), tailOfParts([webhook.id, head.signature])),
    webhookId: webhook.id,
    subject: 'head',
    body: headBody(webhook, head, server),
    madeFor: receiverKind(webhook),
    at: now,
  }));

/** Heads and matches are no notices: they keep no quiet hours of notices. */
const timesOf = ({ notices }: Webhook, now: Date): Pick<PreparedNotice, 'at' | 'dueAt'> => ({
  at: now,
  ...(notices?.quiet && { dueAt: afterQuiet(notices.quiet, now) }),
});

const KINDS: Readonly<Record<Notice['type'], NoticeKind>> = {
  webhook_failing: 'webhook',
  webhook_disabled: 'webhook',
  wake_expired: 'webhook',
  budget_near: 'limit',
  budget_spent: 'limit',
  budget_restored: 'limit',
  limit_near: 'limit',
  limit_reached: 'limit',
  limit_cleared: 'limit',
  rules_gone: 'rules',
  rules_back: 'rules',
  source_failing: 'source',
  source_moved: 'source',
  source_recovered: 'source',
  token_refused: 'upstream',
};

const wantsNotice = ({ events, notices }: Webhook, { type }: Notice): boolean =>
  events.includes('operational') && notices?.kinds?.includes(KINDS[type]) !== false;

const wantsAlert = (webhook: Webhook, { ruleId, platform, kind }: Alert): boolean =>
  (webhook.events.includes('alert') || (kind === 'silence' && wantsSilence(webhook))) &&
  webhook.ruleIds?.includes(ruleId) !== false &&
  webhook.platforms?.includes(platform) !== false;

const wantsSilence = ({ events, notices }: Webhook): boolean =>
  events.includes('operational') && notices?.kinds?.includes('silence') === true;

const digestOfAlert = (webhookId: string, { id, to }: Alert): string => tailOfParts([webhookId, id, to !== undefined]);

const isAbout = ({ subject }: Notice, webhookId: string): boolean =>
  'webhookId' in subject && subject.webhookId === webhookId;

const digestOf = (webhookId: string, { type, subject }: Notice): string => tailOfParts([webhookId, type, subject]);
