/**
 * The upstream of X, outside of all processes: it holds registrations, and keeps every post that satisfied one when it
 * was published. A stream yields them from the cursor on; calls and connections fail as the faults say.
 */
import { aborted } from '../../src/base/wake-up.ts';
import {
  type Arrival,
  type HeldRule,
  type LivePlatform,
  PlatformError,
  type StreamControl,
  type StreamItem,
} from '../../src/platforms/platform.ts';
import type { Faults } from './faults.ts';
import { AWAKE_MS, type Life, type Scheduler } from './scheduler.ts';
import { suffer } from './store-link.ts';

export interface SimulatedUpstream {
  platformFor(life: Life): LivePlatform;
  /** Publishes a post. True when a registration wanted it. */
  publish(postId: string, text: string): boolean;
  /** Posts in the order of their cursors, which count from 0. */
  readonly log: readonly Pick<Arrival, 'postId'>[];
}

interface Upstream {
  readonly scheduler: Scheduler;
  readonly faults: () => Faults;
  readonly held: Map<string, HeldRule>;
  readonly log: Arrival[];
  readonly readers: Set<() => void>;
  lastId: number;
}

export function createUpstream(scheduler: Scheduler, faults: () => Faults): SimulatedUpstream {
  const upstream: Upstream = { scheduler, faults, held: new Map(), log: [], readers: new Set(), lastId: 0 };
  return {
    log: upstream.log,
    platformFor: (life) => platformFor(upstream, life),
    publish(postId, text) {
      const verdicts = [...upstream.held.values()].filter(({ value }) => isMatch(value, text)).map(({ id }) => id);
      if (verdicts.length === 0) return false;
      const at = new Date(scheduler.now);
      const cursor = String(upstream.log.length);
      upstream.log.push({
        kind: 'arrival',
        postId,
        payload: { data: { id: postId, text } },
        cursor,
        verdicts,
        at,
        through: at,
      });
      scheduler.stir(AWAKE_MS);
      for (const wake of upstream.readers) wake();
      return true;
    },
  };
}

/** Values are words, or packs of words with OR. */
const isMatch = (value: string, text: string): boolean => {
  const words = new Set(text.split(' '));
  return (value.match(/word\d+/g) ?? []).some((word) => words.has(word));
};

function platformFor(upstream: Upstream, life: Life): LivePlatform {
  const { scheduler, faults, held } = upstream;
  const ask = <T>(work: () => T): Promise<T> => {
    const fate = faults().fateOf(life) ?? { before: 1, after: 1, failure: undefined };
    return suffer(
      scheduler,
      life,
      fate,
      async () => work(),
      () => new PlatformError('unreachable', 'The upstream is not there.'),
    );
  };
  return {
    name: 'x',
    shape: 'upstream',
    validate: async () => {},
    register: (wanted) =>
      ask(() =>
        wanted.map(({ value, flags, tag }) => {
          const same = [...held.values()].find((one) => one.value === value);
          const one = same ?? { id: `upstream-${++upstream.lastId}`, value, flags, tag };
          held.set(one.id, one);
          return { id: one.id, adopted: same !== undefined };
        }),
      ),
    unregister: (ids) =>
      ask(() => {
        for (const id of ids) held.delete(id);
      }),
    held: () => ask(() => [...held.values()]),
    capacity: () => ask(() => ({ rules: undefined, used: held.size, length: 1_024 })),
    stream: (control) => stream(upstream, life, control),
  };
}

async function* stream(upstream: Upstream, life: Life, control: StreamControl): AsyncIterable<StreamItem> {
  const { scheduler, faults, log } = upstream;
  const { signal } = control;
  const clock = scheduler.clockOf(life);
  await Promise.race([control.rulesHeld(), aborted(signal)]);
  while (!signal.aborted) {
    yield { kind: 'state', state: 'live' };
    let next = Number(control.committed() ?? -1) + 1;
    while (!signal.aborted && !faults().happens(0.02)) {
      if (next < log.length) yield { ...log[next++]!, at: clock.now() };
      else await news(upstream, life, signal);
    }
    yield { kind: 'state', state: 'connecting' };
    await clock.sleep(1_000, signal);
  }
}

/** Resolves when there is a new post, a while after it was published. */
function news({ readers, scheduler }: Upstream, life: Life, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const leave = () => {
      readers.delete(wake);
      signal.removeEventListener('abort', leave);
      resolve();
    };
    const wake = () => {
      readers.delete(wake);
      void scheduler.pause(Math.floor(scheduler.random() * 200), life).then(leave);
    };
    readers.add(wake);
    signal.addEventListener('abort', leave);
  });
}
