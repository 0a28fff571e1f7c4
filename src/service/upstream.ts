/**
 * The loop of one upstream: items are pulled in order, judged, and stored together with the cursor that covers them, as
 * many at a time as are there already. It keeps what it has pulled until that is durable: where an upstream replays
 * nothing, a store that fails for a while loses nothing either. Reconnecting is the connector's own business.
 */
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import type { Live } from '../delivery/live.ts';
import type { Gap } from '../domain/gap.ts';
import type { Arrival, LivePlatform, StreamItem, StreamState } from '../platforms/platform.ts';
import { StoreError } from '../store/error.ts';
import type { Broken, Commit, CommitEvent, Store } from '../store/store.ts';
import type { Log, Metrics } from './context.ts';
import type { Ingest } from './ingest.ts';
import type { Matching } from './matching.ts';
import type { Registrations } from './registrations.ts';
import { createOpenGaps, type OpenGaps } from './upstream-gaps.ts';
import { awaitLease, type HeldLease, type Holder } from './upstream-lease.ts';
import { createLine, type HeldArrival, HOLD_MS, type Line, type Reached } from './upstream-line.ts';
import { createVerdicts } from './upstream-verdicts.ts';
import { createPauses } from './yielding.ts';

/** What a transaction may hold: it stays short. */
const MOST_ROWS = 1_000;
const MOST_ITEMS = 200;
/** Everything else has its turn after so many. */
const ITEMS_AT_ONCE = 16;
/** How often held arrivals are looked at again. */
const LOOK_AGAIN_MS = 1_000;
/** Milliseconds before a commit is tried again; the last is repeated. */
const RETRY_AFTER: readonly number[] = [100, 250, 500, 1_000];
/** After a defect of a connector. */
const START_AGAIN_MS = 5_000;
/** What is kept of a record that cannot be read. */
const SAMPLE = 4 * 1024;
const GAPS_LOOKED_AT = 1_000;

export interface UpstreamStatus {
  readonly state: StreamState;
  readonly reason: string | undefined;
  /** When the last event reached us. */
  readonly lastEventAt: Date | undefined;
  /** Up to when the stream was whole, and that is durable. */
  readonly completeThrough: Date | undefined;
}

export interface Upstream {
  readonly status: UpstreamStatus;
  /** Runs until the signal aborts, and stores what it has. */
  run(signal: AbortSignal): Promise<void>;
}

export interface UpstreamDeps {
  readonly platform: LivePlatform;
  readonly store: Pick<Store, 'cursor' | 'coverage' | 'gaps' | 'takeLease' | 'releaseLease'>;
  readonly ingest: Pick<Ingest, 'commit'>;
  readonly matching: Pick<Matching, 'loaded' | 'match' | 'holders' | 'queryOf'>;
  readonly registrations: Pick<Registrations, 'resolve' | 'rulesHeld' | 'reconcile' | 'standsAlone'>;
  readonly live: Pick<Live, 'announce'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly holder: Holder;
}

/** What the next transaction will hold. */
interface Draft {
  events: CommitEvent[];
  gaps: Gap[];
  broken: Broken[];
  items: number;
  rows: number;
}

const emptyDraft = (): Draft => ({ events: [], gaps: [], broken: [], items: 0, rows: 0 });

export function createUpstream(deps: UpstreamDeps): Upstream {
  const { platform, store, matching, clock, log } = deps;
  const { name } = platform;
  let status: UpstreamStatus = {
    state: 'connecting',
    reason: undefined,
    lastEventAt: undefined,
    completeThrough: undefined,
  };
  const change = (changed: Partial<UpstreamStatus>): void => {
    status = { ...status, ...changed };
  };

  async function run(signal: AbortSignal): Promise<void> {
    await Promise.race([matching.loaded, aborted(signal)]);
    while (!signal.aborted) {
      const onHeld = () => change({ state: 'connecting', reason: 'another process reads the stream' });
      const held = await awaitLease(deps, name, { onHeld, signal });
      if (held === undefined) return;
      try {
        await follow(held, signal);
      } catch (error) {
        if (isFenced(error)) log.warn({ platform: name }, 'another process reads the stream by now; this one stops');
        else await complain(error, signal);
      } finally {
        await held.release().catch(() => {});
      }
    }
  }

  async function complain(error: unknown, signal: AbortSignal): Promise<void> {
    log.error({ platform: name, err: error }, 'the stream of an upstream failed; it is started again');
    change({ state: 'degraded', reason: 'the stream failed here; the log says more' });
    await clock.sleep(START_AGAIN_MS, signal);
  }

  async function follow(held: HeldLease, signal: AbortSignal): Promise<void> {
    const ending = new AbortController();
    const both = AbortSignal.any([signal, ending.signal]);
    const keeping = held.keep(both).then(() => ending.abort());
    try {
      change({ completeThrough: await store.coverage(name) });
      const gaps = createOpenGaps(await store.gaps({ platform: name, limit: GAPS_LOOKED_AT }));
      const committed = await store.cursor(name);
      const end = () => ending.abort();
      await readStream({ ...deps, held, gaps, committed, change, signal: both, end, stopping: signal });
    } finally {
      ending.abort();
      await keeping;
    }
  }

  return {
    get status() {
      return status;
    },
    run,
  };
}

