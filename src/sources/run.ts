/**
 * Keeps one source going: opens it, stores what it yields together with its cursor, and opens it again when it breaks,
 * after a pause that grows with each failure. A page that was stored a moment ago and comes again is not stored again.
 */
import type { Clock } from '../base/clock.ts';
import { createLru } from '../base/lru.ts';
import { withShownSources } from '../base/parse-url.ts';
import type { Platform } from '../domain/platform.ts';
import { batches } from './batches.ts';
import type { Page } from './contract/page.ts';
import type { Post } from './contract/post.ts';
import {
  LEAD_MS,
  type Source,
  type SourceArrival,
  type SourceContext,
  type SourceGap,
  type Unread,
  withinLimits,
} from './contract/source.ts';
import type { Browser } from './fetch/browser.ts';
import type { SourceHttp } from './fetch/fetch-url.ts';
import type { RoundPart } from './fetch/rounds.ts';
import { SourceError } from './fetch/source-error.ts';
import type { DocumentReader } from './reading/document-reader.ts';
import { createSourceMeter, type SourceFigures, type SourceMeter, type SourceStatus } from './source-status.ts';

/** The receiver of pages. A cursor becomes durable with the pages that it covers, or after them. */
export interface Sink {
  cursor(name: string): Promise<string | undefined>;
  /** Answers why some of them were refused, a reason for each. */
  add(
    pages: readonly Page[],
    cursor: { name: string; value: string } | undefined,
    posts: readonly Post[],
  ): Promise<readonly string[]>;
  /** Erases posts with all their versions, and refuses them from now on. */
  erase(postIds: readonly string[]): Promise<void>;
  noteGaps(gaps: readonly SourceGap[]): Promise<void>;
}

export interface RunOptions {
  readonly clock: Clock;
  readonly http: SourceHttp;
  readonly reader: DocumentReader;
  /** For pages that are made by scripts. */
  readonly browser?: Browser | undefined;
  readonly signal: AbortSignal;
  /** The platforms that its events go to; pages alone when it is left out. */
  readonly platforms?: readonly Platform[];
  /** Up to when an earlier run was complete. */
  readonly through?: Date | undefined;
  readonly onTrouble?: (message: string) => void;
  /** Told when the state changes, and when more was stored. */
  readonly onStatus?: (figures: SourceFigures) => void;
  /** Milliseconds before the second opening, the third and so on; the last is repeated. */
  readonly pauses?: readonly number[];
  /** From 0 to 1: spreads sources that broke together. */
  readonly random?: () => number;
  readonly part?: RoundPart | undefined;
}

export interface RunningSource {
  readonly status: SourceStatus;
  /** Resolves when the source has ended, or the signal has aborted. */
  readonly done: Promise<void>;
}

interface SourceRun extends RunOptions {
  readonly source: Source;
  readonly sink: Sink;
  readonly meter: SourceMeter;
  /** The ids of pages that were stored lately. */
  readonly stored: ReturnType<typeof createLru<string, true>>;
  /** Openings that failed since the last page came. */
  failures: number;
}

const PAUSES: readonly number[] = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000];
/** A connection that held this long was a good one: the pauses begin anew. */
const GOOD_MS = 60_000;
/** Enough for all that a stream repeats when it is opened again. */
const REMEMBERED = 20_000;

export function runSource(source: Source, sink: Sink, options: RunOptions): RunningSource {
  const meter: SourceMeter = createSourceMeter(
    options.clock,
    () => options.onStatus?.(meter.figures()),
    options.through,
  );
  const stored = createLru<string, true>({ limit: REMEMBERED });
  const state: SourceRun = { ...options, source, sink, meter, stored, failures: 0 };
  return {
    done: run(state),
    get status() {
      return { name: source.name, kind: source.kind, platforms: options.platforms ?? ['firehose'], ...meter.figures() };
    },
  };
}

/** Visits all addresses of a source once, and answers how that went. Throws what the sink throws. */
export async function visitSource(source: Source, sink: Sink, options: RunOptions): Promise<SourceFigures> {
  const meter = createSourceMeter(options.clock, () => {}, options.through);
  const stored = createLru<string, true>({ limit: REMEMBERED });
  await readOnce({ ...options, source: { ...source, read: oneRound(source) }, sink, meter, stored, failures: 0 });
  return meter.figures();
}

/** A round ends with the word on how many addresses fail. */
const oneRound = (source: Source): Source['read'] =>
  async function* (context) {
    for await (const arrival of source.read(context)) {
      yield arrival;
      if (arrival.failing !== undefined) return;
    }
  };

async function run(state: SourceRun): Promise<void> {
  const { clock, signal, meter } = state;
  while (!signal.aborted) {
    const openedAt = clock.elapsed();
    try {
      await readOnce(state);
      if (!signal.aborted) meter.ended();
      return;
    } catch (error) {
      if (signal.aborted) return;
      meter.waits(error instanceof SourceError && error.isSilence);
      trouble(state, error instanceof Error ? error.message : String(error));
      if (clock.elapsed() - openedAt > GOOD_MS) state.failures = 0;
      await clock.sleep(pauseAfter(error, state.failures++, state), signal);
    }
  }
}

