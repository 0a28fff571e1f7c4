/**
 * Tells agents of gaps in what was seen: those that subscribed to `gap.opened`, and receivers of matches that take control
 * messages. What to tell is read from the ledger of gaps, and an id follows from the gap, so that any number of processes
 * and restarts tell each gap once.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { createWakeUp } from '../../base/wake-up.ts';
import type { Dispatcher } from '../../delivery/webhooks/dispatcher.ts';
import { agentEventId, eventBody, isSubscribed, type SubscribedWebhook } from '../../delivery/webhooks/events.ts';
import type { Gap } from '../../domain/gap.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { timeOf } from '../../store/order.ts';
import type { NoticeDelivery, Store } from '../../store/store.ts';
import type { Cursors } from '../cursors.ts';
import type { Log } from '../telemetry.ts';

export interface GapEvents {
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** A gap was found, or somebody subscribed: those who want to know are told soon. */
  look(): void;
}

interface Deps {
  readonly store: Pick<Store, 'subscribers' | 'gaps' | 'addNotices' | 'watermark' | 'rule' | 'isShared'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly cursors: Cursors;
  readonly dispatcher: Pick<Dispatcher, 'changed'>;
}

const PAUSE_MS = 10_000;
/** A gap that ended is told of for this long. */
const TOLD_MS = 24 * 60 * 60 * 1_000;
/** The newest gaps of an account on a platform. */
const MOST_GAPS = 50;

export function createGapEvents(deps: Deps): GapEvents {
  const wakeUp = createWakeUp(deps.clock);
  return {
    look: wakeUp.wake,
    async run(signal) {
      while (!signal.aborted) {
        const told = await tellAll(deps).catch((error: unknown) => {
          deps.log.warn({ err: error }, 'Subscribers cannot be told of gaps. Retrying in ten seconds.');
          return true;
        });
        // Where another process may take subscriptions, nobody says when the first one comes.
        await wakeUp.sleep(told || deps.store.isShared ? PAUSE_MS : Number.POSITIVE_INFINITY, signal);
      }
    },
  };
}

/** False when nobody wants to know. */
async function tellAll(deps: Deps): Promise<boolean> {
  const { store } = deps;
  let isWanted = false;
  const known = new Map<string, Promise<Gap[]>>();
  for (const event of ['gap.opened', 'match.created', 'story.created'] as const) {
    for (const webhook of await store.subscribers(event)) {
      if (!isSubscribed(webhook) || (event !== 'gap.opened' && !takesControl(webhook))) continue;
      isWanted = true;
      await tell(deps, webhook, await gapsFor(deps, webhook, known));
    }
  }
  return isWanted;
}

export const takesControl = ({ subscription }: SubscribedWebhook): boolean =>
  (JSON.parse(subscription.arguments) as { control_messages?: unknown }).control_messages === true;

/** Gaps of the platforms that the subscription is about, and of no rule but its own. One read for all of an account. */
async function gapsFor(deps: Deps, webhook: SubscribedWebhook, known: Map<string, Promise<Gap[]>>): Promise<Gap[]> {
  const { accountId, ruleIds, subscription } = webhook;
  const began = timeOf(subscription.start);
  const found: Gap[] = [];
  for (const platform of await platformsOf(deps, webhook)) {
    const key = `${accountId} ${platform}`;
    const since = new Date(deps.clock.now().getTime() - TOLD_MS);
    const reading = known.get(key) ?? deps.store.gaps({ platform, since, accountId, limit: MOST_GAPS });
    known.set(key, reading);
    found.push(...(await reading));
  }
  return found.filter(
    ({ ruleId, from, to }) =>
      (ruleId === undefined || ruleIds === undefined || ruleIds.includes(ruleId)) &&
      (subscription.event === 'gap.opened'
        ? (to?.getTime() ?? Number.POSITIVE_INFINITY) > began
        : from.getTime() > began),
  );
}

async function platformsOf({ store }: Deps, { accountId, ruleIds, platforms, subscription }: SubscribedWebhook) {
  if (subscription.event === 'gap.opened') return platforms ?? PLATFORMS;
  const rule = ruleIds?.[0] === undefined ? undefined : await store.rule(accountId, ruleIds[0]);
  return PLATFORMS.filter((platform: Platform) => rule?.platforms[platform] !== undefined);
}

async function tell(deps: Deps, webhook: SubscribedWebhook, gaps: readonly Gap[]): Promise<void> {
  if (gaps.length === 0) return;
  const { store, clock, cursors, dispatcher } = deps;
  const isEvent = webhook.subscription.event === 'gap.opened';
  const reached = isEvent ? await store.watermark(webhook.id, clock.now()) : await store.watermark(webhook.id);
  const settled = Math.max(webhook.subscription.start, reached);
  const cursor = cursors.writePlace(webhook.accountId, 'event', settled);
  const notices = gaps.map((gap) => (isEvent ? eventOf(webhook, gap, cursor) : messageOf(webhook, gap, cursor)));
  await store.addNotices(notices.map((notice) => ({ ...notice, at: clock.now() })));
  dispatcher.changed(webhook.id);
}

type Told = Omit<NoticeDelivery, 'at'>;

function eventOf({ id: webhookId, subscription }: SubscribedWebhook, gap: Gap, cursor: string): Told {
  const id = agentEventId(subscription.id, gap.from, nameOf(gap));
  const { platform, from, to, cause, ruleId } = gap;
  const data = {
    ...{ platform, from: from.toISOString(), to: to?.toISOString() ?? null, cause },
    ...(ruleId !== undefined && { rule_id: ruleId }),
  };
  return { id, webhookId, body: eventBody(subscription, { id, at: from, data, cursor }) };
}

/** Matches may be missing: the receiver goes on from the cursor. */
function messageOf({ id: webhookId, subscription }: SubscribedWebhook, gap: Gap, cursor: string): Told {
  const digest = createHash('sha256')
    .update(`${subscription.id} ${nameOf(gap)}`)
    .digest('hex')
    .slice(0, 16);
  return { id: `msg_gap_${digest}`, webhookId, body: JSON.stringify({ type: 'gap', cursor }) };
}

const nameOf = ({ platform, from, ruleId, source }: Gap): string =>
  JSON.stringify([platform, from.toISOString(), ruleId ?? '', source ?? '']);
