/**
 * One stream, under one lease, from the committed cursor to its end: items are pulled in order, judged, and stored as many
 * at a time as are there already.
 */
import { setImmediate } from 'node:timers/promises';
import { createPauses } from '../../base/cooperate.ts';
import type { Gap } from '../../domain/gap.ts';
import type { Arrival, StreamItem, StreamState } from '../../platforms/platform.ts';
import type { HeldLease } from '../lease.ts';
import { createBatch } from './batch.ts';
import type { OpenGaps } from './gaps.ts';
import { createLine, type HeldArrival, HOLD_MS, type Reached } from './ordered-cursor.ts';
import type { UpstreamDeps, UpstreamStatus } from './upstream.ts';
import { createVerdicts } from './verdicts.ts';

/** Everything else has its turn after so many items. */
const ITEMS_AT_ONCE = 16;
/** How often held arrivals are looked at again. */
const LOOK_AGAIN_MS = 1_000;

export interface Reading extends UpstreamDeps {
  readonly held: HeldLease;
  readonly gaps: OpenGaps;
  readonly committed: string | undefined;
  readonly change: (changed: Partial<UpstreamStatus>) => void;
  /** Ends the stream. */
  readonly signal: AbortSignal;
  readonly end: () => void;
  /** Ends trying to store, too. */
  readonly stopping: AbortSignal;
}

type Pulled = IteratorResult<StreamItem>;

export async function readStream(reading: Reading): Promise<void> {
  const { platform, registrations, clock, log, metrics, gaps, change, signal } = reading;
  const { name } = platform;
  const verdicts = createVerdicts({ ...reading, platform: name });
  const batch = createBatch({ ...reading, name, signal: reading.stopping });
  const line = createLine();
  const pause = createPauses(ITEMS_AT_ONCE);
  let { committed } = reading;
  let lookedAt = clock.elapsed();

  const rulesHeld = () => registrations.rulesHeld(name);
  const items = platform.stream({ signal, committed: () => committed, rulesHeld })[Symbol.asyncIterator]();
  try {
    let next = pull();
    for (;;) {
      let result = await soon(next);
      while (result !== NOT_YET && !result.done) {
        await take(result.value);
        next = pull();
        if (batch.isFull) break;
        result = await ready(next);
      }
      await lookAgain();
      await flush();
      if (result !== NOT_YET && result.done) break;
    }
  } finally {
    // A stream that waits for its next item hears of the end by the signal alone.
    reading.end();
    await items.return?.();
  }

  function pull(): Promise<Pulled> {
    const next = items.next();
    // It may fail while something else is waited for; whoever waits for it next hears of it.
    next.catch(() => {});
    return next;
  }

  /** The next item, or nothing when it is time to look again at what is held. */
  async function soon(next: Promise<Pulled>): Promise<Pulled | typeof NOT_YET> {
    if (line.held.length === 0) return next;
    const looking = new AbortController();
    const both = AbortSignal.any([signal, looking.signal]);
    const tick = clock.sleep(LOOK_AGAIN_MS, both).then((): typeof NOT_YET => NOT_YET);
    try {
      return await Promise.race([next, tick]);
    } finally {
      looking.abort();
    }
  }

  async function take(item: StreamItem): Promise<void> {
    batch.begin();
    await pause(1);
    switch (item.kind) {
      case 'arrival':
        return takeArrival(item);
      case 'mark':
        return pass(item);
      case 'state':
        return takeState(item.state, item.reason);
      case 'gap':
        return takeGap({ platform: name, ...item.gap });
      case 'broken':
        batch.broken(item.reason, item.sample);
        return pass(item);
    }
  }

  async function takeArrival(arrival: Arrival): Promise<void> {
    change({ lastEventAt: arrival.at });
    const judged = verdicts.judge(arrival, arrival.verdicts);
    if ('rejected' in judged) {
      metrics.stream(name, 'broken');
      batch.broken(judged.rejected, JSON.stringify(arrival.payload));
      return pass(arrival);
    }
    if (judged.isLate) metrics.stream(name, 'late');
    await batch.add(judged.events);
    if (judged.unknown.length === 0) return pass(arrival);
    line.pass(reachedBy(arrival), { arrival, unknown: judged.unknown, until: clock.elapsed() + HOLD_MS });
  }

  function pass(item: Passed): void {
    const reached = reachedBy(item);
    batch.gaps(gaps.whole(reached.at));
    line.pass(reached);
  }

  function takeState(state: StreamState, reason: string | undefined): void {
    change({ state, reason });
    log.info({ platform: name, state, reason }, 'the stream of an upstream');
    if (state !== 'live') return;
    gaps.live(clock.now());
    registrations
      .reconcile(name)
      .catch((error: unknown) => log.warn({ platform: name, err: error }, 'registrations could not be compared'));
  }

  function takeGap(gap: Gap): void {
    const { gaps: changed, isNew } = gaps.take(gap);
    if (isNew) metrics.gap(name);
    log.warn({ ...gap }, gap.to === undefined ? 'a gap has begun' : 'a gap has ended');
    batch.gaps(changed);
  }

  /** What is held is resolved by now, or has waited long enough, or must make room. */
  async function lookAgain(): Promise<void> {
    const { excess } = line;
    if (excess === 0 && (line.held.length === 0 || clock.elapsed() - lookedAt < LOOK_AGAIN_MS)) return;
    lookedAt = clock.elapsed();
    const done = new Set<HeldArrival>();
    for (const [index, waiting] of line.held.entries()) {
      const mustGo = index < excess || clock.elapsed() >= waiting.until;
      const isKnown = await resolveHeld(waiting);
      if (!isKnown && mustGo) metrics.stream(name, 'orphan');
      if (isKnown || mustGo) done.add(waiting);
    }
    if (done.size > 0) line.settle(done);
  }

  /** Whether nothing of it is unknown any more. */
  async function resolveHeld(waiting: HeldArrival): Promise<boolean> {
    if (waiting.unknown.every((id) => registrations.resolve(name, id) === undefined)) return false;
    const judged = verdicts.judge(waiting.arrival, waiting.unknown);
    // It was read when it came.
    if ('rejected' in judged) return true;
    if (judged.isLate) metrics.stream(name, 'late');
    await batch.add(judged.events);
    await pause(1);
    waiting.unknown = judged.unknown;
    return judged.unknown.length === 0;
  }

  async function flush(): Promise<void> {
    const reached = line.reached();
    await batch.flush(reached);
    if (reached === undefined) return;
    committed = reached.cursor;
    change({ completeThrough: reached.at });
  }
}

type Passed = Pick<Arrival, 'cursor' | 'through'>;

const reachedBy = ({ cursor, through }: Passed): Reached => ({ cursor, at: through });

const NOT_YET = Symbol('not yet');

/** What is there already; anything that takes longer waits for the next transaction. */
const ready = <T>(next: Promise<T>): Promise<T | typeof NOT_YET> => Promise.race([next, setImmediate(NOT_YET)]);
