/** The configured sources, kept going beside the server: what they yield goes the way of all events. */
import type { Clock } from '../../base/clock.ts';
import { isPublicAddress } from '../../delivery/webhooks/egress.ts';
import type { Context } from '../../service/context.ts';
import { eraseAnnounced } from '../../service/outlets/erasure.ts';
import type { Log } from '../../service/telemetry.ts';
import type { Browser } from '../../sources/fetch/browser.ts';
import { createSourceHttp, type SourceHttp } from '../../sources/fetch/fetch-url.ts';
import { allowsPrivate, createSource, type SourceConfig } from '../../sources/kinds/kinds.ts';
import { type OpenDocumentReader, openDocumentReader } from '../../sources/reading/document-reader.ts';
import { type RunningSource, runSource, type Sink } from '../../sources/run.ts';
import type { SourceStatus } from '../../sources/source-status.ts';
import { loadLanguages } from '../../sources/text/language.ts';
import { VERSION } from '../version.ts';
import { endSources, keepSources, watchSource } from './source-coverage.ts';

type SourceNeeds = Pick<Context, 'store' | 'ingest' | 'feeds' | 'live' | 'nodes' | 'clock'>;

export interface Sources {
  readonly count: number;
  readonly statuses: () => readonly SourceStatus[];
  /** Runs them all until the signal aborts. */
  run(context: SourceNeeds, signal: AbortSignal): Promise<void>;
}

export const USER_AGENT = `sluice/${VERSION} (watches public feeds and pages for its operator)`;

export const sourceHttp = (clock: Clock, source: SourceConfig): SourceHttp =>
  createSourceHttp({
    clock,
    userAgent: USER_AGENT,
    isPublic: isPublicAddress,
    allowPrivate: allowsPrivate(source),
  });

interface SourceTools {
  readonly log: Log;
  readonly clock: Clock;
  readonly http?: typeof sourceHttp;
  readonly openReader?: (clock: Clock) => OpenDocumentReader;
  readonly browser?: Browser | undefined;
  /** Milliseconds before a source that broke is opened again. */
  readonly pauses?: readonly number[];
}

/** Loads what takes a moment before the server listens: later it would be in the way of requests. */
export async function openSources(
  configs: readonly SourceConfig[],
  { log, clock, http = sourceHttp, openReader = openDocumentReader, browser, pauses }: SourceTools,
): Promise<Sources> {
  let running: RunningSource[] = [];
  if (configs.length > 0) await loadLanguages();
  return {
    count: configs.length,
    statuses: () => running.map(({ status }) => status),
    async run(context, signal) {
      running = [];
      // Nothing runs that a store which takes nothing would stop.
      if (configs.length === 0)
        return keepSources(context, configs).catch((error: unknown) =>
          log.warn({ err: error }, 'the sources that were switched off could not be ended'),
        );
      await keepSources(context, configs);
      await using reader = openReader(clock);
      for (const config of configs) {
        const { name, platforms } = config;
        const source = createSource(config);
        const watched = await watchSource(context, source, platforms, { clock, log });
        const onTrouble = (message: string) => log.warn({ source: name }, message);
        const given = { clock, http: http(clock, config), reader, browser, signal, platforms, onTrouble, ...watched };
        running.push(runSource(source, sinkOf(config, context), { ...given, ...(pauses && { pauses }) }));
      }
      await Promise.all(running.map(({ done }) => done));
      await endSources(context, running);
    },
  };
}

function sinkOf({ name: source, platforms }: SourceConfig, needs: SourceNeeds): Sink {
  const { store, ingest } = needs;
  /** Events since the cursor last moved. */
  let unmarked = 0;
  return {
    cursor: (name) => store.cursor(name),
    /** The cursor goes with the last of them: a crash between the two repeats the first. */
    async add(pages, cursor, posts) {
      const events = { x: posts, firehose: pages };
      const last = platforms.at(-1)!;
      const read = unmarked + Math.max(pages.length, posts.length);
      const mark = cursor && { ...cursor, reading: { source, events: read } };
      const refused: string[] = [];
      for (const platform of platforms)
        if (platform === last || events[platform].length > 0)
          refused.push(...(await ingest.add(platform, events[platform], source, platform === last ? mark : undefined)));
      unmarked = cursor === undefined ? read : 0;
      return refused;
    },
    async erase(postIds) {
      for (const platform of platforms) await eraseAnnounced(needs, platform, postIds);
    },
    async noteGaps(gaps) {
      const named = gaps.map(({ cause, ...gap }) => ({ ...gap, source, cause: `${cause}:${source}` }));
      await store.noteGaps(platforms.flatMap((platform) => named.map((gap) => ({ ...gap, platform }))));
    },
  };
}
