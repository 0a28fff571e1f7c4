/** Firehose's connector before the sandbox, on virtual time: what the stream yields is collected, and committed at once. */
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/sandbox.ts';
import { type FirehoseOptions, firehosePlatform } from '../../src/platforms/firehose/platform.ts';
import type { Arrival, LivePlatform, StreamCounter, StreamItem } from '../../src/platforms/platform.ts';
import { type FakeClock, fakeClock } from './fake-clock.ts';
import { type Connect, connectsOf, postPage } from './sandbox-firehose.ts';

export interface FirehoseStage extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly sandbox: Sandbox;
  readonly platform: LivePlatform;
  readonly items: StreamItem[];
  readonly logged: string[];
  /** It is undefined until something is committed; set it to begin elsewhere. */
  committed: string | undefined;
  /** While true, items are taken and not committed. */
  isForgetful: boolean;
  /** While true, nothing is taken. */
  isBusy: boolean;
  token: string;
  /** Pending while no rule of ours is held. */
  rulesHeld: Promise<void>;
  counted(counter: StreamCounter): number;
  follow(): void;
  /** Ends the stream, as a stop of the program would. */
  leave(): Promise<void>;
  /** Posts a page that matches, and answers its id in the stream. */
  post(word?: string): string;
  /** Waits for the network, without time passing. */
  until(condition: () => boolean): Promise<void>;
  arrivals(): Arrival[];
  ids(): string[];
  of<K extends StreamItem['kind']>(kind: K): Extract<StreamItem, { kind: K }>[];
  live(): Promise<void>;
  /** The connections that were asked of the stream. */
  connects(): Connect[];
}

export const FLAGS = { quality: false, nsfw: true };

export async function firehoseStage(
  options: { sandbox?: SandboxOptions; platform?: Partial<FirehoseOptions> } = {},
): Promise<FirehoseStage> {
  const clock = fakeClock();
  const sandbox = await startSandbox({ clock, ...options.sandbox });
  const counts = new Map<StreamCounter, number>();
  const logged: string[] = [];
  const note = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const items: StreamItem[] = [];
  let stop = new AbortController();
  let done = Promise.resolve();
  const stage: Omit<FirehoseStage, 'platform'> & { platform: LivePlatform } = {
    clock,
    sandbox,
    items,
    logged,
    committed: undefined,
    isForgetful: false,
    isBusy: false,
    token: 'fh_stage',
    rulesHeld: Promise.resolve(),
    platform: firehosePlatform({
      baseUrl: sandbox.url,
      token: () => stage.token,
      clock,
      random: () => 0,
      log: { info: note, warn: note, error: note },
      count: (counter) => void counts.set(counter, (counts.get(counter) ?? 0) + 1),
      ...options.platform,
    }),
    counted: (counter) => counts.get(counter) ?? 0,
    follow() {
      stop = new AbortController();
      done = take(stop.signal);
    },
    async leave() {
      stop.abort();
      await done;
    },
    post: (word = 'storm') => postPage(sandbox, `a ${word} comes`),
    async until(condition) {
      for (let turn = 0; !condition(); turn++) {
        if (turn > 20_000) throw new Error('it never came to that');
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    arrivals: () => stage.of('arrival'),
    ids: () => stage.arrivals().map(({ postId }) => postId),
    of: <K extends StreamItem['kind']>(kind: K) =>
      items.filter((item): item is Extract<StreamItem, { kind: K }> => item.kind === kind),
    async live() {
      await stage.until(() => stage.of('state').at(-1)?.state === 'live');
      await clock.pass(1_000);
    },
    connects: () => connectsOf(sandbox),
    async [Symbol.asyncDispose]() {
      stage.isBusy = false;
      await stage.leave();
      await sandbox.stop();
    },
  };

  async function take(signal: AbortSignal): Promise<void> {
    const control = { signal, committed: () => stage.committed, rulesHeld: () => stage.rulesHeld };
    for await (const item of stage.platform.stream(control)) {
      items.push(item);
      if ('cursor' in item && !stage.isForgetful) stage.committed = item.cursor;
      while (stage.isBusy && !signal.aborted) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  await stage.platform.register([{ value: 'storm', flags: FLAGS, tag: 'stage' }]);
  return stage;
}
