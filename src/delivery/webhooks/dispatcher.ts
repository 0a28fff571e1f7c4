/**
 * Webhooks: matches that are owed become a frozen delivery, and a delivery is attempted until it succeeds or has failed
 * for good. Everything is read from rows, so a crash at any point repeats at most the attempts that were under way, with
 * the same ids and the same bytes.
 */
import { newId } from '../../base/ids.ts';
import { createLru, type Lru } from '../../base/lru.ts';
import type { Match } from '../../domain/match.ts';
import type { DueDelivery, PreparedNotice, Webhook, WebhookHealth } from '../../domain/webhook.ts';
import { patienceOf } from '../../wakes/over-time.ts';
import { WAKE_TTL_MS } from '../../wakes/wake-state.ts';
import { createWebhookAgenda, type WebhookAgenda } from './agenda.ts';
import { batchDue, policyOf } from './batching.ts';
import {
  ASK_AGAIN_MS,
  type ClaimsDeps,
  createSlots,
  createWebhookClaims,
  type Slots,
  type WebhookClaims,
} from './claims.ts';
import { type DeliverDeps, type DeliveryRun, deliver, TROUBLE_MS } from './deliver.ts';
import { EXPIRED_SUBSCRIPTION, freezeEvents, isSubscribed } from './events.ts';
import { deliveryBody, type Encode, receiverKind } from './formats.ts';
import { isObjectFormat } from './objects/object-body.ts';
import type { Outbox, OwedToWebhook } from './outbox.ts';
import { expireOpenWake, expireTakenWakes, type OpenWake, openWake } from './pull.ts';
import { DECIDED_AT_ONCE, DECIDED_BYTES, wakeBatch } from './wake-batch.ts';
import { isPulled } from './wake-body.ts';

export interface DispatcherDeps extends DeliverDeps, ClaimsDeps {
  readonly outbox: Outbox;
  readonly encode: Encode;
}

export interface Dispatcher {
  /** Runs until it is stopped. */
  start(): void;
  /** An account has new matches; undefined when any account may have some. */
  owed(accountId: string | undefined): void;
  /** A webhook was changed, or a delivery is to be sent again. */
  changed(webhookId: string): void;
  /**
   * The open wake of an agent that asks, made of the owed matches when there is none. Returns undefined when nothing is
   * owed.
   */
  openWake(webhook: Webhook): Promise<OpenWake | undefined>;
  /** A subscriber is back: what was given up while it was away is sent once more. */
  offerAgain(webhookId: string): Promise<void>;
  /** Waits up to 3 s for attempts under way and aborts the rest; they are made again after the next start. */
  stop(): Promise<void>;
  readonly inFlight: number;
}

/** New matches are looked at together; the first of them waits a second for others anyhow. */
const NOTICE_MS = 100;
const STOP_PATIENCE_MS = 3_000;
/** Webhooks checked at a time. */
const ABREAST = 16;
/** Deliveries that are written, for each that may be under way: itself, and the one after it. */
const AHEAD = 2;
const DAY_S = 86_400;
/** No digest waits longer for the end of quiet hours or of a silence, except by a clock that was set back afterwards. */
const LONGEST_DIGEST_MS = 32 * DAY_S * 1_000;
/** Webhooks whose pace is remembered; one that is forgotten is sent to at once. */
const MOST_PACED = 10_000;

interface DispatcherState extends DispatcherDeps, DeliveryRun {
  readonly agenda: WebhookAgenda;
  readonly slots: Slots;
  readonly claims: WebhookClaims;
  /** When the last delivery to a webhook began whose receiver takes only so many, by the clock that is never set. */
  readonly lastBegun: Lru<string, number>;
  readonly running: Set<Promise<void>>;
  /** While a webhook fails, its batches grow for this many milliseconds, so that deliveries do not pile up. */
  readonly failingWindow: number;
  /** No delivery is put off by more milliseconds, except by a clock that was set back afterwards. */
  readonly longestWait: number;
  onNotices(notices: readonly PreparedNotice[]): void;
}

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const [stopping, breaking] = [new AbortController(), new AbortController()];
  const state = createState(deps, stopping.signal, breaking.signal);
  let loop = Promise.resolve();
  return {
    start() {
      loop = run(state);
    },
    owed(accountId) {
      if (accountId === undefined) state.agenda.checkAll(NOTICE_MS);
      else state.agenda.checkAccount(accountId, NOTICE_MS);
    },
    changed(webhookId) {
      state.healths.delete(webhookId);
      state.agenda.checkWebhook(webhookId, deps.clock.now());
    },
    openWake: (webhook) => openWake(state, webhook, (until) => freezeAnew(deps, webhook.id, until)),
    async offerAgain(webhookId) {
      const now = deps.clock.now();
      const since = new Date(now.getTime() - WAKE_TTL_MS);
      await deps.outbox.offerAgain(webhookId, { since, attempts: deps.eventSchedule.length, now });
    },
    async stop() {
      stopping.abort();
      await loop;
      await settled(state);
      breaking.abort();
      await Promise.allSettled(state.running);
      await state.claims.releaseAll();
    },
    get inFlight() {
      return state.running.size;
    },
  };
}

