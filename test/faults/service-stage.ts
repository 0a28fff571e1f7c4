/** The whole service before the sandbox, on one virtual clock: the real connectors, the real loop, a real store. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/sandbox.ts';
import { inboxOf } from '../../src/app/upstreams.ts';
import type { Platform } from '../../src/domain/platform.ts';
import { firehosePlatform } from '../../src/platforms/firehose/platform.ts';
import { localPlatform } from '../../src/platforms/local/local.ts';
import type { LivePlatform, StreamCounter } from '../../src/platforms/platform.ts';
import { X_DELAY_MS } from '../../src/platforms/x/coverage.ts';
import { xPlatform } from '../../src/platforms/x/platform.ts';
import type { XLevel } from '../../src/rules/language.ts';
import type { Caller } from '../../src/service/access/caller.ts';
import type { Service } from '../../src/service/service.ts';
import { noMetrics } from '../../src/service/telemetry.ts';
import { X_WEBHOOK_PATH } from '../../src/service/upstream/upstreams.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type FakeClock, fakeClock } from '../stages/fake-clock.ts';
import { freePort } from '../stages/free-port.ts';
import { httpOn } from '../stages/http-app.ts';
import { openService, type TestService } from '../stages/service.ts';
import { passSlowly, untilSo } from '../stages/virtual-time.ts';

export interface ServiceStageOptions {
  readonly level?: XLevel;
  /** Rules that are there before anything happens. */
  readonly rules?: readonly string[];
  readonly gzip?: boolean;
  /** X delivers to an endpoint of the service, which has this secret, and no stream is read. */
  readonly webhook?: { secret: string };
  /** X delivers to the stage beside this one. */
  readonly isOtherNode?: true;
  /** Whether Firehose is the sandbox's too; our own by default. */
  readonly firehose?: 'sandbox';
  readonly sandboxOptions?: SandboxOptions;
  /** The stage that this one is one more process beside, or after: it uses what that one has made. */
  readonly beside?: ServiceStage;
  /** Time of its own, for a process that another one overtakes. */
  readonly clock?: FakeClock;
  readonly storeAs?: (store: Store) => Store;
  readonly platformAs?: (platform: LivePlatform) => LivePlatform;
}

export interface ListedGap {
  readonly from: string;
  readonly to: string | null;
  readonly cause: string;
  readonly recovered: boolean;
}

export interface ServiceStage extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly sandbox: Sandbox;
  readonly store: Store;
  readonly test: TestService;
  readonly caller: Caller;
  /** The counts of connector and loop. */
  readonly counts: Readonly<Partial<Record<StreamCounter, number>>>;
  token: string;
  /** The address that X delivers to. */
  readonly webhookUrl: string;
  /** Lets time pass until the work is done. */
  done<T>(work: Promise<T>, stepMs?: number): Promise<T>;
  create(value: string, platforms?: readonly Platform[]): Promise<{ rule_id: string; id: string | undefined }>;
  /** Posts a text that the rule `storm` matches, and answers its id. */
  post(text?: string, data?: object): string;
  /** Ids of the posts that were matched, oldest first. */
  posts(): Promise<string[]>;
  stored(posts: number, stepMs?: number): Promise<void>;
  gaps(): Promise<readonly ListedGap[]>;
  state(): string;
  live(stepMs?: number): Promise<void>;
  until(isSo: () => boolean | Promise<boolean>, stepMs?: number, steps?: number): Promise<void>;
  pass(milliseconds: number, stepMs?: number): Promise<void>;
  streamCalls(): { at: number; query: URLSearchParams; status: number | undefined }[];
  /** From now on nothing of this process reaches its store, and its sockets are gone. */
  kill(): Promise<void>;
}

/** A gap begins X's delay before the last receipt, and up to two seconds earlier for bytes that waited in the socket. */
export function expectBeginning(gap: Pick<ListedGap, 'from'> | undefined, lastReceipt: Date): void {
  const early = lastReceipt.getTime() - Date.parse(gap?.from ?? '');
  expect(early).toBeGreaterThanOrEqual(X_DELAY_MS);
  expect(early).toBeLessThanOrEqual(X_DELAY_MS + 2_000);
}

let lastPost = 1_800_000_000_000_000_000n;
let lastProcess = 0;

