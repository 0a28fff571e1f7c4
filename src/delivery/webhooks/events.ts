/**
 * Deliveries to agents that subscribed with MCP: one event in each, with an id that follows from what happened, so that a
 * retry and a replay carry the same one.
 */
import { idOf, newId, tailOfParts } from '../../base/ids.ts';
import type { Match } from '../../domain/match.ts';
import type { Digest, Silence } from '../../domain/wake.ts';
import type { EventSubscription, Webhook } from '../../domain/webhook.ts';
import type { FrozenBatch, Outbox, OwedMatches } from './outbox.ts';
import { type AttemptContext, type Judgement, judgeAttempt, type Sent } from './outcome.ts';
import { DECIDED_AT_ONCE, wakeBatch } from './wake-batch.ts';

/** A webhook of an agent that each event is sent to. */
export interface SubscribedWebhook extends Webhook {
  readonly subscription: EventSubscription;
}

export const isSubscribed = (webhook: Webhook): webhook is SubscribedWebhook =>
  webhook.subscription !== undefined && webhook.format === 'mcp';

export interface EventWriter {
  /** The `data` of an event: without text by strangers where it must be brief. */
  data(match: Match, options: { readonly brief: boolean }): object;
  /** The `data` of a digest of what a wake contract held; `newest` is the newest match of it. */
  digest(digest: Digest, newest: Match, options: { readonly brief: boolean }): object;
  /** The cursor of a position, as the account sees it. */
  cursor(accountId: string, position: number): string;
}

/** Matches that become deliveries at a time. */
const EVENTS_AT_ONCE = 20;
/** The largest body that receivers take. */
const MAX_EVENT_BYTES = 256 * 1024;

export const EXPIRED_SUBSCRIPTION = 'It was not refreshed in time.';

export const agentEventId = (subscriptionId: string, at: Date, subject: string): string =>
  idOf('evt', at.getTime(), tailOfParts([subscriptionId, subject]));

interface AgentEvent {
  readonly id: string;
  readonly at: Date;
  readonly data: object;
  readonly cursor: string | null;
}

export const eventBody = ({ event }: EventSubscription, { id, at, data, cursor }: AgentEvent): string =>
  JSON.stringify({ eventId: id, name: event, timestamp: at.toISOString(), data, cursor });

interface EventDeps {
  readonly outbox: Pick<
    Outbox,
    'freeze' | 'watermark' | 'wakeStories' | 'matchesAfter' | 'dropOwed' | 'storyBeginnings'
  >;
  readonly matches: Pick<OwedMatches, 'owed'>;
  readonly events: EventWriter;
}

/** Makes a delivery of each match that is owed and wakes. False when the rows have changed since they were read. */
export async function freezeEvents(
  { outbox, matches, events: writer }: EventDeps,
  webhook: SubscribedWebhook,
  { until, now, bytes, silences }: { until: Date; now: Date; bytes: number; silences: readonly Silence[] },
): Promise<boolean> {
  const { subscription, accountId } = webhook;
  const isWhole = webhook.wake === undefined && silences.length === 0;
  const most = isWhole ? EVENTS_AT_ONCE : DECIDED_AT_ONCE;
  const waiting = await matches.owed(webhook.id, until, most, bytes);
  if (waiting.length === 0) return false;
  const owed = subscription.event === 'story.created' ? await firstOfStories(outbox, webhook, waiting) : waiting;
  if (owed.length === 0) return true;
  // None of these matches is settled, so the cursor lies before all of them.
  const reached = Math.max(subscription.start, await outbox.watermark(webhook.id));
  if (!isWhole) {
    const cursor = writer.cursor(accountId, reached);
    return freezeWaking(outbox, writer, webhook, owed, { cursor, now, silences });
  }
  for (const match of owed) {
    const cursor = writer.cursor(accountId, reached);
    if (!(await outbox.freeze(frozenEvent(writer, webhook, match, { cursor, now })))) return false;
  }
  return true;
}

