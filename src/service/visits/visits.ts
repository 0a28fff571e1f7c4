/** Visits to the sources of accounts: what a test of one finds, and the loop that visits those that are due. */
import type { Clock } from '../../base/clock.ts';
import { isPublicAddress } from '../../delivery/webhooks/egress.ts';
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { discover, type SourceCandidate } from '../../sources/discovery/discover.ts';
import type { Browser } from '../../sources/fetch/browser.ts';
import { createSourceHttp, type SourceHttp } from '../../sources/fetch/fetch-url.ts';
import type { ResolveName } from '../../sources/fetch/reach.ts';
import { type AskedSource, SOURCE_SHARDS, visitedConfig } from '../../sources/kinds/account-source.ts';
import { createSource } from '../../sources/kinds/kinds.ts';
import { openDocumentReader, type SharedReader } from '../../sources/reading/document-reader.ts';
import { type Sink, visitSource } from '../../sources/run.ts';
import { loadLanguages } from '../../sources/text/language.ts';
import type { Holder } from '../../store/lease.ts';
import { createShards } from '../../store/shards.ts';
import { PART_MS } from './parts.ts';
import { type ChangedSource, createSchedule, type ScheduleDeps } from './schedule.ts';
import { createVisitHttp, type FetchMeter, meteredHttp, meteredReader, type VisitHttp } from './visit-http.ts';

export interface VisitOptions {
  /** Kinds that accounts may add. */
  readonly kinds?: readonly string[] | undefined;
  readonly userAgent: string;
  /** This machine's own addresses, which count as private. */
  readonly ownAddresses?: () => readonly string[];
  readonly isPublic?: (address: string) => boolean;
  readonly resolve?: ResolveName;
  /** For pages that are made by scripts. */
  readonly browser?: Browser | undefined;
  /** Milliseconds between two requests to one host. */
  readonly pauseMs?: number;
  /** Milliseconds after which a visit leaves its host to others, and goes on later. */
  readonly partMs?: number;
  /** From 0 to 1: spreads visits. */
  readonly random?: () => number;
}

export interface Visits {
  /** Kinds that accounts may add. */
  readonly kinds: readonly string[] | undefined;
  /** Visits a source as if for the first time, and stores nothing. */
  test(source: AskedSource, signal: AbortSignal, meter: FetchMeter): Promise<TriedSource>;
  /**
   * Answers the sources that can be watched at an address, the fittest first. Throws a `SourceError` when there are
   * none.
   */
  discover(url: string, signal: AbortSignal, meter: FetchMeter): Promise<SourceCandidate[]>;
  /** A source was added or changed: it may be due. */
  wake(changed?: ChangedSource): void;
  /** Resolves when nothing is due and nothing is being visited. */
  idle(): Promise<void>;
  /** Visits what is due until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const HOST_PAUSE_MS = 1_000;

export function accountHttp(clock: Clock, options: VisitOptions): SourceHttp {
  const { userAgent, isPublic = isPublicAddress, ownAddresses = () => [], resolve } = options;
  return createSourceHttp({
    clock,
    userAgent,
    isPublic: (address) => isPublic(address) && !ownAddresses().includes(address),
    allowPrivate: false,
    allowNamed: false,
    ...(resolve && { resolve }),
  });
}

type Deps = Omit<ScheduleDeps, 'http' | 'reader' | 'browser' | 'shards' | 'random' | 'partMs'> & {
  readonly holder: Holder;
  readonly options: VisitOptions;
};

export function createVisits(deps: Deps): Visits {
  const { clock, options } = deps;
  const { browser, random = Math.random } = options;
  const raw = accountHttp(clock, options);
  const { pauseMs = HOST_PAUSE_MS, partMs = PART_MS } = options;
  const http = createVisitHttp(clock, raw, pauseMs);
  const shards = createShards({ ...deps, work: 'sources', count: SOURCE_SHARDS, role: 'connector', pauseMs });
  const reader = openDocumentReader(clock);
  const schedule = createSchedule({ ...deps, http, reader, browser, shards, random, partMs });
  const trial = sharedReader(clock);
  return {
    kinds: options.kinds,
    test: (source, signal, meter) =>
      trial((own) => tryAccountSource({ clock, visitHttp: http, browser, meter, reader: own }, source, signal)),
    discover: (url, signal, meter) =>
      trial((own) => {
        const readerFor = (until: AbortSignal) => meteredReader(own, meter, until);
        return discover(url, { clock, http: meteredHttp(raw, meter), readerFor, signal });
      }),
    wake: (changed) => schedule.wake(changed),
    idle: () => schedule.idle(),
    async run(signal) {
      await schedule.run(signal);
      await reader[Symbol.asyncDispose]();
    },
  };
}

/** One reader for all tests and discoveries that are under way, beside that of visits. Its thread ends with the last of them. */
function sharedReader(clock: Clock): <T>(work: (reader: SharedReader) => Promise<T>) => Promise<T> {
  let reader: SharedReader | undefined;
  let users = 0;
  return async (work) => {
    reader ??= openDocumentReader(clock);
    const own = reader;
    users++;
    try {
      return await work(own);
    } finally {
      if (--users === 0) {
        reader = undefined;
        await own[Symbol.asyncDispose]();
      }
    }
  };
}

interface TriedSource {
  /** The newest events, at most ten, the newest first. */
  readonly events: readonly TriedEvent[];
  /** The problem, where there was one. */
  readonly problem: string | undefined;
}

interface TriedEvent {
  readonly platform: Platform;
  readonly event: Payload;
}

const TRIAL_MS = 25_000;
const MOST_EVENTS = 10;

interface TrialParts {
  readonly clock: Clock;
  readonly visitHttp: VisitHttp;
  readonly browser: Browser | undefined;
  readonly meter: FetchMeter;
  readonly reader: SharedReader;
}

async function tryAccountSource(
  { clock, visitHttp, browser, meter, reader }: TrialParts,
  asked: AskedSource,
  given: AbortSignal,
): Promise<TriedSource> {
  await loadLanguages();
  const config = visitedConfig('test', asked, asked.secret);
  if ('problem' in config) return { events: [], problem: config.problem };
  const ended = new AbortController();
  const events: TriedEvent[] = [];
  let problem: string | undefined;
  const signal = AbortSignal.any([given, ended.signal]);
  const { http } = visitHttp.open(asked.host, asked.secret);
  const source = createSource({ ...config, options: { ...config.options, first: 'whole' } });
  const visiting = visitSource(source, sinkInto(events, asked.platforms), {
    clock,
    http: meteredHttp(http, meter),
    reader: meteredReader(reader, meter, signal),
    browser,
    platforms: asked.platforms,
    signal,
    onTrouble: (message) => {
      problem ??= message;
    },
  });
  const late = clock.sleep(TRIAL_MS, ended.signal).then(() => 'late' as const);
  if ((await Promise.race([visiting, late])) === 'late') problem ??= `It took longer than ${TRIAL_MS / 1_000} seconds.`;
  ended.abort();
  await visiting;
  return {
    events: events.slice(-MOST_EVENTS).toReversed(),
    problem,
  };
}

const sinkInto = (events: TriedEvent[], platforms: readonly Platform[]): Sink => ({
  cursor: async () => undefined,
  erase: async () => {},
  noteGaps: async () => {},
  async add(pages, _cursor, posts) {
    const come = { firehose: pages, x: posts };
    for (const platform of platforms) for (const event of come[platform]) events.push({ platform, event });
    return [];
  },
});
