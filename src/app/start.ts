/** From a configuration to a running server, and back in reverse. Every part is made here and introduced to the others. */
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type Clock, systemClock } from '../base/clock.ts';
import { inSlices } from '../base/cooperate.ts';
import { createHttpApp } from '../http/app.ts';
import type { AgentEndpoint } from '../http/options.ts';
import { classOfAstral } from '../rules/firehose/word-classes.ts';
import type { Language } from '../rules/language.ts';
import { operatorTicket } from '../service/access/tickets.ts';
import type { Context } from '../service/context.ts';
import type { Service } from '../service/service.ts';
import type { Log } from '../service/telemetry.ts';
import { type Config, ConfigError } from './config.ts';
import { consoleUrl, entryLink, serverUrl } from './console-link.ts';
import { type Core, type CoreDeps, openCore, startCore } from './core.ts';
import { addGauges } from './gauges.ts';
import { type AppMetrics, createMetrics } from './metrics.ts';
import { languagesOf, meaningOf } from './snapshots/program-fingerprint.ts';
import { addStoreGauges } from './store-gauges.ts';
import { openTracing } from './tracing/open-tracing.ts';
import { createWaitingRoom } from './waiting-room.ts';

export interface Running {
  readonly url: string;
  /** The first key, on the first start alone. */
  readonly firstKey: string | undefined;
  /** A link that opens the console once, for the operator; undefined when they have no key, or there is no console here. */
  entryLink(): Promise<string | undefined>;
  /** Resolves when every stored rule is matched. */
  readonly loaded: Promise<void>;
  /** Events that were matched since the start. */
  eventsSoFar(): number;
  /** Says that it goes, then finishes what is under way, stores what waits, and closes. */
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
    const tracing = await openTracing(config.traces, { log, clock });
    // The first part is the last to stop: it sends the traces of all others.
    if (tracing !== undefined) parts.use(tracing);
    const deps = { log, clock, metrics, tracer: tracing?.tracer };
    const core = await openWaiting(parts, config, deps);
    const { context } = core.service;
    addGauges(metrics, context, () => tracing?.dropped ?? 0);
    addStoreGauges(metrics, { ...core, roles: config.roles, clock });
    const http = await httpOf(config, core.service, metrics);
    parts.defer(() => close(http));
    await listen(http, config);
    const loaded = startCore(parts, core, deps);
    void prepare(config);
    const url = urlOf(config, http);
    if (config.roles.includes('api')) core.lock?.announce(consoleUrl(config, url));
    return {
      url,
      firstKey: core.firstKey,
      entryLink: () => operatorLink(config, context, url),
      loaded,
      eventsSoFar: metrics.eventsSoFar,
      stop: () => stop(parts, core.service, config, clock),
    };
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}

async function openWaiting(parts: AsyncDisposableStack, config: Config, deps: CoreDeps): Promise<Core> {
  await using waiting = createWaitingRoom(config, deps);
  return await openCore(parts, config, { ...deps, waiting });
}

/**
 * A load balancer that asks `/readyz` needs a moment to see that this process goes. Until then it takes requests as
 * before, so that none of them meets a closed door.
 */
async function stop(
  parts: AsyncDisposableStack,
  service: Service,
  { stopGrace, roles }: Config,
  clock: Clock,
): Promise<void> {
  service.context.readiness.leave();
  if (stopGrace > 0 && roles.includes('api')) await clock.sleep(stopGrace * 1_000);
  await parts.disposeAsync();
}

async function httpOf(config: Config, service: Service, metrics: AppMetrics): Promise<FastifyInstance> {
  const { context } = service;
  const http: FastifyInstance = await createHttpApp({
    ...config,
    context,
    consoleDir: consoleDir(),
    metrics,
    agents: config.roles.includes('api') ? await agentsOf(config, context, () => urlOf(config, http)) : undefined,
  });
  return http;
}

async function agentsOf(config: Config, context: Context, ownUrl: () => string): Promise<AgentEndpoint> {
  const [{ createAgentEndpoint }, { llmsText }] = await Promise.all([
    import('../mcp/endpoint.ts'),
    import('../http/llms.ts'),
  ]);
  return createAgentEndpoint({ context, llmsText: () => llmsText(config.publicUrl ?? ownUrl()) }, config);
}

async function operatorLink(config: Config, context: Context, url: string): Promise<string | undefined> {
  if (!config.roles.includes('api')) return undefined;
  const entry = await operatorTicket(context);
  return entry && entryLink(consoleUrl(config, url), entry.ticket);
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
  return serverUrl(host, port);
}

async function close(http: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => http.server.closeAllConnections(), PATIENCE_MS);
  await http.close();
  clearTimeout(cut);
}

/** The folder of the built console: beside the program in the published package, in its own folder in a checkout. */
export function consoleDir(): string | undefined {
  const folders = ['../console', '../../console/dist'].map((path) => join(import.meta.dirname, path));
  return folders.find((folder) => existsSync(join(folder, 'index.html')));
}

/** Units of work after which everything else may run. One character of the engine's tables is one unit. */
export const PREPARED_AT_ONCE = 4_096;

const EMOJI = 0x1f30b;

/**
 * Does ahead, step by step, what the first requests would otherwise wait for: code that runs for the first time takes ten
 * times as long as later, and then one request would hold up all others.
 */
async function prepare(config: Config): Promise<void> {
  for await (const steps of preparations(config)) await inSlices(steps, PREPARED_AT_ONCE);
}

/** Prepares, and loads, only the parts that a role needs. Each part yields how much work its steps were. */
export async function* preparations(config: Config): AsyncIterable<Generator<number, void>> {
  if (config.roles.includes('api')) {
    const { describeTools } = await import('../mcp/server.ts');
    yield forRequests(config, describeTools(PREPARED_AT_ONCE));
  }
  if (config.roles.includes('matcher')) {
    const { makeCoreTables } = await import('../engine/core/core-engine.ts');
    yield forEvents(makeCoreTables());
  }
}

function* forRequests(config: Config, tools: Generator<number, void>): Generator<number, void> {
  yield* tools;
  // Node loads what makes a request for the tool server when the first one is made.
  void new Request('http://localhost/');
  yield PREPARED_AT_ONCE;
  const { x, firehose } = languagesOf(meaningOf(config));
  for (const language of [x, firehose]) yield* readRules(language);
}

function* forEvents(tables: Generator<number, void>): Generator<number, void> {
  yield* tables;
  // The first emoji of a page would have the classes of its plane made.
  classOfAstral(EMOJI);
  yield PREPARED_AT_ONCE;
}

/** Rules with mistakes, whose fixes are looked for and proven. */
const MISTAKES: readonly string[] = [
  'form:nasa (lava OR',
  'lang:english -is:retwet "lava flow',
  'titel:lava and not domian:example.com',
  'title:(lava OR "lava flow"~2) AND language:english AND lav* AND url:https://example.com/a',
  '#lava has:picture OR AND from:@nasa',
];

function* readRules(language: Language): Generator<number, void> {
  for (const text of MISTAKES) {
    language.parse(text);
    yield PREPARED_AT_ONCE;
  }
}
