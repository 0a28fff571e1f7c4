/** The HTTP server in this process, on a store in memory and a clock that the test holds. */
import type { FastifyInstance } from 'fastify';
import { createMetrics } from '../../src/app/metrics.ts';
import type { Clock } from '../../src/base/clock.ts';
import { newId } from '../../src/base/ids.ts';
import type { Tracer } from '../../src/base/tracing.ts';
import { createHttpApp } from '../../src/http/app.ts';
import type { HttpAppOptions, HttpMetrics } from '../../src/http/options.ts';
import { createAgentEndpoint } from '../../src/mcp/endpoint.ts';
import { localPlatform } from '../../src/platforms/local/local.ts';
import type { LivePlatform } from '../../src/platforms/platform.ts';
import { languages } from '../../src/rules/languages.ts';
import { addKey, ensureFirstKey, X_RULES } from '../../src/service/access/keys.ts';
import type { Context } from '../../src/service/context.ts';
import { createMatching } from '../../src/service/ingest/matching.ts';
import type { OutletOptions } from '../../src/service/outlets/outlets.ts';
import type { ServiceParts } from '../../src/service/parts/ground.ts';
import { createService } from '../../src/service/service.ts';
import { noMetrics } from '../../src/service/telemetry.ts';
import type { ColdReader } from '../../src/store/db.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';

export const OPERATOR_KEY = 'operator-key-for-tests';

export interface HeldClock extends Clock {
  forward(milliseconds: number): void;
}

export interface App extends AsyncDisposable {
  readonly http: FastifyInstance;
  readonly context: Context;
  readonly store: Store;
  readonly clock: HeldClock;
  /** Every line that was logged. */
  readonly logged: string[];
  /** The level of each of them. */
  readonly levels: string[];
  /** A key of a new account. */
  newAccount(name: string): Promise<string>;
}

/** Time goes on only when the test says so; the pauses of background work are real. */
export function heldClock(from = '2026-11-15T08:00:00Z'): HeldClock {
  let now = Date.parse(from);
  return {
    now: () => new Date(now),
    elapsed: () => now,
    sleep: () => new Promise(setImmediate),
    forward(milliseconds) {
      now += milliseconds;
    },
  };
}

/** The server over the parts of a service: without limits, console or public address, unless the test wants them. */
export const httpOn = (context: Context, options: Partial<HttpAppOptions> = {}): Promise<FastifyInstance> =>
  createHttpApp({
    context,
    rateLimit: undefined,
    accountRateLimit: undefined,
    publicUrl: undefined,
    consoleDir: undefined,
    trustProxy: [],
    corsOrigins: [],
    metrics: createMetrics(),
    agents: createAgentEndpoint(
      { context, llmsText: () => '# Sluice' },
      { host: '127.0.0.1', publicUrl: options.publicUrl },
    ),
    ...options,
  });

export async function startApp(
  options: {
    rateLimit?: number;
    accountRateLimit?: number;
    streams?: number;
    publicUrl?: string | undefined;
    websubHub?: string;
    consoleDir?: string;
    hasApi?: boolean;
    corsOrigins?: string[];
    delivery?: Partial<OutletOptions>;
    store?: (real: Store) => Store;
    /** The reader of old matches. */
    cold?: ColdReader;
    clock?: HeldClock;
    exported?: HttpMetrics['exported'];
    requested?: HttpMetrics['request'];
    trustProxy?: string[];
    tracer?: Tracer;
    /** How sources of accounts are visited. */
    visits?: ServiceParts['visits'];
    /** The platform `x`; our own by default. */
    x?: (store: Store) => LivePlatform;
  } = {},
): Promise<App> {
  const clock = options.clock ?? heldClock();
  const real = await openSqlite(':memory:', { clock, cold: options.cold });
  const store = options.store?.(real) ?? real;
  await ensureFirstKey(real, clock.now(), OPERATOR_KEY);
  const logged: string[] = [];
  const levels: string[] = [];
  const to = (level: string) => (fields: object, message: string) => {
    logged.push(`${message} ${JSON.stringify(fields)}`);
    levels.push(level);
  };
  const log = { info: to('info'), warn: to('warn'), error: to('error') };
  const settings = {
    version: '0.0.0',
    startedAt: clock.now(),
    support: '',
    recentEvents: 1_000,
    retentionDays: 30,
    publicUrl: options.publicUrl,
  };
  const service = createService({
    newMatching: createMatching,
    store,
    clock,
    log,
    metrics: noMetrics,
    settings,
    languages: languages(),
    delivery: { ...(options.streams !== undefined && { streams: options.streams }), ...options.delivery },
    oauth: { publicUrl: options.publicUrl, registration: true },
    ...(options.tracer && { tracer: options.tracer }),
    ...(options.visits && { visits: options.visits }),
    ...(options.x && { platforms: { x: options.x(store), firehose: localPlatform('firehose') } }),
  });
  await service.start();
  const metrics = {
    request: options.requested ?? (() => {}),
    exported: options.exported ?? (() => {}),
    contentType: 'text/plain',
    print: async () => '',
  };
  const http = await httpOn(service.context, {
    rateLimit: options.rateLimit,
    accountRateLimit: options.accountRateLimit,
    publicUrl: options.publicUrl,
    websubHub: options.websubHub,
    consoleDir: options.consoleDir,
    trustProxy: options.trustProxy ?? [],
    corsOrigins: options.corsOrigins ?? [],
    metrics,
    ...(options.hasApi === false && { agents: undefined }),
  });
  return {
    http,
    context: service.context,
    store,
    clock,
    logged,
    levels,
    async newAccount(name) {
      const account = {
        id: newId('acct', clock.now()),
        name,
        plan: 'paid' as const,
        xRules: X_RULES,
        createdAt: clock.now(),
      };
      await real.addAccount(account);
      return (
        await addKey(real, clock.now(), { accountId: account.id, name: 'k', scope: 'full', expiresAt: undefined })
      ).secret;
    },
    async [Symbol.asyncDispose]() {
      await http.close();
      await service.close();
      await real[Symbol.asyncDispose]();
    },
  };
}
