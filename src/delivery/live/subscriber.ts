/**
 * One live reader. It is *catching up* from the store until it has reached the ring, and *in step* with the ring from
 * then on. Whenever its connection takes no more bytes it stands still; how far it has come is all that is kept of it.
 */
import type { Clock } from '../../base/clock.ts';
import type { Match } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { NextFrame } from './frame-cache.ts';
import { type EndReason, endFrame, openingFrame } from './frames.ts';
import type { Channel } from './live.ts';
import type { Queue } from './queue.ts';
import type { Frame } from './ring.ts';

/** A connection that bytes go out on. */
export interface Outlet {
  /** False when it takes no more until it is drained. */
  write(bytes: Uint8Array): boolean;
  /** Bytes that wait to be read. */
  readonly queued: number;
  /** Writes this and ends. */
  end(bytes: Uint8Array): void;
  destroy(): void;
}

/** What a subscriber wants to hear. */
export interface Wish {
  readonly ruleId?: string;
  readonly platform?: Platform;
}

export interface Subscriber {
  readonly keyId: string;
  readonly wish: Wish;
  /** Subscribers with equal wants are written equal bytes. */
  readonly wants: string;
  isWanted(frame: Pick<Frame, 'ruleId' | 'platform'>): boolean;
  /** Frames from a number on, which it is written if it is in step. */
  take(from: number, count: number, bytes: Buffer): void;
  /** The ring has moved on: goes on reading if it can. */
  settle(): void;
  drained(): void;
  closed(): void;
  end(reason: EndReason): void;
  beat(frame: Uint8Array): void;
  /** How far it has come, when it has heard all there is. */
  readonly isInStep: boolean;
  readonly position: number;
  readonly queued: number;
  /** Since when it has not read. */
  readonly blockedSince: number | undefined;
  readonly wroteAt: number;
}

interface SubscriberParts {
  readonly keyId: string;
  readonly wish: Wish;
  readonly after: number;
  readonly outlet: Outlet;
  readonly clock: Clock;
  readonly channel: Channel;
  /** The id of where it begins. */
  readonly opening: string;
  /** All who catch up read in turn, so that only one page is in memory at a time. */
  readonly inTurn: Queue;
  read(query: Wish & { after: number; limit: number }): Promise<{ matches: Match[]; last: number }>;
  frameOf(match: Match): Buffer;
  onTrouble(error: unknown): void;
}

/** Matches read, and frames written, at a time while it catches up. */
const PAGE = 32;
/** Who was told why has so long to read it. */
const LINGER_MS = 5_000;

export function createSubscriber(parts: SubscriberParts): Subscriber {
  const { keyId, wish, outlet, clock, channel, inTurn, read, frameOf, onTrouble } = parts;
  const now = () => clock.now().getTime();
  const wants = `${wish.ruleId ?? ''} ${wish.platform ?? ''}`;
  let position = parts.after;
  /** The number of the next frame; undefined while it catches up from the store. */
  let next: number | undefined;
  let isReading = false;
  let isClosed = false;
  let blockedSince: number | undefined;
  let wroteAt = now();
  const lingering = new AbortController();

  function write(bytes: Uint8Array): void {
    wroteAt = now();
    if (!outlet.write(bytes)) blockedSince ??= wroteAt;
  }

  const isWanted = ({ ruleId, platform }: Pick<Frame, 'ruleId' | 'platform'>): boolean =>
    (wish.platform === undefined || wish.platform === platform) &&
    (wish.ruleId === undefined || ruleId === undefined || wish.ruleId === ruleId);

  /** The store may be ahead of the ring: what was read from the one comes again in the other. */
  const wasHeard = (frame: Frame): boolean => frame.ruleId !== undefined && frame.position <= position;

  /** Frame by frame, as long as they are in the ring and the connection takes them. */
  function flush(): void {
    const { ring } = channel;
    while (next !== undefined && ring !== undefined && next < ring.next && blockedSince === undefined && !isClosed) {
      const frame = ring.at(next);
      if (frame === undefined) {
        next = undefined;
        void catchUp();
        return;
      }
      next++;
      const isHeard = wasHeard(frame);
      position = Math.max(position, frame.position);
      if (!isHeard && isWanted(frame)) write(frame.bytes);
    }
  }

  /** True once there is nothing between it and the ring. */
  function join(): boolean {
    const { ring } = channel;
    if (ring === undefined || position < ring.start) return false;
    next = ring.numberAfter(position);
    flush();
    return true;
  }

  async function catchUp(): Promise<void> {
    if (isReading) return;
    isReading = true;
    try {
      while (!isClosed && blockedSince === undefined && channel.ring !== undefined && !join()) {
        await inTurn(step);
      }
    } catch (error) {
      onTrouble(error);
    } finally {
      isReading = false;
    }
  }

  /** What others have read already, or else a page of the store, which others then find. */
  async function step(): Promise<void> {
    if (isClosed || writeCached() > 0) return;
    const { epoch } = channel;
    const page = await read({ ...wish, after: position, limit: PAGE });
    // What was deleted while it was read must not be shown.
    if (channel.epoch !== epoch) return;
    let after = position;
    for (const match of page.matches) {
      const frame = { position: match.position, bytes: frameOf(match) };
      channel.cache.put(wants, after, frame);
      after = frame.position;
      if (takesMore()) hear(frame);
    }
    if (position === after) position = page.last;
  }

  const takesMore = (): boolean => !isClosed && blockedSince === undefined;

  function hear(frame: NextFrame): void {
    position = frame.position;
    write(frame.bytes);
  }

  /** Answers how many frames it wrote. */
  function writeCached(): number {
    for (let written = 0; written < PAGE; written++) {
      const frame = takesMore() ? channel.cache.next(wants, position) : undefined;
      if (frame === undefined) return written;
      hear(frame);
    }
    return PAGE;
  }

  function goOn(): void {
    if (isClosed || blockedSince !== undefined) return;
    if (next === undefined) void catchUp();
    else flush();
  }

  write(openingFrame(parts.opening));
  return {
    keyId,
    wish,
    wants,
    isWanted,
    take(from, count, bytes) {
      if (isClosed || blockedSince !== undefined) return;
      const [first, last] = [channel.ring?.at(from), channel.ring?.at(from + count - 1)];
      if (next !== from || first === undefined || last === undefined || wasHeard(first)) return goOn();
      next = from + count;
      position = last.position;
      if (bytes.length > 0) write(bytes);
    },
    settle: goOn,
    drained() {
      blockedSince = undefined;
      goOn();
    },
    closed() {
      isClosed = true;
      lingering.abort();
    },
    end(reason) {
      if (isClosed) return;
      isClosed = true;
      outlet.end(endFrame(reason));
      void clock.sleep(LINGER_MS, lingering.signal).then(() => outlet.destroy());
    },
    beat(frame) {
      if (!isClosed && blockedSince === undefined) write(frame);
    },
    get isInStep() {
      return next !== undefined && next === channel.ring?.next;
    },
    get position() {
      return position;
    },
    get queued() {
      return outlet.queued;
    },
    get blockedSince() {
      return blockedSince;
    },
    get wroteAt() {
      return wroteAt;
    },
  };
}
