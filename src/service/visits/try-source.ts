/** Visits a source as if for the first time, and stores nothing. */
import type { Clock } from '../../base/clock.ts';
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Browser } from '../../sources/fetch/browser.ts';
import { type AskedSource, visitedConfig } from '../../sources/kinds/account-source.ts';
import { createSource } from '../../sources/kinds/kinds.ts';
import type { SharedReader } from '../../sources/reading/document-reader.ts';
import { type Sink, visitSource } from '../../sources/run.ts';
import { loadLanguages } from '../../sources/text/language.ts';
import { type FetchMeter, meteredHttp, meteredReader, type VisitHttp } from './visit-http.ts';

export interface TriedSource {
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

export async function tryAccountSource(
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
