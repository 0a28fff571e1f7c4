/**
 * Webhooks: what is owed becomes a frozen delivery, and a delivery is attempted until it is made or has failed. All of
 * it is read from rows, so a crash at any point repeats at most the attempts that were under way, with the same ids and
 * the same bytes. The folder knows nothing of rules or HTTP routes; it says here what it needs of a store.
 */
import { newId } from '../../base/ids.ts';
import type { Match } from '../../domain/match.ts';
import type { Attempt, Webhook, WebhookHealth } from '../../domain/webhook.ts';
import { type AttemptDeps, attempt, UNREADABLE_SECRET } from './attempts.ts';
import { batchDue, type Owed } from './batching.ts';
import { createGate } from './concurrency.ts';
import { bodyOf, type Encode, FORMATS } from './formats.ts';
import { type Judgement, judge } from './outcome.ts';
import { createLooks } from './wake-times.ts';

/** What is owed, and what was made of it. */
export interface Outbox {
  agenda(of: { accountId?: string; webhookId?: string }): Promise<(Owed & { readonly webhook: Webhook })[]>;
  /** Takes a webhook until a time, unless another process has it: only one works on it. Answers who has it now. */
  claimWebhook(webhookId: string, claim: { holder: string; now: Date; until: Date }): Promise<string | undefined>;
  releaseWebhooks(holder: string): Promise<void>;
  owedMatches(webhookId: string, until: Date, limit: number): Promise<Match[]>;
  freeze(batch: {
    id: string;
    webhookId: string;
    positions: readonly number[];
    body: string;
    at: Date;
  }): Promise<boolean>;
  pendingDeliveries(webhookId: string, limit: number): Promise<{ id: string; nextAt: Date; made: number }[]>;
  pendingBody(deliveryId: string): Promise<string | undefined>;
  recordAttempt(record: Judgement & { deliveryId: string; attempt: Attempt }): Promise<void>;
}

export interface DispatcherDeps extends AttemptDeps {
  readonly outbox: Outbox;
  /** Who we are among the processes on this store. */
  readonly holder: { readonly id: string; isGone(id: string): boolean };
  readonly encode: Encode;
  readonly schedule: readonly number[];
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: { warn(fields: object, message: string): void };
}

export interface Dispatcher {
  /** Runs until it is stopped. */
  start(): void;
  /** An account has new matches; any may where it is not known which. */
  owed(accountId: string | undefined): void;
  /** A webhook was changed, or a delivery asked for again. */
  changed(webhookId: string): void;
  /** Lets what is under way end, for a while, and breaks off the rest: it is tried again after the next start. */
  stop(): Promise<void>;
  readonly inFlight: number;
}

