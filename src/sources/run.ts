/**
 * Keeps one source going: opens it, stores what it yields together with its cursor, and opens it again when it breaks,
 * sooner or later depending on how often that happens. What was stored a moment ago and comes again is passed over.
 */
import type { Clock } from '../base/clock.ts';
import { batches } from './batches.ts';
import type { Reader } from './fetch/document-reader.ts';
import type { Http } from './fetch/fetch-url.ts';
import type { Page } from './page.ts';
import { type Arrival, type Source, SourceError } from './source.ts';

/** Where pages go. A cursor becomes durable with the pages that it covers, or after them. */
export interface Sink {
  cursor(name: string): Promise<string | undefined>;
  add(pages: readonly Page[], cursor: { name: string; value: string } | undefined): Promise<void>;
}

export interface RunOptions {
  readonly clock: Clock;
  readonly http: Http;
  readonly reader: Reader;
  readonly signal: AbortSignal;
  readonly onTrouble?: (message: string) => void;
  /** Milliseconds before the second opening, the third and so on; the last is repeated. */
  readonly pauses?: readonly number[];
  /** From 0 to 1: many that broke together must not come back together. */
  readonly random?: () => number;
}

/** Waiting: it broke, and is opened again in a while. */
export const SOURCE_STATES = ['starting', 'live', 'waiting', 'ended'] as const;
export type SourceState = (typeof SOURCE_STATES)[number];

export interface SourceStatus {
  readonly name: string;
  readonly kind: string;
  readonly state: SourceState;
  /** Seconds between a page's own time and its arrival, of the last page that has one. */
  readonly lag: number | undefined;
  readonly events: number;
  readonly eventsPerMinute: number;
  readonly lastEventAt: Date | undefined;
  readonly lastError: { readonly at: Date; readonly message: string } | undefined;
}

export interface RunningSource {
  readonly status: SourceStatus;
  /** Resolves when the source has ended, or the signal has aborted. */
  readonly done: Promise<void>;
}

const PAUSES: readonly number[] = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000];
/** A connection that held this long was a good one. */
const GOOD_MS = 60_000;
const MINUTE = 60_000;
/** Enough for all that a stream repeats when it is opened again. */
const REMEMBERED = 20_000;

export function runSource(source: Source, sink: Sink, options: RunOptions): RunningSource {
  const { clock, http, reader, signal, pauses = PAUSES, random = Math.random } = options;
  const stored = createMemory(REMEMBERED);
  const recent: { at: number; events: number }[] = [];
  const shown = {
    state: 'starting' as SourceState,
    lag: undefined as number | undefined,
    events: 0,
    lastEventAt: undefined as Date | undefined,
    lastError: undefined as SourceStatus['lastError'],
  };
  let failures = 0;

  const cursorName = (key: string | undefined) =>
    key === undefined ? `source:${source.name}` : `source:${source.name} ${key}`;

  function trouble(message: string): void {
    shown.lastError = { at: clock.now(), message };
    if (shown.state === 'starting') shown.state = 'waiting';
    options.onTrouble?.(message);
  }

  const desk = {
    clock,
    http,
    reader,
    cursor: (key?: string) => sink.cursor(cursorName(key)),
    live: () => {
      shown.state = 'live';
    },
    trouble,
  };

  async function store(batch: readonly Arrival[]): Promise<void> {
    for (const [key, arrivals] of byKey(batch)) {
      const pages = new Map<string, Page>();
      for (const page of arrivals.flatMap((arrival) => arrival.pages)) {
        if (!stored.has(page.id)) pages.set(page.id, page);
      }
      const value = arrivals.findLast(({ cursor }) => cursor !== undefined)?.cursor?.value;
      if (pages.size === 0 && value === undefined) continue;
      await sink.add([...pages.values()], value === undefined ? undefined : { name: cursorName(key), value });
      for (const id of pages.keys()) stored.add(id);
      count([...pages.values()]);
    }
  }

  function count(pages: readonly Page[]): void {
    shown.state = 'live';
    if (pages.length === 0) return;
    failures = 0;
    const now = clock.now();
    shown.events += pages.length;
    shown.lastEventAt = now;
    recent.push({ at: clock.elapsed(), events: pages.length });
    const time = pages.findLast((page) => page['publish_time'] !== undefined)?.['publish_time'];
    if (typeof time === 'string') shown.lag = Math.max(0, (now.getTime() - Date.parse(`${time}Z`)) / 1_000);
  }

  /** A source may be waiting for its next event when the store fails: it is told to stop before it is left. */
  async function readOnce(): Promise<void> {
    const opening = new AbortController();
    const reading = source.read({ ...desk, signal: AbortSignal.any([signal, opening.signal]) });
    for await (const batch of batches(reading)) {
      await store(batch).catch((error: unknown) => {
        opening.abort();
        throw error;
      });
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const openedAt = clock.elapsed();
      try {
        await readOnce();
        if (!signal.aborted) shown.state = 'ended';
        return;
      } catch (error) {
        if (signal.aborted) return;
        shown.state = 'waiting';
        trouble(error instanceof Error ? error.message : String(error));
        if (clock.elapsed() - openedAt > GOOD_MS) failures = 0;
        const pause = pauses[Math.min(failures++, pauses.length - 1)]! * (0.8 + 0.4 * random());
        const asked = error instanceof SourceError ? (error.retryAfter ?? 0) * 1_000 : 0;
        await clock.sleep(Math.max(pause, asked), signal);
      }
    }
  }

  return {
    done: run(),
    get status() {
      const since = clock.elapsed() - MINUTE;
      while (recent[0] !== undefined && recent[0].at <= since) recent.shift();
      const eventsPerMinute = recent.reduce((sum, { events }) => sum + events, 0);
      return { name: source.name, kind: source.kind, ...shown, eventsPerMinute };
    },
  };
}

function byKey(batch: readonly Arrival[]): Map<string | undefined, Arrival[]> {
  const groups = new Map<string | undefined, Arrival[]>();
  for (const arrival of batch) {
    const key = arrival.cursor?.key;
    groups.set(key, [...(groups.get(key) ?? []), arrival]);
  }
  return groups;
}

/** The last so many ids. */
function createMemory(limit: number): { has(id: string): boolean; add(id: string): void } {
  const ids = new Set<string>();
  return {
    has: (id) => ids.has(id),
    add(id) {
      ids.add(id);
      if (ids.size > limit) ids.delete(ids.values().next().value!);
    },
  };
}
