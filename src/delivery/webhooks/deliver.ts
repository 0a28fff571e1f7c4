/** One delivery: sent, judged, and the attempt stored. */
import type {
  DueDelivery,
  Notice,
  PreparedNotice,
  Webhook,
  WebhookFormat,
  WebhookHealth,
} from '../../domain/webhook.ts';
import { WAKE_TTL_MS } from '../../wakes/wake-state.ts';
import { type AttemptDeps, attempt, UNREADABLE_CREDENTIAL, UNREADABLE_SECRET } from './attempts.ts';
import { writeDigest } from './digests.ts';
import { type EventWriter, isControlMessage, judgeEvent } from './events.ts';
import { madeForOther } from './formats.ts';
import { noticeDeliveries, noticeOfAttempt } from './notices.ts';
import type { AttemptEntry, Outbox, OwedMatches } from './outbox.ts';
import { type Judgement, judgeAttempt, type Sent } from './outcome.ts';
import { isWakeFormat } from './wake-body.ts';

export interface DeliverDeps extends AttemptDeps {
  readonly outbox: Pick<
    Outbox,
    'pendingBody' | 'writeAnew' | 'recordAttempt' | 'webhooks' | 'closeDigest' | 'sealDigest' | 'watermark'
  >;
  readonly matches: OwedMatches;
  readonly events: EventWriter;
  /** Our public address, where it is known. */
  readonly server?: string | undefined;
  readonly schedule: readonly number[];
  /** The schedule for subscriptions of agents. */
  readonly eventSchedule: readonly number[];
  /** Whether this process has the key that secrets are sealed with now. */
  keyFits(): Promise<boolean>;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: { warn(fields: object, message: string): void };
  /** Hears of every attempt that is stored, with the notices that were stored with it. */
  onAttempt(judgement: Judgement, notices: readonly PreparedNotice[]): void;
}

export interface DeliveryRun {
  /** No new attempt begins. */
  readonly stopping: AbortSignal;
  /** Attempts under way are aborted. */
  readonly breaking: AbortSignal;
  /** Newer than the rows while attempts are under way: several attempts of one webhook may end at once. */
  readonly healths: Map<string, WebhookHealth>;
}

/** The pause after the store failed. */
export const TROUBLE_MS = 1_000;

export async function deliver(
  deps: DeliverDeps,
  run: DeliveryRun,
  webhook: Webhook,
  { id, made, isUnwritten, madeFor }: DueDelivery,
): Promise<void> {
  const other = madeForOther(webhook, madeFor);
  if (other !== undefined) return deps.outbox.writeAnew(id, other);
  const body = await (isUnwritten ? writeDigest(deps, webhook, id) : deps.outbox.pendingBody(id));
  if (body === undefined || run.stopping.aborted) return;
  const { sent, attempt: tried } = await attempt(deps, webhook, { id, body }, run.breaking);
  // We aborted the attempt ourselves, so it says nothing about the receiver.
  if (run.breaking.aborted) return;
  if (isUnreadable(sent) && !(await deps.keyFits().catch(() => false))) return waitForKey(deps, run, webhook);
  const before = run.healths.get(webhook.id) ?? webhook.health;
  const judgement = judgementOf(deps, webhook, { deliveryId: id, before, sent, made });
  run.healths.set(webhook.id, judgement.health);
  // The owner of a subscription is an agent, and what it may call says how it does.
  const notice =
    webhook.subscription === undefined ? noticeOfAttempt(webhook, before, judgement, deps.clock.now()) : undefined;
  const notices = await record(deps, run, { deliveryId: id, attempt: tried, ...judgement }, webhook, notice);
  deps.onAttempt(judgement, notices);
  if (judgement.disable === undefined) return;
  run.healths.delete(webhook.id);
  deps.log.warn({ webhookId: webhook.id, reason: judgement.disable }, 'A webhook was disabled.');
}

function judgementOf(
  { clock, random, schedule, eventSchedule }: DeliverDeps,
  { subscription, format }: Webhook,
  { deliveryId, before, sent, made }: { deliveryId: string; before: WebhookHealth; sent: Sent; made: number },
): Judgement {
  const context = { before: made, health: before, now: clock.now(), random: random() };
  const judgement =
    subscription === undefined
      ? judgeAttempt(sent, { ...context, schedule })
      : judgeEvent(sent, { ...context, schedule: eventSchedule, isControl: isControlMessage(deliveryId) });
  const outcome = asking(judgement.outcome, format, context.now);
  return { ...judgement, outcome, disable: isUnreadable(sent) ? sent.error : judgement.disable };
}

/** A wake that its receiver took asks to be acknowledged, where its format says how. */
const asking = (outcome: Judgement['outcome'], format: WebhookFormat, now: Date): Judgement['outcome'] =>
  outcome.status === 'delivered' && isWakeFormat(format)
    ? { ...outcome, acknowledgeBy: new Date(now.getTime() + WAKE_TTL_MS) }
    : outcome;

const isUnreadable = ({ error }: Sent): boolean => error === UNREADABLE_SECRET || error === UNREADABLE_CREDENTIAL;

/** The key was changed under this process: that says nothing about the webhook, which is left for a process that fits. */
async function waitForKey({ log, clock }: DeliverDeps, { stopping }: DeliveryRun, { id }: Webhook): Promise<void> {
  log.warn(
    { webhookId: id },
    'The sealing key of this node is no longer that of the database. Start it with the right one.',
  );
  await clock.sleep(TROUBLE_MS, stopping);
}

/** Tries until the attempt is stored: an attempt without a record would be made again at once, and again. */
async function record(
  { outbox, clock, log, server }: DeliverDeps,
  { stopping }: DeliveryRun,
  entry: Omit<AttemptEntry, 'notices'>,
  { accountId }: Webhook,
  notice: Notice | undefined,
): Promise<readonly PreparedNotice[]> {
  for (;;) {
    try {
      const told = notice === undefined ? [] : await outbox.webhooks(accountId);
      const notices = notice === undefined ? [] : noticeDeliveries(told, notice, clock.now(), server);
      await outbox.recordAttempt({ ...entry, notices });
      return notices;
    } catch (error) {
      log.warn({ err: error }, 'A delivery attempt cannot be stored. Retrying in one second.');
      if (stopping.aborted) return [];
      await clock.sleep(TROUBLE_MS, stopping);
    }
  }
}
