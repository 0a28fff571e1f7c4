/**
 * A whole service before the sandbox, on one virtual clock: the real connectors, the real loop, the real store. Which
 * platforms are upstreams is the test's choice; the others are our own.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/sandbox.ts';
import { PLATFORMS, type Platform } from '../../src/domain/platform.ts';
import { firehosePlatform } from '../../src/platforms/firehose/platform.ts';
import { localPlatform } from '../../src/platforms/local/local.ts';
import type { LivePlatform, StreamCounter } from '../../src/platforms/platform.ts';
import { xPlatform } from '../../src/platforms/x/platform.ts';
import type { XLevel } from '../../src/rules/language.ts';
import type { Caller } from '../../src/service/access/caller.ts';
import { noMetrics } from '../../src/service/telemetry.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type FakeClock, fakeClock } from './fake-clock.ts';
import { type Connect, connectsOf, postPage } from './sandbox-firehose.ts';
import { type AnswerOf, openService, type TestService } from './service.ts';

export interface UpstreamServiceOptions {
  readonly upstreams: readonly Platform[];
  readonly sandbox?: SandboxOptions;
  readonly level?: XLevel;
  readonly random?: () => number;
  readonly prices?: Record<Platform, number>;
  readonly currency?: string;
  /** Instead of the one that would be made. */
  readonly platforms?: Partial<Record<Platform, LivePlatform>>;
  /** Puts something between the service and the sandbox. Answers its own address. */
  readonly front?: (sandboxUrl: string) => Promise<string>;
  /** The store, as the test wants it to fail. */
  readonly around?: (store: Store) => Store;
}

type Status = NonNullable<AnswerOf<'status'>['platforms'][Platform]>;

export interface UpstreamService extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly sandbox: Sandbox;
  readonly test: TestService;
  readonly store: Store;
  readonly alice: Caller;
  /** Tokens are asked for at each call: setting one replaces it. */
  token: string;
  /** Everything that was logged, fields included. */
  readonly logged: readonly string[];
  counted(platform: Platform, counter: StreamCounter): number;
  /** Creates a rule of this text, and answers its id. */
  rule(value: string, platforms?: readonly Platform[]): Promise<string>;
  /** Posts a page with this text, and answers the `id:` of its update. */
  page(text?: string): string;
  /** Ids of what was matched, in order, each as often as it is there. */
  matches(): Promise<string[]>;
  /** How many there are, as rules count them. */
  matchCount(): Promise<number>;
  /** Waits until there are so many. */
  stored(matches: number): Promise<void>;
  status(platform: Platform): Promise<Status>;
  /** Waits for the network and the store, without time passing. */
  until(isSo: () => boolean | Promise<boolean>): Promise<void>;
  /** Lets time pass in steps, with room for what goes over the wire between them. */
  pass(milliseconds: number, stepMs?: number): Promise<void>;
  live(platform: Platform): Promise<void>;
  /** The connections that were asked of Firehose's stream. */
  connects(): Connect[];
  /** Stops the service, as a stop of the program would, and starts another on the same store. */
  leave(): Promise<void>;
  comeBack(): Promise<void>;
}

/** Turns of the event loop in which bytes go to the other end and back. */
const TURNS = 60;
const MOST_TURNS = 50_000;

export async function upstreamService(options: UpstreamServiceOptions): Promise<UpstreamService> {
  const clock = fakeClock();
  const sandbox = await startSandbox({
    clock,
    ...(options.level && { xLevel: options.level }),
    ...options.sandbox,
  });
  const baseUrl = (await options.front?.(sandbox.url)) ?? sandbox.url;
  const counts = new Map<string, number>();
  const logged: string[] = [];
  const note = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const count = (platform: Platform, counter: StreamCounter) => {
    const name = `${platform} ${counter}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  const real = await openSqlite(':memory:', { clock });
  const store = options.around?.(real) ?? real;
  let token = 'token-1';

  const platformOf = (name: Platform): LivePlatform => {
    if (!options.upstreams.includes(name)) return localPlatform(name);
    const common = {
      baseUrl,
      token: () => token,
      clock,
      random: options.random ?? (() => 0),
      log: { info: note, warn: note, error: note },
      count: (counter: StreamCounter) => count(name, counter),
    };
    // The folder is made only when something is spilled.
    const spillDir = join(tmpdir(), 'sluice-upstream-service');
    return name === 'x'
      ? xPlatform({
          ...common,
          spillDir,
          ...(options.level && { level: options.level }),
        })
      : firehosePlatform({
          ...common,
          ...(options.sandbox?.firehoseRules !== undefined && { rules: options.sandbox.firehoseRules }),
        });
  };
  const open = () =>
    openService({
      clock,
      store,
      platforms: { x: platformOf('x'), firehose: platformOf('firehose'), ...options.platforms },
      metrics: { ...noMetrics, stream: count },
      ...(options.prices && { prices: options.prices }),
      ...(options.currency && { currency: options.currency }),
    });
  let test = await open();
  const alice = await test.caller('alice', { xRules: 1_000_000 });

  const stage: UpstreamService = {
    clock,
    sandbox,
    get test() {
      return test;
    },
    store,
    alice,
    get token() {
      return token;
    },
    set token(next) {
      token = next;
    },
    logged,
    counted: (platform, counter) => counts.get(`${platform} ${counter}`) ?? 0,
    async rule(value, platforms = options.upstreams) {
      const overrides = Object.fromEntries(platforms.map((name) => [name, value]));
      const input = { name: value.slice(0, 100), intent: '', platforms, overrides };
      const flags = platforms.includes('firehose') ? { options: { firehose: { quality: false, nsfw: true } } } : {};
      return (await test.call(alice, 'createRule', { ...input, ...flags })).rule_id;
    },
    page: (text = 'a storm comes') => postPage(sandbox, text),
    async matches() {
      const matches = await test.everyMatch(alice);
      return matches.map(({ platform_post_id }) => platform_post_id).toSorted();
    },
    async matchCount() {
      const { rules } = await test.call(alice, 'listRules');
      const found = rules.flatMap(({ platforms }) => PLATFORMS.map((name) => platforms[name]?.match_count ?? 0));
      return found.reduce((sum, one) => sum + one, 0);
    },
    stored: (matches) => stage.until(async () => (await stage.matchCount()) === matches),
    async status(platform) {
      const { platforms } = await test.call(alice, 'status');
      return platforms[platform]!;
    },
    async until(isSo) {
      for (let turn = 0; !(await isSo()); turn++) {
        if (turn > MOST_TURNS) throw new Error(`it never came to that; ${logged.slice(-5).join('\n')}`);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    async pass(milliseconds, stepMs = 1_000) {
      for (let left = milliseconds; left > 0; left -= stepMs) {
        await clock.pass(Math.min(left, stepMs));
        await turns();
      }
    },
    async live(platform) {
      await stage.until(() => test.service.context.upstreams.status(platform)?.state === 'live');
      // A replay is over when nothing has come for a second.
      await stage.pass(2_000);
    },
    connects: () => connectsOf(sandbox),
    leave: () => test.service.close(),
    async comeBack() {
      test = await open();
    },
    async [Symbol.asyncDispose]() {
      await test.service.close();
      await store[Symbol.asyncDispose]();
      await sandbox.stop();
    },
  };
  return stage;
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
}
