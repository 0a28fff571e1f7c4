/** X's connector on a stage: the sandbox at the other end, one virtual clock for both, and everything that came noted. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/sandbox.ts';
import type { Gap } from '../../src/domain/coverage.ts';
import type { Arrival, LivePlatform, StreamCounter, StreamItem } from '../../src/platforms/platform.ts';
import { xPlatform } from '../../src/platforms/x/platform.ts';
import type { XLevel } from '../../src/rules/language.ts';
import { type FakeClock, fakeClock } from './fake-clock.ts';
import { passSlowly, untilSo } from './virtual-time.ts';

export interface XStage extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly sandbox: Sandbox;
  readonly platform: LivePlatform;
  readonly items: readonly StreamItem[];
  readonly counts: Readonly<Partial<Record<StreamCounter, number>>>;
  /** Whatever was logged, as one text. */
  readonly logged: () => string;
  /** Begins to consume, as if everything that came were stored at once. */
  start(): void;
  /** Stops consuming, as a restart does; the cursor stays. */
  stop(): Promise<void>;
  token: string;
  readonly cursor: string | undefined;
  arrivals(): readonly Arrival[];
  /** Posts a text that is matched by the rule `storm`, and says its id. */
  post(text?: string): string;
  /** Lets time pass in steps until it is so; without steps, only what needs no time happens. */
  until(isSo: () => boolean, stepMs?: number, steps?: number): Promise<void>;
  /** Lets time pass second by second, with room for what goes over the wire. */
  pass(milliseconds: number, stepMs?: number): Promise<void>;
  state(): string;
}

export interface XStageOptions {
  readonly level?: XLevel;
  readonly rules?: readonly string[];
  readonly sandbox?: SandboxOptions;
  readonly gzip?: boolean;
  /** The address at which the connector finds the sandbox, where that is not its own. */
  readonly baseUrl?: (sandbox: Sandbox) => string;
  /** For the jitter of waits; none by default. */
  readonly random?: () => number;
  /** Whether the consumer takes what comes. */
  readonly isStuck?: () => Promise<void>;
}

export async function xStage({
  level = 'payg',
  rules = ['storm'],
  sandbox: more,
  gzip = false,
  baseUrl = ({ url }) => url,
  random = () => 0,
  isStuck,
}: XStageOptions = {}): Promise<XStage> {
  const clock = fakeClock();
  const sandbox = await startSandbox({ clock, xLevel: level, ...more });
  const items: StreamItem[] = [];
  const counts: Partial<Record<StreamCounter, number>> = {};
  const lines: string[] = [];
  const note = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  let token = 'token-1';
  let cursor: string | undefined;
  let running: Promise<void> | undefined;
  let stopping = new AbortController();
  let posted = 0;
  const platform = xPlatform({
    baseUrl: baseUrl(sandbox),
    token: () => token,
    clock,
    random,
    log: { info: note, warn: note, error: note },
    count: (counter) => {
      counts[counter] = (counts[counter] ?? 0) + 1;
    },
    level,
    gzip,
    // Made only when something is spilled.
    spillDir: join(tmpdir(), 'sluice-x-stage'),
  });
  if (rules.length > 0) await platform.register(rules.map((value) => ({ value, flags: {}, tag: 'ours' })));

  async function consume(signal: AbortSignal): Promise<void> {
    for await (const item of platform.stream({ signal, committed: () => cursor, rulesHeld: async () => {} })) {
      await isStuck?.();
      items.push(item);
      if ('cursor' in item) cursor = item.cursor;
    }
  }

  const stage: XStage = {
    clock,
    sandbox,
    platform,
    items,
    counts,
    logged: () => lines.join('\n'),
    start() {
      stopping = new AbortController();
      running = consume(stopping.signal);
    },
    async stop() {
      stopping.abort();
      await running;
    },
    get token() {
      return token;
    },
    set token(next) {
      token = next;
    },
    get cursor() {
      return cursor;
    },
    arrivals: () => items.filter((item) => item.kind === 'arrival'),
    post(text = 'a storm is coming') {
      const id = String(1_800_000_000_000_000_000n + BigInt(++posted));
      sandbox.post('x', { data: { id, text, created_at: clock.now().toISOString() } });
      return id;
    },
    until: (isSo, stepMs, steps) =>
      untilSo(clock, isSo, { stepMs, steps, explain: () => `${stage.state()}\n${lines.slice(-5).join('\n')}` }),
    pass: (milliseconds, stepMs) => passSlowly(clock, milliseconds, stepMs),
    state() {
      const last = items.findLast((item) => item.kind === 'state');
      return last === undefined ? 'none' : [last.state, ...(last.reason === undefined ? [] : [last.reason])].join(': ');
    },
    async [Symbol.asyncDispose]() {
      await stage.stop();
      await sandbox.stop();
    },
  };
  return stage;
}

/** One that is connected. */
export async function liveStage(options: XStageOptions = {}): Promise<XStage> {
  const stage = await xStage(options);
  stage.start();
  await stage.until(() => stage.state() === 'live');
  return stage;
}

export const gapsOf = ({ items }: XStage): Omit<Gap, 'platform'>[] =>
  items.flatMap((item) => (item.kind === 'gap' ? [item.gap] : []));
export const streamCalls = ({ sandbox }: XStage) =>
  sandbox.calls.filter(({ path }) => path.startsWith('/2/tweets/search/stream?'));
export const connectTimes = (stage: XStage): number[] => streamCalls(stage).map(({ at }) => at.getTime());
export const idsOf = (stage: XStage): string[] => stage.arrivals().map(({ postId }) => postId);
export const differences = (times: readonly number[]): number[] =>
  times.slice(1).map((at, index) => at - times[index]!);
