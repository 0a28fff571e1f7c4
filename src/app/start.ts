/** From a configuration to a running server, and back in reverse. Every part is made here and introduced to the others. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type Clock, systemClock } from '../base/clock.ts';
import type { Platform } from '../domain/platform.ts';
import { createHttp } from '../http/app.ts';
import { llmsText } from '../http/llms.ts';
import { createAgentEndpoint } from '../mcp/endpoint.ts';
import { operatorTicket } from '../service/access/tickets.ts';
import type { Service } from '../service/service.ts';
import type { Log } from '../service/telemetry.ts';
import type { SourceStatus } from '../sources/source-status.ts';
import { type Config, ConfigError } from './config.ts';
import { consoleDir } from './console-dir.ts';
import { openCore, startCore } from './core.ts';
import { type AppMetrics, createMetrics } from './metrics.ts';

export interface Running {
  readonly url: string;
  /** The first key, on the first start alone. */
  readonly firstKey: string | undefined;
  /** A link that opens the console once, for the operator; undefined when they have no key, or there is no console here. */
  entryLink(): Promise<string | undefined>;
  /** Resolves when every stored rule is matched. */
  readonly loaded: Promise<void>;
  /** Finishes what is under way, stores what waits, closes. */
  stop(): Promise<void>;
}

/** Requests under way have this long to end when the server stops. */
const PATIENCE_MS = 10_000;

export async function start(
  config: Config,
  { log, clock = systemClock }: { log: Log; clock?: Clock },
): Promise<Running> {
  const parts = new AsyncDisposableStack();
  try {
    const metrics = createMetrics();
    const around = { log, clock, metrics };
    const core = await openCore(parts, config, around);
    const { service, firstKey } = core;
    watch(metrics, service);
    const { context } = service;
    const agents = createAgentEndpoint(
      { context, llmsText: () => llmsText(config.publicUrl ?? urlOf(config, http)) },
      config,
    );
    const http: FastifyInstance = await createHttp({
      ...config,
      context,
      consoleDir: consoleDir(),
      notReady: () => service.notReady(),
      hasApi: config.roles.includes('api'),
      metrics,
      agents,
    });
    parts.defer(() => close(http));
    await listen(http, config);
    const loaded = startCore(parts, config, core, around);
    const url = urlOf(config, http);
    const entryLink = async () => {
      if (!config.roles.includes('api')) return undefined;
      const ticket = await operatorTicket(context);
      return ticket && `${config.publicUrl ?? reachable(url)}/#/enter?ticket=${ticket}`;
    };
    return { url, firstKey, entryLink, loaded, stop: () => parts.disposeAsync() };
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}

async function listen(http: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await http.listen({ host, port });
  } catch (error) {
    throw new ConfigError(
      `Cannot listen on ${host}:${port}: ${(error as Error).message}. Is it in use? SLUICE_PORT sets another.`,
      { cause: error },
    );
  }
}

function urlOf({ host }: Config, http: FastifyInstance): string {
  const { port } = http.server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A server that listens on every address of the machine is reached on its own. */
const reachable = (url: string): string => url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');

async function close(http: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => http.server.closeAllConnections(), PATIENCE_MS);
  await http.close();
  clearTimeout(cut);
}

function watch(metrics: AppMetrics, { context }: Service): void {
  metrics.gauge('sluice_rules', 'Rules that are matched.', (platform) => context.matching.size(platform));
  metrics.total('sluice_streams', 'Open event streams.', () => context.live.figures.subscribers);
  metrics.total(
    'sluice_streams_evicted',
    'Streams cut off since the start because nobody read them.',
    () => context.live.figures.evicted,
  );
  const ofSources = (read: (source: SourceStatus) => number) => () =>
    Object.fromEntries(context.sources().map((source) => [source.name, read(source)]));
  metrics.each(
    'sluice_source_events',
    'Events that a source brought since the start.',
    'source',
    ofSources(({ events }) => events),
  );
  metrics.each(
    'sluice_source_up',
    'Whether a source stands: 1 or 0.',
    'source',
    ofSources(({ state }) => Number(state === 'live')),
  );
  metrics.each(
    'sluice_source_lag_seconds',
    "Time between an event's own time and its arrival.",
    'source',
    ofSources(({ lag }) => lag ?? 0),
  );
  metrics.total('sluice_deliveries_in_flight', 'Attempts of deliveries under way.', () => context.dispatcher.inFlight);
  metrics.gauge(
    'sluice_stream_up',
    'Whether the stream of the upstream is live; 1 for a platform of our own.',
    (platform) => Number((context.upstreams.status(platform)?.state ?? 'live') === 'live'),
  );
  metrics.gauge('sluice_stream_lag_seconds', 'How long ago the stream was last known to be whole.', (platform) =>
    lagOf(context, platform),
  );
  metrics.gauge(
    'sluice_registrations',
    'Registrations of ours that upstreams hold.',
    (platform) => context.registrations.figures(platform).held,
  );
  metrics.gauge(
    'sluice_slots_used',
    'Registrations that upstreams hold, by whomever.',
    (platform) => context.registrations.figures(platform).used,
  );
  metrics.gauge(
    'sluice_slots',
    'Registrations that upstreams take; 0 where there is no limit.',
    (platform) => context.registrations.figures(platform).limit ?? 0,
  );
  metrics.gauge(
    'sluice_queued_events',
    'Events that wait to be stored, of all platforms.',
    () => context.ingest.queued.events,
  );
}

function lagOf({ upstreams, clock }: Service['context'], platform: Platform): number {
  const through = upstreams.status(platform)?.completeThrough;
  return through === undefined ? 0 : Math.max(0, clock.now().getTime() - through.getTime()) / 1_000;
}