/** The further matches of a rule in a story are no events. */
async function firstOfStories(
  outbox: Pick<Outbox, 'dropOwed' | 'storyBeginnings'>,
  { id }: SubscribedWebhook,
  waiting: readonly Match[],
): Promise<Match[]> {
  const begin = new Set(await outbox.storyBeginnings(waiting.map(({ position }) => position)));
  const others = waiting.filter(({ position }) => !begin.has(position));
  if (others.length > 0)
    await outbox.dropOwed(
      id,
      others.map(({ position }) => position),
    );
  return waiting.filter(({ position }) => begin.has(position));
}

/** One event that wakes, and what is held before the next one. */
async function freezeWaking(
  outbox: Pick<Outbox, 'freeze' | 'wakeStories' | 'matchesAfter'>,
  writer: EventWriter,
  webhook: SubscribedWebhook,
  owed: readonly Match[],
  at: { cursor: string; now: Date; silences: readonly Silence[] },
): Promise<boolean> {
  const write = ([match]: readonly Match[]) => ({ text: frozenEvent(writer, webhook, match!, at).body, matches: 1 });
  const batch = await wakeBatch(outbox, webhook, owed, { at: at.now, silences: at.silences, write });
  const waking = owed.find(({ position }) => position === batch.positions[0]);
  const id =
    waking === undefined ? newId('dlv', at.now) : agentEventId(webhook.subscription.id, waking.createdAt, waking.id);
  return outbox.freeze({ id, webhookId: webhook.id, at: at.now, ...batch });
}

function frozenEvent(
  writer: EventWriter,
  { id: webhookId, subscription }: SubscribedWebhook,
  match: Match,
  { cursor, now }: { cursor: string; now: Date },
): FrozenBatch {
  const id = agentEventId(subscription.id, match.createdAt, match.id);
  const write = (brief: boolean): string =>
    eventBody(subscription, { id, at: match.createdAt, data: writer.data(match, { brief }), cursor });
  const whole = write(subscription.isBrief);
  const body = Buffer.byteLength(whole) > MAX_EVENT_BYTES ? write(true) : whole;
  return { id, webhookId, positions: [match.position], body, at: now };
}

/** The body of a digest to an agent: an event like any other, with the newest match and a digest of all. */
export async function digestEvent(
  outbox: Pick<Outbox, 'watermark'>,
  writer: EventWriter,
  { id: webhookId, accountId, subscription }: SubscribedWebhook,
  { id, digest, newest }: { id: string; digest: Digest; newest: Match },
): Promise<string> {
  const reached = Math.max(subscription.start, await outbox.watermark(webhookId));
  const cursor = writer.cursor(accountId, reached);
  const write = (brief: boolean): string =>
    eventBody(subscription, { id, at: newest.createdAt, data: writer.digest(digest, newest, { brief }), cursor });
  const whole = write(subscription.isBrief);
  return Buffer.byteLength(whole) > MAX_EVENT_BYTES ? write(true) : whole;
}

const GONE = 410;
const TOO_LARGE = 413;

/**
 * 410 refuses this one event, and 413 asks for shorter ones: neither is retried, and the subscription goes on. It is never
 * disabled for failing, because it ends by itself. A control message is not retried when the receiver does not take it.
 */
export function judgeEvent(sent: Sent, context: AttemptContext & { readonly isControl: boolean }): Judgement {
  const { error, statusCode = 0 } = sent;
  if (error === undefined) return judgeAttempt(sent, context);
  const isRefused = context.isControl && statusCode >= 400 && statusCode < 500;
  if (statusCode === GONE || statusCode === TOO_LARGE || isRefused) return refused(sent, context);
  // It is judged as if it had begun to fail lately: then nothing is disabled, and the schedule decides.
  const { lastFailureAt, failingSince } = context.health;
  const judgement = judgeAttempt(sent, { ...context, health: { lastFailureAt, failingSince: undefined } });
  return { ...judgement, health: { ...judgement.health, ...(failingSince && { failingSince }) } };
}

/** The receiver works, and has decided. */
const refused = ({ statusCode }: Sent, { health }: AttemptContext): Judgement => ({
  outcome: { status: 'failed', reason: `The receiver answered ${statusCode}: it does not take this event.` },
  health: { lastFailureAt: undefined, failingSince: undefined },
  recovered: health.failingSince !== undefined,
  disable: undefined,
  shorten: statusCode === TOO_LARGE,
});

export const isControlMessage = (deliveryId: string): boolean => deliveryId.startsWith('msg_');