export async function serviceStage(options: ServiceStageOptions = {}): Promise<ServiceStage> {
  const { level = 'payg', rules = ['storm'], beside, storeAs = (store) => store } = options;
  const clock = options.clock ?? beside?.clock ?? fakeClock();
  const sandbox = beside?.sandbox ?? (await startSandbox({ clock, xLevel: level, ...options.sandboxOptions }));
  const store = beside?.store ?? (await openSqlite(':memory:', { clock }));
  const counts: Partial<Record<StreamCounter, number>> = {};
  const count = (counter: StreamCounter) => {
    counts[counter] = (counts[counter] ?? 0) + 1;
  };
  const log = { info() {}, warn() {}, error() {} };
  let token = 'token-1';
  const upstream = { baseUrl: sandbox.url, token: () => token, clock, random: () => 0, log };
  const spillDir = join(tmpdir(), `sluice-faults-${process.pid}-${++lastProcess}`);
  const life = lifeOf(storeAs(store));
  const port = options.webhook === undefined ? 0 : await portOf(options);
  const webhookUrl = `http://127.0.0.1:${port}${X_WEBHOOK_PATH}`;
  const x = xPlatform({
    ...upstream,
    count,
    level,
    spillDir,
    gzip: options.gzip ?? false,
    webhook: options.webhook && webhookOf(options.webhook, beside?.webhookUrl ?? webhookUrl, life.store),
  });
  const firehose =
    options.firehose === undefined ? localPlatform('firehose') : firehosePlatform({ ...upstream, count: () => {} });
  const { platformAs = (platform) => platform } = options;
  const test = await openService({
    clock,
    store: life.store,
    platforms: { x: platformAs(x), firehose: platformAs(firehose) },
    metrics: { ...noMetrics, stream: (name, counter) => (name === 'x' ? count(counter) : undefined) },
    // The process before is gone for certain, as one of the same machine would find out.
    holder: { id: `process-${lastProcess}`, isGone: () => beside?.clock === clock && !options.isOtherNode },
  });
  const caller = await test.caller('default', { xRules: 1_000 });
  const http = options.webhook && (await httpFor(test.service, port));

  const stage: ServiceStage = {
    clock,
    sandbox,
    store,
    test,
    caller,
    counts,
    webhookUrl,
    get token() {
      return token;
    },
    set token(next) {
      token = next;
    },
    async done(work, stepMs = 0) {
      let isDone = false;
      const settled = () => {
        isDone = true;
      };
      work.then(settled, settled);
      await stage.until(() => isDone, stepMs);
      return work;
    },
    async create(value, platforms = ['x']) {
      const overrides = Object.fromEntries(platforms.map((name) => [name, name === 'x' ? value : `title:${value}`]));
      const input = { name: value, intent: '', platforms, overrides };
      const { rule_id, platforms: held } = await stage.done(test.call(caller, 'createRule', input));
      return { rule_id, id: held.x?.platform_rule_id };
    },
    post(text = 'a storm is coming', data = {}) {
      const id = String(++lastPost);
      sandbox.post('x', { data: { id, text, created_at: clock.now().toISOString(), ...data } });
      return id;
    },
    async posts() {
      const matches = await test.everyMatch(caller);
      return matches.map(({ platform_post_id }) => platform_post_id).toReversed();
    },
    stored: (posts, stepMs) => stage.until(async () => (await stage.posts()).length >= posts, stepMs),
    gaps: async () => (await test.call(caller, 'status')).platforms.x!.gaps.toReversed(),
    state() {
      const { state, reason } = test.service.context.upstreams.status('x')!;
      return reason === undefined ? state : `${state}: ${reason}`;
    },
    live: (stepMs) => stage.until(() => stage.state() === 'live', stepMs),
    until: (isSo, stepMs, steps) =>
      untilSo(clock, isSo, { stepMs, steps, explain: () => `${stage.state()} ${JSON.stringify(counts)}` }),
    pass: (milliseconds, stepMs) => passSlowly(clock, milliseconds, stepMs),
    streamCalls: () =>
      sandbox.calls
        .filter(({ path }) => path.startsWith('/2/tweets/search/stream?'))
        .map(({ at, path, status }) => ({ at: at.getTime(), query: new URL(path, sandbox.url).searchParams, status })),
    async kill() {
      life.end();
      // Its sockets close; what it would have stored on the way out is never answered, so nobody may wait for it.
      void test.service.close();
      http?.server.closeAllConnections();
      await http?.close();
    },
    async [Symbol.asyncDispose]() {
      http?.server.closeAllConnections();
      await http?.close();
      if (!life.hasEnded) await test.service.close();
      if (beside !== undefined) return;
      await sandbox.stop();
      await store[Symbol.asyncDispose]();
    },
  };
  for (const value of beside === undefined ? rules : []) await stage.create(value);
  return stage;
}

/** After a restart a process listens where it did before. */
const portOf = ({ beside, isOtherNode }: ServiceStageOptions): Promise<number> | number =>
  beside === undefined || isOtherNode ? freePort() : Number(new URL(beside.webhookUrl).port);

/** The answers of one node over HTTP, without those that no test here asks for. */
async function httpFor(service: Service, port: number) {
  const { context } = service;
  const http = await httpOn(context, { rateLimit: 600 });
  await http.listen({ port, host: '127.0.0.1' });
  return http;
}

const webhookOf = (held: { readonly secret: string }, url: string, store: Store) => ({
  url,
  secret: () => held.secret,
  inbox: inboxOf(store),
});

/** A store whose process can end: from then on it answers nothing, and nothing reaches it. */
function lifeOf(store: Store) {
  let hasEnded = false;
  const forever = new Promise<never>(() => {});
  const mortal = new Proxy(store, {
    get(target, name: keyof Store) {
      const member = target[name];
      if (typeof member !== 'function') return member;
      return (...args: never[]) => (hasEnded ? forever : (member as (...args: never[]) => unknown)(...args));
    },
  });
  return {
    store: mortal,
    end() {
      hasEnded = true;
    },
    get hasEnded() {
      return hasEnded;
    },
  };
}