/** Milliseconds until the source is opened again: our own pause, or what the other side asked for when that is longer. */
export function pauseAfter(
  error: unknown,
  failures: number,
  { pauses = PAUSES, random = Math.random }: Pick<RunOptions, 'pauses' | 'random'>,
): number {
  const pause = pauses[Math.min(failures, pauses.length - 1)]! * (0.8 + 0.4 * random());
  const asked = error instanceof SourceError ? (error.retryAfter ?? 0) * 1_000 : 0;
  return Math.max(pause, asked);
}

/** The source may be waiting for its next event when the store fails, so it is told to stop before it is left. */
async function readOnce(state: SourceRun): Promise<void> {
  const opening = new AbortController();
  const context = contextOf(state, AbortSignal.any([state.signal, opening.signal]));
  for await (const batch of batches(state.source.read(context))) {
    await store(state, batch).catch((error: unknown) => {
      opening.abort();
      throw error;
    });
  }
}

function contextOf(state: SourceRun, signal: AbortSignal): SourceContext {
  const { clock, http, reader, browser, sink, source, meter, part } = state;
  return {
    clock,
    http,
    reader,
    browser,
    signal,
    part,
    cursor: (key) => sink.cursor(cursorName(source, key)),
    live: () => meter.live(),
    lost: () => meter.lost(),
    trouble: (message) => trouble(state, message),
  };
}

/** A source says nothing of itself any other way: to the log, to Status, and to accounts with the operator's sources. */
function trouble({ meter, onTrouble }: SourceRun, message: string): void {
  const shown = withShownSources(message);
  meter.failed(shown);
  onTrouble?.(shown);
}

const cursorName = ({ name }: Source, key: string | undefined): string =>
  key === undefined ? `source:${name}` : `source:${name} ${key}`;

async function store(state: SourceRun, batch: readonly SourceArrival[]): Promise<void> {
  const { sink, source, stored, meter } = state;
  let count = 0;
  const gaps = batch.flatMap((arrival) => arrival.gaps ?? []);
  if (gaps.length > 0) await sink.noteGaps(gaps);
  const reached = batch.flatMap(({ reaches }) => reaches?.getTime() ?? []);
  const first = reached.length === 0 ? undefined : new Date(Math.min(...reached));
  for (const { unread } of batch) if (unread !== undefined) await tellUnread(state, unread, first);
  for (const [key, arrivals] of byKey(batch)) {
    const value = arrivals.findLast(({ cursor }) => cursor !== undefined)?.cursor?.value;
    const { pages, posts, skipped } = eventsIn(arrivals, state);
    const deleted = arrivals.flatMap((arrival) => arrival.deleted ?? []);
    // Before the cursor moves past them. A post that came and went in one batch is then refused.
    if (deleted.length > 0) await sink.erase(deleted);
    if (skipped !== undefined) await tellUnread(state, skipped, first);
    if (pages.length + posts.length === 0 && value === undefined) continue;
    const cursor = value === undefined ? undefined : { name: cursorName(source, key), value };
    const refused = await sink.add(pages, cursor, posts);
    if (refused.length > 0) await tellUnread(state, refusal(refused), first);
    for (const { id } of pages) stored.set(id, true);
    for (const { data } of posts) stored.set(data.id, true);
    if (pages.length + posts.length > 0) state.failures = 0;
    meter.count(pages.length > 0 ? pages : posts);
    count += Math.max(pages.length, posts.length);
  }
  meter.progress(batch, count);
  state.onStatus?.(meter.figures());
}

const refusal = (reasons: readonly string[]): Unread => ({
  count: reasons.length,
  message: `${reasons.length} events were refused: ${reasons[0]}.`,
});

/**
 * Reports events that were left out: they may have matched, so they are counted, shown, and become a gap since the
 * source was last complete. If the source was switched off meanwhile, that time is not known, and the gap begins where
 * the batch does.
 */
async function tellUnread(state: SourceRun, { count, message, since }: Unread, first: Date | undefined): Promise<void> {
  const { meter, sink, clock } = state;
  const to = clock.now();
  const { through = first ?? to } = meter.figures();
  // The unread events may be among those that a batch repeats of earlier times.
  const known = since ?? (first !== undefined && first < through ? first : through);
  // A break that begins now begins a millisecond later: gaps go by their beginning, and that one may be recovered.
  const from = new Date(Math.min(known.getTime(), to.getTime()) - LEAD_MS - 1);
  meter.unread(count);
  trouble(state, message);
  await sink.noteGaps([{ from, to, cause: 'source_unread', recovered: false }]);
}

/** The events that were not stored yet, for the platforms that the source feeds; the last of several with one id. */
function eventsIn(arrivals: readonly SourceArrival[], { platforms = ['firehose'], stored }: SourceRun) {
  const isNew = (id: string) => stored.get(id) === undefined;
  const pages = new Map<string, Page>();
  const posts = new Map<string, Post>();
  for (const arrival of arrivals) {
    if (platforms.includes('firehose')) for (const page of arrival.pages) if (isNew(page.id)) pages.set(page.id, page);
    if (platforms.includes('x'))
      for (const post of arrival.posts ?? []) if (isNew(post.data.id)) posts.set(post.data.id, post);
  }
  return withinLimits([...pages.values()], [...posts.values()]);
}

function byKey(batch: readonly SourceArrival[]): Map<string | undefined, SourceArrival[]> {
  const groups = new Map<string | undefined, SourceArrival[]>();
  for (const arrival of batch) {
    const key = arrival.cursor?.key;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [arrival]);
    else group.push(arrival);
  }
  return groups;
}
