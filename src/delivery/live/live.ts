/**
 * Live subscribers. Each hears every match after its cursor, in order and once, and then new matches as they are stored.
 * A subscriber first reads the store; once it has caught up, it reads a ring of frames that all subscribers of its
 * account share. A subscriber that does not read gets no more bytes. When it reads again it goes on where it was; when
 * it stays silent it is cut off, and may come back with its last id.
 */

import { partOfWork } from '../../base/cooperate.ts';
import { createFairQueue, type FairQueue } from '../../base/fair-queue.ts';
import type { Gap } from '../../domain/coverage.ts';
import type { Alert } from '../../domain/rule.ts';
import type { WakeContract } from '../../domain/wake.ts';
import { type Channel, type Channels, createChannels } from './channel.ts';
import { alertFrame, coverageFrame, type EndReason, endFrame, gapFrame, openingFrame } from './frames.ts';
import { type LiveDeps, type MatchFilter, PAGE_BYTES } from './match-log.ts';
import { type Outlet, OutletWriter } from './outlet.ts';
import { frameOf, pump } from './pump.ts';
import { Subscriber } from './subscriber.ts';
import { createSweep } from './sweep.ts';
import { createWakeGate } from './wake-gate.ts';

export interface Subscription extends MatchFilter {
  readonly accountId: string;
  readonly keyId: string;
  /** The session that the stream was opened in; the stream ends with it. */
  readonly session?: string;
  /** The position after which the stream begins. */
  readonly after: number;
  readonly outlet: Outlet;
  /** Without a contract every match is sent as it comes. */
  readonly wake?: WakeContract | undefined;
}

export interface Live {
  subscribe(subscription: Subscription): Pick<Subscriber, 'drained' | 'closed'>;
  /** These accounts have new matches; undefined when any account may have some. */
  committed(accountIds: readonly string[] | undefined): void;
  /** A match of the account was deleted, or a silence began or ended: no frame is repeated from memory. */
  forget(accountId: string): void;
  endKey(keyId: string): void;
  endAccount(accountId: string): void;
  endSession(session: string): void;
  endRule(ruleId: string): void;
  /** Tells every stream of a gap, or the streams of the account and rule that it concerns. */
  announce(gap: Gap): void;
  /** Tells the streams of the alert's account, but for those of another rule or platform. */
  alert(alert: Alert): void;
  /** Subscribers of an account. */
  count(accountId: string): number;
  readonly figures: LiveFigures;
  /** Ends every stream, and every stream that is opened later. */
  close(): void;
}

export interface LiveFigures {
  readonly subscribers: number;
  readonly evicted: number;
  /** Subscribers that have not been sent all there is, and how long ago the slowest of them fell behind. */
  readonly behind: number;
  readonly behindMs: number;
}

/** Matches that one subscriber reads at a time while it catches up. */
const CATCH_UP_PAGE = 32;

interface LiveState extends LiveDeps {
  readonly channels: Channels;
  /** Accounts take turns at reading. */
  readonly reading: FairQueue;
  readonly sweep: { start(): void };
  evicted: number;
  isClosed: boolean;
}

export function createLive(deps: LiveDeps): Live {
  const channels = createChannels();
  const sweep = createSweep({
    ...deps,
    channels,
    end: (channel, subscriber, reason) => end(state, channel, subscriber, reason),
    wake: (channel) => pump(deps, channel),
  });
  const reading = createFairQueue({ maxWaiting: Number.POSITIVE_INFINITY });
  const state: LiveState = { ...deps, channels, reading, sweep, evicted: 0, isClosed: false };
  return {
    subscribe: (subscription) => subscribe(state, subscription),
    committed(accountIds) {
      const named = accountIds?.map((accountId) => channels.find(accountId)) ?? [...channels.all()];
      for (const channel of named) if (channel !== undefined) void pump(deps, channel);
    },
    forget: (accountId) => forget(channels.find(accountId)),
    endKey: (keyId) => endWhere(state, 'key_revoked', (one) => one.keyId === keyId),
    endAccount: (accountId) => endWhere(state, 'account_suspended', (_, channel) => channel.accountId === accountId),
    endSession: (session) => endWhere(state, 'session_ended', (one) => one.session === session),
    endRule: (ruleId) => endWhere(state, 'rule_deleted', (one) => one.filter.ruleId === ruleId),
    announce(gap) {
      const { accountId } = gap;
      const told = accountId === undefined ? [...channels.all()] : [channels.find(accountId)];
      for (const channel of told) if (channel !== undefined) announce(deps, channel, gap, (id) => gapFrame(id, gap));
    },
    alert(alert) {
      const channel = channels.find(alert.accountId);
      if (channel !== undefined) announce(deps, channel, alert, (id) => alertFrame(id, alert));
    },
    count: (accountId) => channels.find(accountId)?.subscribers.size ?? 0,
    get figures() {
      return figuresOf(state);
    },
    close() {
      state.isClosed = true;
      endWhere(state, 'stopping', () => true);
    },
  };
}