const createState = (deps: DispatcherDeps, stopping: AbortSignal, breaking: AbortSignal): DispatcherState => {
  const agenda = createWebhookAgenda(deps.clock);
  return {
    ...deps,
    stopping,
    breaking,
    healths: new Map(),
    agenda,
    onNotices(notices) {
      for (const { webhookId } of notices) agenda.checkWebhook(webhookId, deps.clock.now());
    },
    slots: createSlots(),
    claims: createWebhookClaims(deps),
    lastBegun: createLru({ limit: MOST_PACED }),
    running: new Set(),
    failingWindow: (deps.schedule[1] ?? deps.schedule[0] ?? 0) * 1_000,
    // Quiet hours of notices may follow each other for nearly a week.
    longestWait: 1_000 * Math.max(8 * DAY_S, ...deps.schedule.map((delay) => 3 * delay)),
  };
};

/** Resolves when no attempt is under way, or patience has run out. */
async function settled({ running, clock }: DispatcherState): Promise<void> {
  const patience = new AbortController();
  await Promise.race([Promise.allSettled(running), clock.sleep(STOP_PATIENCE_MS, patience.signal)]);
  patience.abort();
}

async function run(state: DispatcherState): Promise<void> {
  const { agenda, stopping, log } = state;
  agenda.checkAll(0);
  while (!stopping.aborted) {
    try {
      await checkDue(state);
    } catch (error) {
      log.warn({ err: error }, 'Deliveries cannot be read. Retrying in one second.');
      agenda.checkAll(TROUBLE_MS);
    }
    await agenda.untilDue(stopping);
  }
}

async function checkDue(state: DispatcherState): Promise<void> {
  const owed = new Map<string, OwedToWebhook>();
  for (const due of state.agenda.takeDue()) {
    for (const one of await state.outbox.agenda(due)) owed.set(one.webhook.id, one);
  }
  const left = [...owed.values()];
  while (left.length > 0) await Promise.all(left.splice(0, ABREAST).map((one) => check(state, one)));
}

/** Attempts deliveries that are due, and freezes a batch that is due. */
async function check(state: DispatcherState, owed: OwedToWebhook): Promise<void> {
  const { agenda, claims, clock, healths } = state;
  const { webhook } = owed;
  if (webhook.subscription !== undefined && webhook.subscription.expiresAt <= clock.now()) {
    const hasEnded = await state.outbox.endSubscription(webhook.id, EXPIRED_SUBSCRIPTION, undefined, clock.now());
    // It was refreshed since it was read.
    if (!hasEnded) agenda.checkWebhook(webhook.id, clock.now());
    return;
  }
  // Its agent asks for what is owed.
  if (isPulled(webhook)) return agenda.checkWebhook(webhook.id, await expireOpenWake(state, webhook));
  const soon = (milliseconds: number) =>
    agenda.checkWebhook(webhook.id, new Date(clock.now().getTime() + milliseconds));
  if (!(await claims.hold(webhook.id))) return soon(ASK_AGAIN_MS);
  if (owed.acknowledgeBy !== undefined)
    agenda.checkWebhook(webhook.id, await expireTakenWakes(state, webhook, owed.acknowledgeBy));
  const health = healths.get(webhook.id) ?? webhook.health;
  const { inFlight } = policyOf(webhook);
  const pending = await state.outbox.pendingDeliveries(webhook.id, AHEAD * inFlight);
  attemptDue(state, webhook, health, pending);
  const due = batchDue({ ...owed, webhook: { ...webhook, health } }, clock.now(), state.failingWindow);
  if (due === undefined) return;
  if ('at' in due) return agenda.checkWebhook(webhook.id, due.at);
  const ready = pending.filter(({ nextAt }) => nextAt <= clock.now()).length;
  if (!isFrozenNow(webhook, ready)) return;
  // When nothing was frozen, the rows have changed since they were read.
  if (!(await freeze(state, webhook, due.until))) soon(TROUBLE_MS);
  // More may be due at once. Otherwise the end of an attempt is what the next one waits for.
  else if (isFrozenNow(webhook, ready + 1) || state.slots.countOf(webhook.id) < inFlight) soon(0);
}

/**
 * No more deliveries are written than the receiver is sent next: the others would take the time of those who push, and a receiver
 * that is slow gets none of them sooner. What a contract holds back needs no receiver.
 */
