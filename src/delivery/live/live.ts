/**
 * Live subscribers: each hears every match after its cursor, in order, once, and then new ones as they are stored. What
 * it hears comes from the store, first straight from there, later through a ring of frames that all subscribers of an
 * account share. A subscriber that does not read is written nothing more; when it reads again it goes on where it was,
 * and when it does not, it is cut off and may come back with its last id.
 */
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import type { Gap } from '../../domain/gap.ts';
import type { Match } from '../../domain/match.ts';
import { createFrameCache, type FrameCache } from './frame-cache.ts';
import { type EndReason, gapFrame, matchFrame } from './frames.ts';
import { createQueue } from './queue.ts';
import { createRing, type Frame, type Ring } from './ring.ts';
import { createSubscriber, type Outlet, type Subscriber, type Wish } from './subscriber.ts';
import { createSweep } from './sweep.ts';

/** Matches, as the store has them. */
export interface MatchLog {
  latest(): Promise<number>;
  matchesAfter(
    query: Wish & { accountId: string; after: number; limit: number },
  ): Promise<{ matches: Match[]; last: number }>;
}

export interface LiveDeps {
  readonly matches: MatchLog;
  readonly clock: Clock;
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** A position as an id of an event. */
  readonly cursor: (accountId: string, position: number) => string;
  /** A match as JSON on one line. */
  readonly encode: (match: Match) => string;
  /** Whether a key still works. */
  readonly works: (accountId: string, keyId: string) => Promise<boolean>;
}

export interface Subscription extends Wish {
  readonly accountId: string;
  readonly keyId: string;
  /** Where it begins. */
  readonly after: number;
  readonly outlet: Outlet;
}

export interface Live {
  subscribe(subscription: Subscription): Pick<Subscriber, 'drained' | 'closed'>;
  /** Accounts have new matches; all of them may where it is not known which. */
  committed(accountIds: readonly string[] | undefined): void;
  /** Something of an account was deleted: nothing of it is repeated from memory. */
  forget(accountId: string): void;
  endKey(keyId: string): void;
  endRule(ruleId: string): void;
  announce(gap: Gap): void;
  /** Subscribers of an account. */
  count(accountId: string): number;
  readonly figures: { readonly subscribers: number; readonly evicted: number };
  /** Ends every stream. */
  close(): void;
}

/** All subscribers of one account. */
export interface Channel {
  readonly accountId: string;
  readonly subscribers: Set<Subscriber>;
  /** Undefined until it is known where the store is. */
  ring: Ring | undefined;
  /** For those who are not in step with the ring. */
  readonly cache: FrameCache;
  /** Changes when something was deleted: what was read before may hold it. */
  epoch: number;
  isPumping: boolean;
  isDirty: boolean;
}

/** Matches read at a time. */
const PAGE = 200;
/** Frames written to a subscriber in one go. */
const CHUNK_BYTES = 32 * 1024;
/** Everything else has its turn after so many writes, or so many milliseconds. */
const WRITES_AT_ONCE = 200;
const MS_AT_ONCE = 5;