function figuresOf({ channels, evicted }: LiveState): Live['figures'] {
  const waits = channels.everySubscriber().map(({ subscriber }) => subscriber.behindFor);
  const behindMs = waits.reduce((longest, one) => Math.max(longest, one), 0);
  const behind = waits.filter((one) => one > 0).length;
  return { subscribers: waits.length, evicted, behind, behindMs };
}

function subscribe(state: LiveState, subscription: Subscription): Pick<Subscriber, 'drained' | 'closed'> {
  const { accountId, after, outlet } = subscription;
  const writer = new OutletWriter(outlet, state.clock);
  writer.write(openingFrame(state.placeCursor(accountId, after)));
  if (state.isClosed) {
    writer.end(endFrame('stopping'));
    return writer;
  }
  const channel = state.channels.findOrAdd(accountId);
  const subscriber = subscriberOf(state, channel, subscription, writer);
  channel.subscribers.add(subscriber);
  void tellCoverage(state, accountId, subscriber);
  void pump(state, channel);
  state.sweep.start();
  return {
    drained: () => subscriber.drained(),
    closed() {
      state.channels.remove(channel, subscriber);
      subscriber.closed();
    },
  };
}

/** At the beginning; then the sweep tells it again and again. */
async function tellCoverage({ coverage, clock, log }: LiveState, accountId: string, one: Subscriber): Promise<void> {
  try {
    const text = await coverage?.(accountId, one.filter);
    if (text !== undefined) one.beat(coverageFrame(text));
    one.coverageAt = clock.elapsed();
  } catch (error) {
    log.warn({ err: error }, 'The coverage of a live stream cannot be read. It is asked for again in 15 seconds.');
  }
}

function subscriberOf(
  state: LiveState,
  channel: Channel,
  subscription: Subscription,
  writer: OutletWriter,
): Subscriber {
  const { accountId, keyId, session, after, ruleId, platform, source, wake } = subscription;
  const filter = {
    ...(ruleId !== undefined && { ruleId }),
    ...(platform !== undefined && { platform }),
    ...(source !== undefined && { source }),
  };
  const page = { ...filter, accountId, limit: CATCH_UP_PAGE, bytes: PAGE_BYTES };
  let silences: Awaited<ReturnType<LiveDeps['silences']>> = [];
  return new Subscriber({
    keyId,
    session,
    filter,
    writer,
    shared: channel,
    progress: { position: after, next: undefined },
    ...(wake && { gate: createWakeGate(wake, state.clock, (position) => state.cursor(accountId, position)) }),
    inTurn: (step) => state.reading.run(accountId, () => partOfWork(step)),
    elapsed: () => state.clock.elapsed(),
    async readPage(from) {
      silences = await state.silences(accountId);
      const found = await state.matches.matchesAfter({ ...page, after: from });
      state.onWalked?.(accountId, found.walked?.rows ?? found.matches.length);
      return found;
    },
    frameOf: (match) => frameOf(state, accountId, match, silences).bytes,
    onTrouble: (error) =>
      state.log.warn({ err: error }, 'Matches cannot be read for a live stream. Retrying in half a second.'),
  });
}

function end(state: LiveState, channel: Channel, subscriber: Subscriber, reason: EndReason): void {
  state.channels.remove(channel, subscriber);
  subscriber.end(reason);
  if (reason !== 'too_slow') return;
  state.evicted++;
  state.log.info({ accountId: channel.accountId }, 'A live stream was ended because its client reads too slowly.');
}

function endWhere(
  state: LiveState,
  reason: EndReason,
  isMeant: (subscriber: Subscriber, channel: Channel) => boolean,
): void {
  for (const { channel, subscriber } of state.channels.everySubscriber())
    if (isMeant(subscriber, channel)) end(state, channel, subscriber, reason);
}

function forget(channel: Channel | undefined): void {
  if (channel === undefined) return;
  channel.epoch++;
  channel.ring?.clear();
  channel.cache.clear();
  for (const subscriber of channel.subscribers) subscriber.forget();
}

/** A frame that is no match: it has the place of the match before it. */
function announce(
  { placeCursor }: LiveDeps,
  { accountId, ring, subscribers }: Channel,
  { platform, ruleId, source }: Pick<Gap, 'platform' | 'source'> & { readonly ruleId?: string | undefined },
  write: (id: string) => Buffer,
): void {
  if (ring === undefined) return;
  const { end: position, next } = ring;
  const bytes = write(placeCursor(accountId, position));
  const frame = { position, platform, ruleId, source, bytes, isGap: true as const };
  ring.push([frame], position);
  for (const one of subscribers) one.offerOne(next, frame);
}
