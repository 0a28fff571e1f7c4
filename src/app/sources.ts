/** The configured sources, kept going beside the server: what they yield goes the way of all events. */
import type { Clock } from '../base/clock.ts';
import { isPublicAddress } from '../delivery/webhooks/egress.ts';
import type { Context } from '../service/context.ts';
import { eraseAnnounced } from '../service/erasure.ts';
import type { Log } from '../service/telemetry.ts';
import { createSourceHttp, type SourceHttp } from '../sources/fetch/fetch-url.ts';
import { allowsPrivate, createSource, type SourceConfig } from '../sources/kinds/kinds.ts';
import { openDocumentReader } from '../sources/reading/document-reader.ts';
import { type RunningSource, runSource, type Sink } from '../sources/run.ts';
import type { SourceStatus } from '../sources/source-status.ts';
import { loadLanguages } from '../sources/text/language.ts';
import { endSources, keepSources, SOURCE_PLATFORM, watchSource } from './source-coverage.ts';
import { VERSION } from './version.ts';

type SourceNeeds = Pick<Context, 'store' | 'ingest' | 'feeds' | 'live' | 'nodes'>;

export interface Sources {
  readonly count: number;
  readonly statuses: () => readonly SourceStatus[];
  /** Runs them all until the signal aborts. */
  run(context: SourceNeeds, signal: AbortSignal): Promise<void>;
}

const USER_AGENT = `sluice/${VERSION} (watches public feeds and pages for its operator)`;

export const sourceHttp = (clock: Clock, source: SourceConfig): SourceHttp =>
  createSourceHttp({
    clock,
    userAgent: USER_AGENT,
    isPublic: isPublicAddress,
    allowPrivate: allowsPrivate(source),
  });

/** Loads what takes a moment before the server listens: later it would be in the way of requests. */
export async function openSources(
  configs: readonly SourceConfig[],
  { log, clock }: { log: Log; clock: Clock },
): Promise<Sources> {
  let running: RunningSource[] = [];
  if (configs.length > 0) await loadLanguages();
  return {
    count: configs.length,
    statuses: () => running.map(({ status }) => status),
    async run(context, signal) {
      running = [];
      await keepSources(context, configs);
      await using reader = openDocumentReader(clock);
      for (const config of configs) {
        const { name } = config;
        const onTrouble = (message: string) => log.warn({ source: name }, message);
        const sink = sinkOf(name, context, onTrouble);
        const source = createSource(config);
        const onStatus = await watchSource(context, source, { clock, log });
        const options = { clock, http: sourceHttp(clock, config), reader, signal, onTrouble, onStatus };
        running.push(runSource(source, sink, options));
      }
      await Promise.all(running.map(({ done }) => done));
      await endSources(context, running);
    },
  };
}

const sinkOf = (source: string, context: SourceNeeds, onTrouble: (message: string) => void): Sink => ({
  cursor: (name) => context.store.cursor(name),
  async add(pages, cursor) {
    const refused = await context.ingest.add(SOURCE_PLATFORM, pages, source, cursor);
    if (refused.length > 0) onTrouble(`${refused.length} events were refused: ${refused[0]}.`);
  },
  async erase(postIds) {
    await eraseAnnounced(context, 'firehose', postIds);
  },
  noteGaps: (gaps) =>
    context.store.noteGaps(
      gaps.map(({ cause, ...gap }) => ({ ...gap, platform: SOURCE_PLATFORM, source, cause: `${cause}:${source}` })),
    ),
});