const isFrozenNow = (webhook: Webhook, ready: number): boolean =>
  webhook.wake !== undefined || ready < AHEAD * policyOf(webhook).inFlight;

async function freeze(deps: DispatcherDeps, webhook: Webhook, due: Date): Promise<boolean> {
  const { outbox, matches: read, encode, clock, events } = deps;
  const until = decidedUntil(webhook, due, clock.now());
  const { matches, bytes } = policyOf(webhook);
  // An object holds every match, and wakes nobody.
  const silences = isObjectFormat(webhook.format) ? [] : await outbox.silences(webhook.accountId, clock.now());
  if (isSubscribed(webhook))
    return freezeEvents({ outbox, matches: read, events }, webhook, { until, now: clock.now(), bytes, silences });
  const isWhole = webhook.wake === undefined && silences.length === 0;
  const owed = await (isWhole
    ? read.owed(webhook.id, until, matches, bytes)
    : read.owed(webhook.id, until, DECIDED_AT_ONCE, DECIDED_BYTES));
  if (owed.length === 0) return false;
  const at = clock.now();
  const write = (waking: readonly Match[], because: readonly string[]) =>
    deliveryBody(webhook, waking, encode, because);
  const batch = isWhole
    ? wholeBatch(webhook, owed, encode)
    : await wakeBatch(outbox, webhook, owed, { at, silences, write });
  return outbox.freeze({ id: newId('dlv', at), webhookId: webhook.id, at, madeFor: receiverKind(webhook), ...batch });
}

/** Each batch that is held takes a turn of the webhook, and the next one is decided from what it has come to by then. */
async function freezeAnew(deps: DispatcherDeps, webhookId: string, due: Date): Promise<boolean> {
  const [owed] = await deps.outbox.agenda({ webhookId });
  return owed !== undefined && freeze(deps, owed.webhook, due);
}

/** A match that must not be followed by another is decided when its time is over. */
function decidedUntil({ wake }: Webhook, due: Date, now: Date): Date {
  const patience = patienceOf(wake);
  return patience === 0 ? due : new Date(Math.min(due.getTime(), now.getTime() - patience));
}

function wholeBatch(webhook: Webhook, owed: readonly Match[], encode: Encode) {
  const body = deliveryBody(webhook, owed, encode);
  const positions = owed.slice(0, body.matches).map(({ position }) => position);
  return { positions, body: body.text, note: body.note };
}

function attemptDue(
  state: DispatcherState,
  webhook: Webhook,
  health: WebhookHealth,
  pending: readonly DueDelivery[],
): void {
  const { agenda, slots, clock } = state;
  const isFailing = health.failingSince !== undefined;
  const { inFlight, pace } = policyOf(webhook);
  const most = isFailing ? 1 : inFlight;
  const now = clock.now();
  const rest = (state.lastBegun.get(webhook.id) ?? -pace) + pace - clock.elapsed();
  if (rest > 0) {
    agenda.checkWebhook(webhook.id, new Date(now.getTime() + Math.ceil(rest)));
    return;
  }
  for (const delivery of pending) {
    if (slots.has(delivery.id)) continue;
    const wait = delivery.nextAt.getTime() - now.getTime();
    if (wait > 0 && wait <= (delivery.isUnwritten === true ? LONGEST_DIGEST_MS : state.longestWait)) {
      agenda.checkWebhook(webhook.id, delivery.nextAt);
      return;
    }
    // The webhook is checked again when one of its attempts ends, or when a slot becomes free.
    if (slots.countOf(webhook.id) >= most || !slots.take(delivery.id, webhook.id, isFailing)) return;
    if (pace > 0) state.lastBegun.set(webhook.id, clock.elapsed());
    begin(state, webhook, delivery, now);
  }
}

function begin(state: DispatcherState, webhook: Webhook, delivery: DueDelivery, now: Date): void {
  const { agenda, slots, healths, running, claims } = state;
  const ended = new AbortController();
  void claims.keep(webhook.id, ended.signal);
  const resting = (error: unknown): Promise<void> => {
    state.log.warn({ err: error, webhookId: webhook.id }, 'A delivery cannot be attempted. Retrying in one second.');
    return state.clock.sleep(TROUBLE_MS, state.stopping);
  };
  const attempting = deliver(state, state, webhook, delivery)
    .catch(resting)
    .finally(() => {
      running.delete(attempting);
      ended.abort('ended');
      for (const waiting of slots.free(delivery.id)) agenda.checkWebhook(waiting, now);
      // From here on other processes may change the row.
      if (slots.countOf(webhook.id) === 0) healths.delete(webhook.id);
      agenda.checkWebhook(webhook.id, now);
    });
  running.add(attempting);
}
