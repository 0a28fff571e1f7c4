/**
 * Small packs gather at one matcher, because a commit of many costs hardly more than a commit of few: with the same packs spread
 * over three matchers a push would cost half as much again. Each matcher says whether it has room. A matcher takes no packs while
 * one that was there before it has room, and takes them as soon as that one has none, is strained, leaves or falls silent.
 *
 *     the first, with room ──▶ it alone takes packs
 *     the first, without   ──▶ it and the second take packs, and so on until all do
 *
 * A message may be lost: then two matchers take packs where one would do, or the next one begins a second later.
 */
import { randomUUID } from 'node:crypto';
import type { Msg, MsgCallback, NatsConnection } from '@nats-io/transport-node';
import type { Clock } from '../base/clock.ts';

const SUBJECT = 'sluice.matchers';
/** How often a matcher says whether it has room. */
const SAY_MS = 250;
/** A matcher that has said nothing for so long has no room. */
const SILENT_MS = 1_000;
/** After it had no room, a matcher has none for so long: otherwise the others would come and go. */
const WITHOUT_ROOM_MS = 10_000;

export interface Gathering extends Disposable {
  /** Resolves when this matcher is to take packs, or the signal aborts. */
  turn(signal: AbortSignal): Promise<void>;
  /** This matcher has as much as one should have, or cannot store. The others hear it at once. */
  full(): void;
}

interface GatheringDeps {
  readonly connection: NatsConnection;
  readonly clock: Clock;
}

interface Heard {
  readonly at: number;
  readonly hasRoom: boolean;
}

/** `isStrained` answers whether this matcher is too slow to be the only one. */
export function createGathering({ connection, clock }: GatheringDeps, isStrained: () => boolean): Gathering {
  // It sorts by when this matcher came.
  const own = `${clock.now().toISOString()}-${randomUUID()}`;
  const begun = clock.elapsed();
  const others = hearOlder({ connection, clock }, own);
  const leaving = new AbortController();
  let fullUntil = -Infinity;

  const say = (words: string): void => {
    if (!connection.isClosed()) connection.publish(SUBJECT, `${own} ${words}`);
  };
  const hasRoom = (): boolean => clock.elapsed() >= fullUntil;
  function full(): void {
    const wasFull = !hasRoom();
    fullUntil = clock.elapsed() + WITHOUT_ROOM_MS;
    if (!wasFull) say('full');
  }
  async function sayAgain(): Promise<void> {
    while (!leaving.signal.aborted) {
      if (isStrained()) full();
      say(hasRoom() ? 'room' : 'full');
      await clock.sleep(SAY_MS, leaving.signal);
    }
  }
  void sayAgain();
  return {
    async turn(signal) {
      // Whoever has just come has heard nobody yet.
      if (clock.elapsed() - begun >= SILENT_MS) await others.haveNoRoom(signal);
    },
    full,
    [Symbol.dispose]() {
      leaving.abort('leaving');
      say('leaving');
      others[Symbol.dispose]();
    },
  };
}

/** Hears the matchers that came before this one. */
function hearOlder({ connection, clock }: GatheringDeps, own: string) {
  const heard = new Map<string, Heard>();
  let changed = new AbortController();
  const callback: MsgCallback<Msg> = (error, message) => {
    const [id, room] = error === null ? message.string().split(' ') : [];
    if (id === undefined || id >= own) return;
    heard.set(id, { at: clock.elapsed(), hasRoom: room === 'room' });
    if (room !== 'room') changed.abort('changed');
  };
  const hearing = connection.subscribe(SUBJECT, { callback });
  /** Milliseconds for which one of them has room, as far as is known. */
  function roomLasts(): number {
    let longest = 0;
    for (const [id, { at, hasRoom }] of heard) {
      const left = at + SILENT_MS - clock.elapsed();
      if (left <= 0) heard.delete(id);
      else if (hasRoom) longest = Math.max(longest, left);
    }
    return longest;
  }
  return {
    /** Resolves when none of them has room, or the signal aborts. */
    async haveNoRoom(signal: AbortSignal): Promise<void> {
      const stop = () => changed.abort('stopped');
      signal.addEventListener('abort', stop, { once: true });
      for (let left = roomLasts(); left > 0 && !signal.aborted; left = roomLasts()) {
        changed = new AbortController();
        await clock.sleep(left, changed.signal);
      }
      signal.removeEventListener('abort', stop);
    },
    [Symbol.dispose]: () => hearing.unsubscribe(),
  };
}