export function createLive(deps: LiveDeps): Live {
  const { matches, clock, log, cursor, encode } = deps;
  const channels = new Map<string, Channel>();
  const inTurn = createQueue();
  let evicted = 0;
  let isClosed = false;

  const frameOf = (accountId: string, match: Match): Frame => ({
    position: match.position,
    platform: match.platform,
    ruleId: match.ruleId,
    bytes: matchFrame(cursor(accountId, match.position), encode(match)),
  });
  const everybody = () => [...channels.values()].flatMap(({ subscribers }) => [...subscribers]);
  const sweep = createSweep({ ...deps, channels, end, wake: pump });

  function channelOf(accountId: string): Channel {
    const found = channels.get(accountId);
    if (found !== undefined) return found;
    const channel: Channel = {
      accountId,
      subscribers: new Set(),
      ring: undefined,
      cache: createFrameCache(),
      epoch: 0,
      isPumping: false,
      isDirty: false,
    };
    channels.set(accountId, channel);
    return channel;
  }

  function leave(channel: Channel, subscriber: Subscriber): void {
    channel.subscribers.delete(subscriber);
    if (channel.subscribers.size === 0 && channels.get(channel.accountId) === channel)
      channels.delete(channel.accountId);
  }

  function end(channel: Channel, subscriber: Subscriber, reason: EndReason): void {
    leave(channel, subscriber);
    subscriber.end(reason);
    if (reason !== 'too_slow') return;
    evicted++;
    log.info({ accountId: channel.accountId }, 'a subscriber did not read, and was cut off');
  }

  /** Reads what is new and hands it round, until there is nothing new. One at a time for each channel. */
  async function pump(channel: Channel): Promise<void> {
    channel.isDirty = true;
    if (channel.isPumping) return;
    channel.isPumping = true;
    try {
      while (channel.isDirty && channel.subscribers.size > 0) {
        channel.isDirty = false;
        await pumpPage(channel);
      }
    } catch (error) {
      // The next sweep tries again.
      log.warn({ err: error }, 'new matches could not be read for subscribers');
    } finally {
      channel.isPumping = false;
    }
  }

  async function pumpPage(channel: Channel): Promise<void> {
    channel.ring ??= createRing(await matches.latest());
    const { ring, accountId, epoch } = channel;
    const page = await matches.matchesAfter({ accountId, after: ring.end, limit: PAGE });
    if (channel.epoch !== epoch) {
      channel.isDirty = true;
      return;
    }
    const frames = page.matches.map((match) => frameOf(accountId, match));
    if (frames.length === PAGE) channel.isDirty = true;
    for (const chunk of chunksOf(frames)) {
      // What was deleted while the last chunk was handed round is not handed round in the next.
      if (channel.epoch !== epoch) break;
      const from = ring.next;
      ring.push(chunk, chunk.at(-1)!.position);
      await handRound(channel, from, chunk);
    }
    if (channel.epoch !== epoch) channel.isDirty = true;
    else ring.push([], page.last);
    for (const subscriber of channel.subscribers) subscriber.settle();
  }

  async function handRound(channel: Channel, from: number, chunk: readonly Frame[]): Promise<void> {
    /** Those who want the same are written the same bytes. */
    const shared = new Map<string, Buffer>();
    let [writes, began] = [0, clock.now().getTime()];
    for (const subscriber of channel.subscribers) {
      const bytes = shared.get(subscriber.wants) ?? joined(chunk.filter((frame) => subscriber.isWanted(frame)));
      shared.set(subscriber.wants, bytes);
      subscriber.take(from, chunk.length, bytes);
      if (++writes < WRITES_AT_ONCE && clock.now().getTime() - began < MS_AT_ONCE) continue;
      await setImmediate();
      [writes, began] = [0, clock.now().getTime()];
    }
  }

  return {
    subscribe({ accountId, keyId, after, outlet, ruleId, platform }) {
      const channel = channelOf(accountId);
      const subscriber = createSubscriber({
        keyId,
        after,
        outlet,
        clock,
        channel,
        wish: { ...(ruleId !== undefined && { ruleId }), ...(platform !== undefined && { platform }) },
        opening: cursor(accountId, after),
        inTurn,
        read: (query) => matches.matchesAfter({ ...query, accountId }),
        frameOf: (match) => frameOf(accountId, match).bytes,
        onTrouble: (error) => log.warn({ err: error }, 'matches could not be read for a subscriber'),
      });
      if (isClosed) {
        subscriber.end('stopping');
        return subscriber;
      }
      channel.subscribers.add(subscriber);
      void pump(channel);
      sweep.start();
      return {
        drained: () => subscriber.drained(),
        closed() {
          leave(channel, subscriber);
          subscriber.closed();
        },
      };
    },
    committed(accountIds) {
      for (const accountId of accountIds ?? channels.keys()) {
        const channel = channels.get(accountId);
        if (channel !== undefined) void pump(channel);
      }
    },
    forget(accountId) {
      const channel = channels.get(accountId);
      if (channel === undefined) return;
      channel.epoch++;
      channel.ring?.clear();
      channel.cache.clear();
    },
    endKey(keyId) {
      for (const channel of channels.values()) {
        for (const one of channel.subscribers) if (one.keyId === keyId) end(channel, one, 'key_revoked');
      }
    },
    endRule(ruleId) {
      for (const channel of channels.values()) {
        for (const one of channel.subscribers) if (one.wish.ruleId === ruleId) end(channel, one, 'rule_deleted');
      }
    },
    announce(gap) {
      for (const channel of channels.values()) {
        if (channel.ring === undefined) continue;
        const { end: position, next } = channel.ring;
        const bytes = gapFrame(cursor(channel.accountId, position), gap);
        const frame = { position, platform: gap.platform, ruleId: undefined, bytes };
        channel.ring.push([frame], position);
        for (const one of channel.subscribers) one.take(next, 1, one.isWanted(frame) ? bytes : Buffer.alloc(0));
      }
    },
    count: (accountId) => channels.get(accountId)?.subscribers.size ?? 0,
    get figures() {
      return { subscribers: everybody().length, evicted };
    },
    close() {
      isClosed = true;
      for (const channel of channels.values()) for (const one of channel.subscribers) end(channel, one, 'stopping');
    },
  };
}

/** In pieces that a subscriber is written at once. */
function* chunksOf(frames: readonly Frame[]): Iterable<Frame[]> {
  let chunk: Frame[] = [];
  let bytes = 0;
  for (const frame of frames) {
    if (chunk.length > 0 && bytes + frame.bytes.length > CHUNK_BYTES) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(frame);
    bytes += frame.bytes.length;
  }
  if (chunk.length > 0) yield chunk;
}

const joined = (frames: readonly Frame[]): Buffer =>
  frames.length === 1 ? frames[0]!.bytes : Buffer.concat(frames.map(({ bytes }) => bytes));
