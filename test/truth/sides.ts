/** Every way to ask tells of coverage, side by side: HTTP, the stream, the tools, the command line and the metrics. */
import { addGauges } from '../../src/app/gauges.ts';
import { createMetrics } from '../../src/app/metrics.ts';
import { coverageWarning } from '../../src/cli/match-view.ts';
import type { Platform } from '../../src/domain/platform.ts';
import { listMatchesTool, waitTool } from '../../src/mcp/match-tools.ts';
import { statusTool } from '../../src/mcp/status-tool.ts';
import type { Caller } from '../../src/service/access/caller.ts';
import { addKey } from '../../src/service/access/keys.ts';
import type { Operation } from '../../src/service/perform/operation.ts';
import { perform } from '../../src/service/perform/perform.ts';
import type { Service } from '../../src/service/service.ts';
import { httpOn } from '../stages/http-app.ts';

export interface Said {
  readonly complete: boolean;
  readonly complete_through: string | null;
  readonly reasons: readonly string[];
}

export interface Sides {
  readonly list: Said;
  readonly status: Said;
  readonly stream: Said;
  readonly toolList: Said;
  readonly toolWait: Said;
  readonly toolStatus: Said;
  /** The line that the command line prints; undefined when all is complete. */
  readonly cli: string | undefined;
  /** The reasons that `/metrics` shows, and whether it calls the platform complete. */
  readonly metrics: { readonly complete: boolean; readonly reasons: readonly string[] };
  readonly ready: number;
  readonly healthy: number;
}

export interface Scope {
  readonly platform: Platform;
  readonly rule_id?: string | undefined;
}

const ANSWER = { idempotencyKey: undefined, signal: new AbortController().signal };

async function serve(service: Service, caller: Caller) {
  const { context } = service;
  const metrics = createMetrics();
  addGauges(metrics, context);
  const http = await httpOn(context, { metrics });
  const { secret } = await addKey(context.store, context.clock.now(), {
    accountId: caller.account.id,
    name: 'sides',
    scope: 'read',
    expiresAt: undefined,
  });
  return { context, metrics, http, headers: { authorization: `Bearer ${secret}` } };
}

/** The statuses of what is answered at all, whether or not there is an answer. */
export async function waysToAsk(service: Service, caller: Caller) {
  const { context, metrics, http, headers } = await serve(service, caller);
  const get = async (url: string) => (await http.inject({ url, headers })).statusCode;
  return {
    async http() {
      const ticket = await http.inject({ method: 'POST', url: '/api.CreateStreamTicket', headers, payload: {} });
      return {
        list: (await http.inject({ method: 'POST', url: '/matches', headers, payload: {} })).statusCode,
        status: await get('/api.Status'),
        stream: ticket.statusCode,
        healthy: await get('/healthz'),
        ready: await get('/readyz'),
      };
    },
    tools: () =>
      Promise.all(
        [listMatchesTool, waitTool, statusTool].map((tool) =>
          perform(context, tool, caller, {}, ANSWER).catch((error: unknown) => error),
        ),
      ),
    metrics: () => metrics.print(),
    close: () => http.close(),
  };
}

export async function sidesOf(service: Service, caller: Caller, scope: Scope): Promise<Sides> {
  const { context, metrics, http, headers } = await serve(service, caller);
  const tool = async <T>(operation: Operation, input: object) =>
    (await perform(context, operation, caller, input, ANSWER)) as T;
  try {
    const listed = await http.inject({ method: 'POST', url: '/matches', headers, payload: { ...scope } });
    const { coverage: list } = listed.json<{ coverage: Said }>();
    const status = (await http.inject({ url: '/api.Status', headers })).json<StatusAnswer>();
    return {
      list,
      status: status.platforms[scope.platform].coverage,
      stream: await streamed(service, caller, scope),
      toolList: (await tool<{ coverage: Said }>(listMatchesTool, scope)).coverage,
      toolWait: (await tool<{ coverage: Said }>(waitTool, { ...scope, wait_seconds: 0 })).coverage,
      toolStatus: (await tool<StatusAnswer>(statusTool, {})).platforms[scope.platform].coverage,
      cli: coverageWarning({ ...list, reasons: [...list.reasons] }),
      metrics: measured(await metrics.print(), scope.platform),
      ready: (await http.inject('/readyz')).statusCode,
      healthy: (await http.inject('/healthz')).statusCode,
    };
  } finally {
    await http.close();
  }
}

interface StatusAnswer {
  readonly platforms: Readonly<Record<Platform, { readonly coverage: Said }>>;
}

/** The coverage that a stream tells of when it is opened. */
function streamed({ context }: Service, { account, key }: Caller, { platform, rule_id }: Scope): Promise<Said> {
  return new Promise((resolve, reject) => {
    let text = '';
    const write = (bytes: Uint8Array): boolean => {
      text += Buffer.from(bytes).toString();
      const [, data] = text.match(/event: coverage\ndata: (.*)\n\n/) ?? [];
      if (data !== undefined) resolve(JSON.parse(data) as Said);
      return true;
    };
    const outlet = { queued: 0, write, end() {}, destroy() {} };
    const open = async () => {
      const of = { accountId: account.id, keyId: key.id, after: await context.store.latest(), outlet, platform };
      context.live.subscribe({ ...of, ...(rule_id !== undefined && { ruleId: rule_id }) });
    };
    open().catch(reject);
  });
}

function measured(text: string, platform: Platform): Sides['metrics'] {
  const complete = text.includes(`sluice_coverage_complete{platform="${platform}"} 1`);
  const found = text.matchAll(new RegExp(`sluice_coverage_reason\\{platform="${platform}",reason="([^"]*)"\\} 1`, 'g'));
  return { complete, reasons: [...found].map(([, reason]) => reason!) };
}