interface Reading extends UpstreamDeps {
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

/** One stream, under one lease, from the committed cursor to its end. */
async function readStream(reading: Reading): Promise<void> {
  const { platform, registrations, ingest, live, clock, log, metrics, held, gaps, change, signal } = reading;
  const { name } = platform;
  const verdicts = createVerdicts({ ...reading, platform: name });
  const line: Line = createLine();
  let { committed } = reading;
  let draft = emptyDraft();
  let lookedAt = clock.elapsed();
  const pause = createPauses(ITEMS_AT_ONCE);

  const rulesHeld = () => registrations.rulesHeld(name);
  const items = platform.stream({ signal, committed: () => committed, rulesHeld })[Symbol.asyncIterator]();
  try {
    let next = pull();
    for (;;) {
      let result = await soon(next);
      while (result !== NOT_YET && !result.done) {
        await take(result.value);
        next = pull();
        if (draft.items >= MOST_ITEMS || draft.rows >= MOST_ROWS) break;
        result = await ready(next);
      }
      lookAgain();
      await flush();
      if (result !== NOT_YET && result.done) break;
    }
  } finally {
    // A stream that waits for its next item hears of the end by the signal alone.
    reading.end();
    await items.return?.();
  }

  function pull(): Promise<IteratorResult<StreamItem>> {
    const next = items.next();
    // It may fail while something else is waited for; whoever waits for it next hears of it.
    next.catch(() => {});
    return next;
  }

  /** The next item, or nothing when it is time to look again at what is held. */
  async function soon(next: Promise<IteratorResult<StreamItem>>): Promise<IteratorResult<StreamItem> | typeof NOT_YET> {
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
    draft.items++;
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
        metrics.rejected(name);
        draft.broken.push({ reason: item.reason, sample: item.sample.slice(0, SAMPLE) });
        return pass({ cursor: item.cursor, at: clock.now() });
    }
  }

  async function takeArrival(arrival: Arrival): Promise<void> {
    change({ lastEventAt: arrival.at });
    const judged = verdicts.judge(arrival, arrival.verdicts);
    if ('rejected' in judged) {
      metrics.rejected(name);
      metrics.stream(name, 'broken');
      draft.broken.push({ reason: judged.rejected, sample: JSON.stringify(arrival.payload).slice(0, SAMPLE) });
      return pass(arrival);
    }
    if (judged.isLate) metrics.stream(name, 'late');
    await add(judged.events);
    if (judged.unknown.length === 0) return pass(arrival);
    line.pass(arrival, { arrival, unknown: judged.unknown, until: clock.elapsed() + HOLD_MS });
  }

  /** A part of an event that does not fit any more is stored in a transaction of its own; the cursor comes after the last. */
  async function add(events: readonly CommitEvent[]): Promise<void> {
    for (const event of events) {
      draft.events.push(event);
      draft.rows += 1 + event.matches.length;
      if (events.length > 1 && draft.rows >= MOST_ROWS) await flush();
    }
  }

  function pass(reached: Reached): void {
    draft.gaps.push(...gaps.whole(reached.at));
    line.pass({ cursor: reached.cursor, at: reached.at });
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
    draft.gaps.push(...changed);
  }

  /** What is held is resolved by now, or has waited long enough, or must make room. */
  function lookAgain(): void {
    const { excess } = line;
    if (excess === 0 && (line.held.length === 0 || clock.elapsed() - lookedAt < LOOK_AGAIN_MS)) return;
    lookedAt = clock.elapsed();
    const done = new Set<HeldArrival>();
    for (const [index, waiting] of line.held.entries()) {
      const mustGo = index < excess || clock.elapsed() >= waiting.until;
      if (resolveHeld(waiting)) {
        done.add(waiting);
      } else if (mustGo) {
        metrics.stream(name, 'orphan');
        done.add(waiting);
      }
    }
    if (done.size > 0) line.settle(done);
  }

  /** Whether nothing of it is unknown any more. */
  function resolveHeld(waiting: HeldArrival): boolean {
    if (waiting.unknown.every((id) => registrations.resolve(name, id) === undefined)) return false;
    const judged = verdicts.judge(waiting.arrival, waiting.unknown);
    // It was read when it came.
    if ('rejected' in judged) return true;
    if (judged.isLate) metrics.stream(name, 'late');
    draft.events.push(...judged.events);
    waiting.unknown = judged.unknown;
    return judged.unknown.length === 0;
  }

  async function flush(): Promise<void> {
    const reached = line.reached();
    const { events, gaps: changed, broken } = draft;
    draft = emptyDraft();
    if (reached === undefined && events.length + changed.length + broken.length === 0) return;
    const { repeats } = await persist({
      platform: name,
      at: clock.now(),
      events,
      ...(reached && { cursor: { name, value: reached.cursor } }),
      upstream: {
        lease: held.lease,
        gaps: changed,
        broken,
        ...(reached && { completeThrough: reached.at }),
      },
    });
    for (let repeat = 0; repeat < repeats; repeat++) metrics.stream(name, 'dup');
    for (const gap of changed) live.announce(gap);
    if (reached === undefined) return;
    committed = reached.cursor;
    change({ completeThrough: reached.at });
  }

  /** Until it is durable, or somebody else has the lease, or we stop. */
  async function persist(commit: Commit): ReturnType<Ingest['commit']> {
    for (let tries = 0; ; tries++) {
      try {
        await held.confirm();
        return await ingest.commit(commit);
      } catch (error) {
        if (isFenced(error) || reading.stopping.aborted) throw error;
        await clock.sleep(RETRY_AFTER[Math.min(tries, RETRY_AFTER.length - 1)]!, reading.stopping);
      }
    }
  }
}

const NOT_YET = Symbol('not yet');

/** What is there already; anything that takes longer waits for the next transaction. */
const ready = <T>(next: Promise<T>): Promise<T | typeof NOT_YET> => Promise.race([next, setImmediate(NOT_YET)]);

const isFenced = (error: unknown): boolean => error instanceof StoreError && error.reason === 'fenced';

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