/** New matches are looked at together; the first of them has to wait a second anyhow. */
const NOTICE_MS = 100;
/** After the store failed. */
const TROUBLE_MS = 1_000;
const PATIENCE_MS = 3_000;
/** A webhook is claimed for so long, longer than any attempt takes, and again when half of that is over. */
const CLAIM_MS = 40_000;
/** Webhooks tended at a time. */
const ABREAST = 16;

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { outbox, encode, schedule, random, clock, log, holder } = deps;
  const stopping = new AbortController();
  const breaking = new AbortController();
  const looks = createLooks(clock);
  const gate = createGate();
  /** Newer than the rows while attempts are under way: several of one webhook may end at once. */
  const healths = new Map<string, WebhookHealth>();
  /** What we have claimed, by the time until which we have. */
  const claims = new Map<string, number>();
  const running = new Set<Promise<void>>();
  const failingWindow = (schedule[1] ?? schedule[0] ?? 0) * 1_000;
  let loop = Promise.resolve();

  async function run(): Promise<void> {
    looks.everybody();
    while (!stopping.signal.aborted) {
      try {
        await pass();
      } catch (error) {
        log.warn({ err: error }, 'deliveries could not be looked at; trying again');
        looks.everybody(TROUBLE_MS);
      }
      await looks.next(stopping.signal);
    }
  }

  async function pass(): Promise<void> {
    const agendas = new Map<string, Owed & { webhook: Webhook }>();
    for (const of of looks.take()) {
      for (const agenda of await outbox.agenda(of)) agendas.set(agenda.webhook.id, agenda);
    }
    const left = [...agendas.values()];
    while (left.length > 0) await Promise.all(left.splice(0, ABREAST).map(tend));
  }

  async function tend(agenda: Owed & { webhook: Webhook }): Promise<void> {
    const { webhook } = agenda;
    if (!(await isOurs(webhook.id))) return looks.at(webhook.id, new Date(clock.now().getTime() + CLAIM_MS));
    const health = healths.get(webhook.id) ?? webhook.health;
    const due = batchDue({ ...agenda, webhook: { ...webhook, health } }, clock.now(), failingWindow);
    if (due !== undefined && 'at' in due) looks.at(webhook.id, due.at);
    if (due !== undefined && 'until' in due) {
      const frozen = await freeze(webhook, due.until);
      // There may be more; where nothing was frozen, something changed meanwhile.
      looks.at(webhook.id, new Date(clock.now().getTime() + (frozen ? 0 : TROUBLE_MS)));
    }
    await attemptDue(webhook, health);
  }

  async function isOurs(webhookId: string): Promise<boolean> {
    const now = clock.now();
    if ((claims.get(webhookId) ?? 0) - now.getTime() > CLAIM_MS / 2) return true;
    const until = new Date(now.getTime() + CLAIM_MS);
    const claim = () => outbox.claimWebhook(webhookId, { holder: holder.id, now, until });
    let claimedBy = await claim();
    if (claimedBy !== undefined && claimedBy !== holder.id && holder.isGone(claimedBy)) {
      // Whoever was killed gives nothing back by itself.
      await outbox.releaseWebhooks(claimedBy);
      claimedBy = await claim();
    }
    const isOurOwn = claimedBy === holder.id;
    if (isOurOwn) claims.set(webhookId, until.getTime());
    else claims.delete(webhookId);
    return isOurOwn;
  }

  async function freeze(webhook: Webhook, until: Date): Promise<boolean> {
    const owed = await outbox.owedMatches(webhook.id, until, FORMATS[webhook.format].matches);
    if (owed.length === 0) return false;
    const body = bodyOf(webhook, owed, encode);
    const at = clock.now();
    return outbox.freeze({
      id: newId('dlv', at),
      webhookId: webhook.id,
      positions: owed.slice(0, body.matches).map(({ position }) => position),
      body: body.text,
      at,
    });
  }

  async function attemptDue(webhook: Webhook, health: WebhookHealth): Promise<void> {
    const isFailing = health.failingSince !== undefined;
    const most = isFailing ? 1 : FORMATS[webhook.format].inFlight;
    const now = clock.now();
    for (const delivery of await outbox.pendingDeliveries(webhook.id, most + gate.of(webhook.id))) {
      if (gate.holds(delivery.id)) continue;
      if (delivery.nextAt > now) return looks.at(webhook.id, delivery.nextAt);
      // When something of this webhook ends, it is looked at again; when there is no room at all, once there is.
      if (gate.of(webhook.id) >= most) return;
      if (!gate.enter(delivery.id, webhook.id, isFailing)) return;
      const attempting = deliver(webhook, delivery).finally(() => {
        running.delete(attempting);
        for (const waiting of gate.leave(delivery.id)) looks.at(waiting, now);
        // From here on the row may be changed by others.
        if (gate.of(webhook.id) === 0) healths.delete(webhook.id);
        looks.at(webhook.id, now);
      });
      running.add(attempting);
    }
  }

  async function deliver(webhook: Webhook, { id, made }: { id: string; made: number }): Promise<void> {
    const body = await outbox.pendingBody(id).catch(() => undefined);
    if (body === undefined || stopping.signal.aborted) return;
    const { sent, attempt: tried } = await attempt(deps, webhook, { id, body }, breaking.signal);
    // Broken off by us: that says nothing about the receiver.
    if (breaking.signal.aborted) return;
    const judgement = judge(sent, {
      before: made,
      health: healths.get(webhook.id) ?? webhook.health,
      now: clock.now(),
      random: random(),
      schedule,
    });
    healths.set(webhook.id, judgement.health);
    const disable = sent.error === UNREADABLE_SECRET ? UNREADABLE_SECRET : judgement.disable;
    await record({ deliveryId: id, attempt: tried, ...judgement, disable });
    if (disable !== undefined) {
      healths.delete(webhook.id);
      log.warn({ webhookId: webhook.id, reason: disable }, 'a webhook was disabled');
    }
  }

  /** Until it is stored: an attempt that is forgotten would be made again at once, and again. */
  async function record(entry: Parameters<Outbox['recordAttempt']>[0]): Promise<void> {
    for (;;) {
      try {
        return await outbox.recordAttempt(entry);
      } catch (error) {
        log.warn({ err: error }, 'an attempt could not be stored; trying again');
        if (stopping.signal.aborted) return;
        await clock.sleep(TROUBLE_MS, stopping.signal);
      }
    }
  }

  return {
    start() {
      loop = run();
    },
    owed(accountId) {
      if (accountId === undefined) looks.everybody(NOTICE_MS);
      else looks.account(accountId, NOTICE_MS);
    },
    changed(webhookId) {
      healths.delete(webhookId);
      looks.at(webhookId, clock.now());
    },
    async stop() {
      stopping.abort();
      await loop;
      const patience = new AbortController();
      await Promise.race([Promise.allSettled(running), clock.sleep(PATIENCE_MS, patience.signal)]);
      patience.abort();
      breaking.abort();
      await Promise.allSettled(running);
      // Another process need not wait for the claims to run out.
      if (claims.size > 0) await outbox.releaseWebhooks(holder.id).catch(() => {});
    },
    get inFlight() {
      return running.size;
    },
  };
}
